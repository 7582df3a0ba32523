"""What this machine lets us do to confine a command; found by doing it once, never by versions."""

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

CHECK_SECONDS = 10
ALWAYS = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
OWN_USERS = ("--unshare-user", "--disable-userns")
"""A user namespace of the command's own, in which no further one can be made."""
MOUNT = """set -e
cd "$1"
mount --bind "$2" lower
mount -t overlay overlay -o userxattr,lowerdir=mask:lower,upperdir=upper,workdir=work merged
shift 2
unset PWD OLDPWD
exec "$@"
"""
"""Puts the layer over the project and becomes the command. Relative names: an option cannot hold every path, and a
command that looks at its mounts does not learn where the layer lies. Without `userxattr` folders cannot be removed."""
TRIAL = "rm -r merged/folder && mkdir merged/folder && echo x > merged/folder/file && exec {bwrap} --ro-bind / / true"
"""What fails on a layer that only looks as if it worked."""

LayerKind = Literal["overlay", "copy"]


@dataclass(frozen=True)
class Isolation:
    """How commands are confined here: `layer` is how the project is put under them, `flags` are bubblewrap's."""

    bubblewrap: Path
    flags: tuple[str, ...]
    layer: LayerKind
    namespace: tuple[str, ...] = ()


def isolation(state_folder: Path) -> Isolation | None:
    """The strongest that works here with layers in this folder; None where commands cannot be confined at all."""
    place = state_folder
    while not place.exists():
        place = place.parent
    return _found(os.getuid(), place.stat().st_dev, str(place))


def can_confine() -> bool:
    """Whether commands can be confined here."""
    return isolation(Path(tempfile.gettempdir())) is not None


def program(name: str) -> Path | None:
    """SHIM."""
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin")
    return Path(found) if found else None


@lru_cache(maxsize=16)
def _found(user: int, device: int, place: str) -> Isolation | None:
    bwrap = program("bwrap")
    if bwrap is None:
        return None
    for flags in ((*ALWAYS, *OWN_USERS), ALWAYS):
        if user == 0 and flags is ALWAYS:
            return None  # root without a user namespace keeps rights that no flag takes away
        if not _works(
            [str(bwrap), *flags, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/true"]
        ):
            continue
        namespace = _namespace()
        if namespace and flags is not ALWAYS and _layers(namespace, bwrap, flags, Path(place)):
            return Isolation(bwrap, flags, "overlay", namespace)
        return Isolation(bwrap, flags, "copy")
    return None


def _namespace() -> tuple[str, ...]:
    unshare = program("unshare")
    if unshare is None or program("mount") is None:
        return ()
    return (str(unshare), "--user", "--map-root-user", "--mount", "--propagation", "private", "--", "/bin/sh", "-c")


def _layers(namespace: tuple[str, ...], bwrap: Path, flags: tuple[str, ...], place: Path) -> bool:
    """Whether an overlay works on the file system where layers will lie: it may not be one itself."""
    try:
        with tempfile.TemporaryDirectory(prefix="loopwright-trial-", dir=place, ignore_cleanup_errors=True) as folder:
            for name in ("mask", "lower", "upper", "work", "merged", "project/folder"):
                Path(folder, name).mkdir(parents=True)
            Path(folder, "project", "folder", "old").touch()
            trial = TRIAL.format(bwrap=" ".join((str(bwrap), *flags)))
            works = _works([*namespace, MOUNT, "sh", folder, f"{folder}/project", "/bin/sh", "-ec", trial])
            left = Path(folder, "work", "work")
            if left.exists():
                left.chmod(0o700)
            return works and Path(folder, "upper", "folder", "file").is_file()
    except OSError:
        return False


def _works(command: list[str]) -> bool:
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    try:
        done = subprocess.run(command, capture_output=True, timeout=CHECK_SECONDS, check=False, env=environment)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0

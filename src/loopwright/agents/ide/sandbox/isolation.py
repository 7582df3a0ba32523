"""What this machine lets us do to confine a command; found by doing it once, never by versions."""

import os
import shlex
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from loopwright.agents.ide.sandbox.owners import Identity, give_to, identity_of, layers_folder
from loopwright.kernel.programs import find_program

CHECK_SECONDS = 10
ALWAYS = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
OWN_USERS = ("--unshare-user", "--disable-userns")
"""A user namespace of the command's own, in which no further one can be made."""
NAMESPACE = ("--user", "--map-root-user", "--mount", "--propagation", "private", "--", "/bin/sh", "-c")
MOUNT = """set -e
cd "$1"
"$3" --bind "$2" lower
"$3" -t overlay overlay -o userxattr,lowerdir=mask:lower,upperdir=upper,workdir=work merged
shift 3
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
    """How commands are confined here: `layer` is how the project is put under them, `flags` are bubblewrap's.

    All programs are named by absolute paths: the project's own folders of programs are on the PATH of its commands.
    """

    bubblewrap: Path
    flags: tuple[str, ...]
    layer: LayerKind
    unshare: tuple[str, ...] = ()
    mount: Path = Path("/bin/mount")

    def on_layer(self, folder: str, root: str, line: Sequence[str]) -> list[str]:
        """The command line that puts an overlay in `folder` over the project at `root`, and becomes `line` there."""
        return [*self.unshare, MOUNT, "sh", folder, root, str(self.mount), *line]


def isolation(root: Path, state_folder: Path) -> Isolation | None:
    """The strongest that works here with layers in this folder; None where commands cannot be confined at all.

    What it needs of the machine is looked up outside of the project at `root`.
    """
    place = layers_folder(root, state_folder)
    while not place.exists():
        place = place.parent
    return _found(os.getuid(), place.stat().st_dev, place, root, identity_of(root))


def can_confine() -> bool:
    """Whether commands can be confined here."""
    place = Path(tempfile.gettempdir())
    return isolation(place / "nowhere", place) is not None


@lru_cache(maxsize=16)
def _found(user: int, device: int, place: Path, root: Path, identity: Identity | None) -> Isolation | None:
    bwrap = find_program("bwrap", outside=root)
    unshare, mount = find_program("unshare", outside=root), find_program("mount", outside=root)
    if bwrap is None or _has_rights_of_its_own(bwrap):
        return None
    for flags in ((*ALWAYS, *OWN_USERS), ALWAYS):
        if user == 0 and flags is ALWAYS:
            return None  # root without a user namespace keeps rights that no flag takes away
        if not _works(
            [str(bwrap), *flags, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/true"], identity
        ):
            continue
        if flags is not ALWAYS and unshare is not None and mount is not None:
            overlay = Isolation(bwrap, flags, "overlay", (str(unshare), *NAMESPACE), mount)
            if _layers(overlay, place, identity) and _takes(overlay, place, root, identity):
                return overlay
        return Isolation(bwrap, flags, "copy")
    return None


def _has_rights_of_its_own(program: Path) -> bool:
    """Whether a program gets rights that its caller has not: whoever drives it badly would have them too."""
    if program.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
        return True
    try:
        return bool(os.getxattr(program, "security.capability"))
    except OSError:
        return False


def _layers(overlay: Isolation, place: Path, identity: Identity | None) -> bool:
    """Whether an overlay works on the file system where layers will lie: it may not be one itself."""
    try:
        with tempfile.TemporaryDirectory(prefix="loopwright-trial-", dir=place, ignore_cleanup_errors=True) as folder:
            for name in ("mask", "lower", "upper", "work", "merged", "project/folder"):
                Path(folder, name).mkdir(parents=True)
            Path(folder, "project", "folder", "old").touch()
            if identity is not None:
                give_to(Path(folder), identity)
            trial = TRIAL.format(bwrap=" ".join((shlex.quote(str(overlay.bubblewrap)), *overlay.flags)))
            works = _works(overlay.on_layer(folder, f"{folder}/project", ["/bin/sh", "-ec", trial]), identity)
            left = Path(folder, "work", "work")
            if left.exists():
                left.chmod(0o700)
            return works and Path(folder, "upper", "folder", "file").is_file()
    except OSError:
        return False


def _takes(overlay: Isolation, place: Path, root: Path, identity: Identity | None) -> bool:
    """Whether the project's own file system can lie under an overlay: some network and case-blind ones cannot."""
    if not root.is_dir():
        return True
    with tempfile.TemporaryDirectory(prefix="loopwright-trial-", dir=place, ignore_cleanup_errors=True) as folder:
        for name in ("mask", "lower", "upper", "work", "merged"):
            Path(folder, name).mkdir()
        if identity is not None:
            give_to(Path(folder), identity)
        works = _works(overlay.on_layer(folder, str(root), ["/bin/ls", "merged"]), identity)
        left = Path(folder, "work", "work")
        if left.exists():
            left.chmod(0o700)
        return works


def _works(command: list[str], identity: Identity | None) -> bool:
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    user = {"user": identity[0], "group": identity[1], "extra_groups": []} if identity is not None else {}
    try:
        done = subprocess.run(  # type: ignore[call-overload]  # the stubs know no such mixture
            command, capture_output=True, timeout=CHECK_SECONDS, check=False, env=environment, cwd="/", **user
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return bool(done.returncode == 0)

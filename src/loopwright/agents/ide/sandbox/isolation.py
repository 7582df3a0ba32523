"""What this machine lets us do to confine a command; found by doing it once, never by versions."""

import errno
import os
import shlex
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from loopwright.kernel.programs import find_program

# The folder of a layer: how much lies in it, and its end. A command may have made anything in it, however deep.

MOST_DEPTH = 200
"""Of folders in a layer: a path has an end, and so has the stack of those who walk down."""
MOST_TRIES, BETWEEN_TRIES = 10, 0.1
"""To delete a layer, and seconds between them."""
DELETE_SECONDS = 600


class TooDeep(Exception):
    """Folders lie deeper than `MOST_DEPTH`, or than a path may be long: not everybody reaches what is in them."""


def taken(top: Path) -> tuple[int, int]:
    """Bytes and number of the files and folders below.

    A file with holes counts with the size that it has for those who copy it.

    Raises:
        TooDeep: not all of it can be counted.
    """
    total = count = 0
    waiting = [(os.fspath(top), 0)]
    while waiting:
        folder, depth = waiting.pop()
        if depth > MOST_DEPTH:
            raise TooDeep("folders lie too deep")
        for path, found in _entries(folder):
            total, count = total + max(found.st_size, found.st_blocks * 512), count + 1
            if stat.S_ISDIR(found.st_mode):
                waiting.append((path, depth + 1))
    return total, count


def _entries(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """What lies in a folder, without what is gone by now, or closed even to the command itself."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError, PermissionError):
                    yield entry.path, entry.stat(follow_symlinks=False)
    except (FileNotFoundError, PermissionError):
        return
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise TooDeep("folders lie too deep") from error
        raise


def free(folder: Path) -> int:
    """Bytes that are left to this user on the disk of a folder."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def delete(layer: Path) -> None:
    """Delete a layer. The kernel leaves a folder without rights in it, and so may a command; one may still be dying.

    The system's own programs do it, which walk down without paths and without a stack.

    Raises:
        OSError: something of it stays.
    """
    for tries_left in reversed(range(MOST_TRIES)):
        _run("/bin/chmod", "-R", "u+rwX", "--", str(layer))
        complaint = _run("/bin/rm", "-rf", "--", str(layer))
        if not os.path.lexists(layer):
            return
        if not tries_left:
            raise OSError(f"The layer {layer} cannot be deleted: {complaint}")
        time.sleep(BETWEEN_TRIES)


def _run(*line: str) -> str:
    """What a program complains of."""
    done = subprocess.run(line, capture_output=True, timeout=DELETE_SECONDS, check=False)
    return done.stderr.decode("utf-8", "replace")[:300]


# Root at work for somebody else: commands run as the project's owner, who must reach what they need.

Identity = tuple[int, int]
"""Numbers of a user and a group."""
LAYERS = "layers"


def identity_of(root: Path) -> Identity | None:
    """The project's owner, where Loopwright is root and they are somebody else: their commands run as they."""
    if os.getuid() != 0 or not root.exists():
        return None
    owner = root.stat()
    return (owner.st_uid, owner.st_gid) if owner.st_uid != 0 else None


def layers_folder(root: Path, state_folder: Path) -> Path:
    """Where layers of a project lie: a user for whom root works cannot enter root's own folders."""
    identity = identity_of(root)
    if identity is None:
        return state_folder / LAYERS
    shared = (Path(tempfile.gettempdir()), Path("/var/tmp"))  # noqa: S108  (a new folder of random name is made in it)
    return next((place for place in shared if place.is_dir() and can_enter(place, identity)), state_folder / LAYERS)


def can_enter(folder: Path, identity: Identity) -> bool:
    """Whether a user reaches what lies in a folder."""
    for each in (folder, *folder.parents):
        found = each.stat()
        bits = found.st_mode >> (6 if found.st_uid == identity[0] else 3 if found.st_gid == identity[1] else 0)
        if not bits & 1:
            return False
    return True


def give_to(folder: Path, identity: Identity) -> None:
    """Make a folder the user's, with all that lies in it."""
    os.chown(folder, *identity)
    for above, folders, names in os.walk(folder):
        for name in (*folders, *names):
            os.chown(Path(above, name), *identity, follow_symlinks=False)


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

"""What stands under a path: absent, a file, a link or a folder.

Which paths may be changed is decided before: `ProjectFiles.check` for tools, `files/protected.py` for commands. Here a
path only cannot leave the root, and no link is followed.
"""

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loopwright.agents.ide.files.project_files import MAX_FILE_BYTES
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.workspace.folders import READ_FLAGS, disk_errors, kind_of, opened_folder

NEW_FILE_MODE = 0o644
EXECUTABLE = 0o111
Kind = Literal["file", "link", "large", "folder"]


@dataclass(frozen=True)
class State:
    """What stands there. `digest` is the SHA-256 (hex) of a file's bytes or of a link's target.

    Of `large` files (over 5 MB) the digest is of size and time alone, and their content is not kept.
    """

    kind: Kind
    mode: int
    digest: str

    def encoded(self) -> str:
        """The state as a line, for the ledger."""
        return f"{self.kind}:{self.mode:o}:{self.digest}"


def decoded(line: str | None) -> State | None:
    """The state that `encoded` gave; None is for nothing."""
    if line is None:
        return None
    kind, mode, digest = line.split(":", 2)
    return State(kind, int(mode, 8), digest)  # type: ignore[arg-type]


def same(one: State | None, other: State | None) -> bool:
    """Whether they are the same to a reader of the project: as in git, of the mode only the executable bit counts."""
    if one is None or other is None:
        return one is other
    executable = bool(one.mode & EXECUTABLE) == bool(other.mode & EXECUTABLE)
    return (one.kind, one.digest) == (other.kind, other.digest) and executable


def joined_mode(base: int, ours: int, theirs: int) -> int:
    """The permission bits that come of both changes of `base`: a bit that `theirs` has changed is theirs."""
    changed = base ^ theirs
    return (ours & ~changed) | (theirs & changed)


def file_state(data: bytes, mode: int = NEW_FILE_MODE) -> State:
    """The state of a file with this content."""
    return State("file", mode & 0o777, hashlib.sha256(data).hexdigest())


def link_state(target: bytes) -> State:
    """The state of a symbolic link that leads there."""
    return State("link", 0o777, hashlib.sha256(target).hexdigest())


def names_of(path: str) -> tuple[str, ...]:
    """The names on the way to a path below a root.

    Raises:
        InvalidInput: it does not stay below the root.
    """
    names = tuple(path.split("/"))
    if not all(names) or {".", ".."} & set(names) or "\0" in path:
        raise InvalidInput(f"{path!r} is no path below the project's folder.", hint="Go on without it.")
    return names


def observe(root: Path, path: str) -> tuple[State | None, bytes]:
    """What stands under a path now, and its bytes (a link's target; of large files and folders none).

    Nothing stands behind a link or a file that took a folder's place.

    Raises:
        InvalidInput: the path leads out, or to a pipe or device.
        Misconfigured: the disk does not let us.
    """
    names = names_of(path)
    try:
        with opened_folder(root, names[:-1]) as folder, disk_errors(path):
            return observed(folder, names[-1], path)
    except NotFound:
        return None, b""
    except InvalidInput:
        if _blocked(root, names):
            return None, b""
        raise


def observed(folder: int, name: str, path: str) -> tuple[State, bytes]:
    """As `observe`, under a name in an open folder where something stands.

    Raises:
        FileNotFoundError: nothing does.
        InvalidInput: it is a pipe or device.
    """
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(found.st_mode):
        target = os.fsencode(os.readlink(name, dir_fd=folder))
        return link_state(target), target
    if stat.S_ISDIR(found.st_mode):
        return State("folder", found.st_mode & 0o777, ""), b""
    if not stat.S_ISREG(found.st_mode):
        raise InvalidInput(f"{path!r} is no file.", hint="Go on without it.")
    if found.st_size > MAX_FILE_BYTES:
        return large_state(found), b""
    with open(os.open(name, READ_FLAGS, dir_fd=folder), "rb") as file:
        opened = os.fstat(file.fileno())
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES or not stat.S_ISREG(opened.st_mode):
        return large_state(opened), b""
    return file_state(data, opened.st_mode), data


def _blocked(root: Path, names: tuple[str, ...]) -> bool:
    """Whether a link or a file stands where a folder on the way would have to be."""
    for depth in range(1, len(names)):
        try:
            with opened_folder(root, names[: depth - 1]) as folder:
                kind = kind_of(folder, names[depth - 1])
        except (InvalidInput, NotFound):
            return True
        if kind != stat.S_IFDIR:
            return True
    return False


def large_state(found: os.stat_result) -> State:
    """The state of a file whose content is not kept."""
    return State("large", found.st_mode & 0o777, f"{found.st_size}-{found.st_mtime_ns}")

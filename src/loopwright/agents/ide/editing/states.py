"""What stands under a path: absent, a file or a link; and how it is put there again."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.files.project_files import MAX_FILE_BYTES
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.workspace.folders import disk_errors, kind_of, opened_folder

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


def file_state(data: bytes, mode: int = NEW_FILE_MODE) -> State:
    """The state of a file with this content."""
    return State("file", mode & 0o777, hashlib.sha256(data).hexdigest())


def observe(files: ProjectFiles, path: str) -> tuple[State | None, bytes]:
    """What stands under a path now, and its bytes (a link's target; of large files and folders none).

    Nothing stands behind a link or a file that took a folder's place.

    Raises:
        InvalidInput: the path leads out, or to what no tool touches.
    """
    parts = tuple(files.check(path).split("/"))
    try:
        with opened_folder(files.root, parts[:-1]) as folder, disk_errors(path):
            found = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(found.st_mode):
                target = os.fsencode(os.readlink(parts[-1], dir_fd=folder))
                return State("link", 0o777, hashlib.sha256(target).hexdigest()), target
    except InvalidInput:
        return None, b""
    if stat.S_ISDIR(found.st_mode):
        return State("folder", found.st_mode & 0o777, ""), b""
    if not stat.S_ISREG(found.st_mode):
        raise InvalidInput(f"{path!r} is no file.", hint="Go on without it.")
    if found.st_size > MAX_FILE_BYTES:
        return large_state(found), b""
    data = files.read_bytes(path)
    return file_state(data, found.st_mode), data


def large_state(found: os.stat_result) -> State:
    """The state of a file whose content is not kept."""
    return State("large", found.st_mode & 0o777, f"{found.st_size}-{found.st_mtime_ns}")


def missing_folders(files: ProjectFiles, path: str) -> int:
    """How many of the folders on the way to a path do not exist yet."""
    parts = files.check(path).split("/")[:-1]
    there = sum(1 for depth in range(1, len(parts) + 1) if files.is_folder("/".join(parts[:depth])))
    return len(parts) - there


def put(files: ProjectFiles, path: str, state: State, data: bytes) -> None:
    """Put a file or link there, in place of the file or link that is there.

    Raises:
        InvalidInput: the path cannot be used, or a folder stands there.
        Misconfigured: the disk does not take it.
    """
    parts = tuple(files.check(path).split("/"))
    with opened_folder(files.root, parts[:-1], create=True) as folder, disk_errors(path):
        if kind_of(folder, parts[-1]) == stat.S_IFLNK or state.kind == "link":
            with suppress(FileNotFoundError):
                os.unlink(parts[-1], dir_fd=folder)
        if state.kind == "link":
            os.symlink(os.fsdecode(data), parts[-1], dir_fd=folder)
            os.fsync(folder)
            return
    files.write_bytes(path, data)
    with opened_folder(files.root, parts[:-1]) as folder, disk_errors(path):
        _set_mode(folder, parts[-1], state.mode)


def remove(files: ProjectFiles, path: str) -> None:
    """Delete the file or link."""
    parts = tuple(files.check(path).split("/"))
    with opened_folder(files.root, parts[:-1]) as folder, disk_errors(path):
        os.unlink(parts[-1], dir_fd=folder)
        os.fsync(folder)


def remove_empty_folders(files: ProjectFiles, made: Iterable[tuple[str, int]]) -> None:
    """Remove the folders that were made for paths, so many above each; those with something in them stay."""
    folders = {parts[:depth] for path, count in made for parts, depth in _above(files.check(path), count)}
    for parts in sorted(folders, key=len, reverse=True):
        with suppress(InvalidInput), opened_folder(files.root, parts[:-1]) as above, suppress(OSError):
            os.rmdir(parts[-1], dir_fd=above)


def _above(path: str, count: int) -> Iterator[tuple[tuple[str, ...], int]]:
    parts = tuple(path.split("/"))
    return ((parts, depth) for depth in range(max(len(parts) - count, 1), len(parts)))


def _set_mode(folder: int, name: str, mode: int) -> None:
    """Set the permission bits without following a link that somebody put there a moment ago."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)

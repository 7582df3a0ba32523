"""Fenced files: files, links and empty folders are put under paths, or deleted, where the expected thing is."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.workspace import READ_FLAGS, disk_errors, keep_owner, kind_of, opened_folder
from loopwright.kits.history import swapping

# What stands under a path: absent, a file, a link or a folder.

MAX_FILE_BYTES = 5_000_000
"""Of a larger file no content is kept."""
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
        """The state as a line, for the log."""
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


WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Content:
    """What a file shall hold, or where a link shall lead.

    `source` is a file with the content where that is too large for `data`; `modified_ns` is the file's time stamp,
    which matters to others (builds go by it).
    """

    data: bytes = b""
    source: Path | None = None
    modified_ns: int | None = None


def prepare(root: Path, path: str, state: State, content: Content, *, to_disk: bool = True) -> int:
    """Write a file or link beside the place where it belongs; missing folders above it are made.

    Args:
        root: the project.
        path: below it.
        state: what shall stand there; folders need no preparation.
        content: what is in it.
        to_disk: whether it is on the disk when this returns, rather than at the next barrier.

    Returns:
        A descriptor of its folder, for `clear`: the user may move that in the meantime.

    Raises:
        InvalidInput: the path cannot be used.
        Misconfigured: the disk does not take it.
    """
    names = names_of(path)
    with opened_folder(root, names[:-1], create=True) as folder, disk_errors(path):
        if state.kind == "folder":
            return os.dup(folder)
        unfinished = swapping.new_name(names[-1])
        with suppress(FileNotFoundError):
            os.unlink(unfinished, dir_fd=folder)
        if state.kind == "link":
            os.symlink(os.fsdecode(content.data), unfinished, dir_fd=folder)
            keep_owner(folder, unfinished)
        else:
            with open(os.open(unfinished, WRITE_FLAGS, 0o600, dir_fd=folder), "wb") as file:
                _fill(file.fileno(), content)
                _own_as(file.fileno(), folder, names[-1])
                os.fchmod(file.fileno(), state.mode)
                if content.modified_ns is not None:
                    os.utime(file.fileno(), ns=(content.modified_ns, content.modified_ns))
                if to_disk:
                    os.fsync(file.fileno())
        os.rename(unfinished, swapping.swap_name(names[-1]), src_dir_fd=folder, dst_dir_fd=folder)
        return os.dup(folder)


def clear(folder: int, path: str, state: State) -> None:
    """Close what `prepare` gave, and delete what it wrote if that still waits there."""
    beside = swapping.swap_name(names_of(path)[-1])
    try:
        if _is(state, path)(folder, beside):
            os.unlink(beside, dir_fd=folder)
    finally:
        os.close(folder)


def put(root: Path, path: str, expected: State | None, state: State, *, to_disk: bool = True) -> None:
    """Put what was prepared, or an empty folder, in place of the file, link or empty folder that is expected there.

    A reader sees the old file or the new one, and another name of the old one (a hard link) keeps its content.

    Raises:
        Conflict: something else stands there, and stays; or a program has the old file open for writing.
        InvalidInput, Misconfigured: as for `prepare`.
    """
    names = names_of(path)
    name = names[-1]
    with opened_folder(root, names[:-1], create=True) as folder, disk_errors(path):
        if kind_of(folder, name) == stat.S_IFDIR and state.kind != "folder":
            expected = None
            with suppress(OSError):  # with something in it, it stays, and the name is not free
                os.rmdir(name, dir_fd=folder)
        if state.kind == "folder":
            if expected is not None and expected.kind != "folder":
                swapping.take_out(folder, name, _is(expected, path))
            with suppress(FileExistsError):
                os.mkdir(name, state.mode, dir_fd=folder)
                keep_owner(folder, name)
            if kind_of(folder, name) != stat.S_IFDIR:
                raise Conflict(f"{path!r} was made by somebody else in the meantime.", hint="Read it again.")
        elif expected is None:
            swapping.place(folder, name)
        else:
            swapping.swap(folder, name, _is(expected, path), _is(state, path))
        if to_disk:
            os.fsync(folder)


def remove(root: Path, path: str, expected: State | None, *, to_disk: bool = True) -> None:
    """Delete the file, link or empty folder that is expected there; a folder with something in it stays.

    Raises:
        Conflict: something else stands there, and stays.
        InvalidInput, Misconfigured: as for `prepare`.
    """
    names = names_of(path)
    with opened_folder(root, names[:-1]) as folder, disk_errors(path):
        if expected is None or expected.kind == "folder":
            with suppress(OSError):
                os.rmdir(names[-1], dir_fd=folder)
        else:
            swapping.take_out(folder, names[-1], _is(expected, path))
        if to_disk:
            os.fsync(folder)


def sweep(root: Path, path: str, before: State | None, after: State | None) -> None:
    """Clear away what a death between two steps of `put` or `remove` has left beside a path.

    What is neither the old content nor the new one is somebody else's, and goes back to its name.
    """
    names = names_of(path)
    name, beside = names[-1], swapping.swap_name(names[-1])
    try:
        with opened_folder(root, names[:-1]) as folder, disk_errors(path):
            for unfinished in (swapping.new_name(name), f"{beside}-aside"):
                with suppress(FileNotFoundError):
                    os.unlink(unfinished, dir_fd=folder)
            if kind_of(folder, beside) is None:
                return
            left, _ = observed(folder, beside, path)
            if same(left, before) or same(left, after):
                os.unlink(beside, dir_fd=folder)
            else:
                swapping.give_back(folder, name, _is(after, path))
    except (InvalidInput, NotFound):
        return  # the folder is not there any more, and nothing of ours in it


def barrier() -> None:
    """Bring all that was written to the disk.

    All file systems, since Python has no call for one; for many files that is far cheaper than one after the other.
    """
    os.sync()


def missing_folders(root: Path, path: str) -> int:
    """How many of the folders on the way to a path do not exist yet."""
    names = names_of(path)[:-1]
    there = 0
    for name, depth in zip(names, range(len(names)), strict=True):
        try:
            with opened_folder(root, names[:depth]) as folder:
                if kind_of(folder, name) != stat.S_IFDIR:
                    break
        except (InvalidInput, NotFound):
            break
        there += 1
    return len(names) - there


def remove_empty_folders(root: Path, made: Iterable[tuple[str, int]]) -> None:
    """Remove the folders that were made for paths, so many above each; those with something in them stay."""
    folders = {names[:depth] for path, count in made for names, depth in _above(path, count)}
    for names in sorted(folders, key=len, reverse=True):
        with suppress(InvalidInput, NotFound), opened_folder(root, names[:-1]) as above, suppress(OSError):
            os.rmdir(names[-1], dir_fd=above)


def _is(state: State | None, path: str) -> swapping.Test:
    """The test for exactly this state."""

    def test(folder: int, name: str) -> bool:
        try:
            return observed(folder, name, path)[0] == state
        except (FileNotFoundError, InvalidInput):
            return False

    return test


def _fill(descriptor: int, content: Content) -> None:
    with open(descriptor, "wb", closefd=False) as file:
        if content.source is None:
            file.write(content.data)
        else:
            with content.source.open("rb") as source:
                shutil.copyfileobj(source, file)


def _own_as(descriptor: int, folder: int, name: str) -> None:
    """Where Loopwright is root, a file stays its owner's, and a new one belongs to the owner of its folder."""
    if os.getuid() != 0:
        return
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        found = os.fstat(folder)
    os.fchown(descriptor, found.st_uid, found.st_gid)


def _above(path: str, count: int) -> Iterator[tuple[tuple[str, ...], int]]:
    names = names_of(path)
    return ((names, depth) for depth in range(max(len(names) - count, 1), len(names)))

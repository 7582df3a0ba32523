"""Putting files, links and empty folders under paths, and deleting them, where the expected thing stands there."""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from loopwright.agents.ide.editing import swapping
from loopwright.agents.ide.editing.states import State, names_of, observed, same
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.workspace.folders import disk_errors, keep_owner, kind_of, opened_folder

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

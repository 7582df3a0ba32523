"""The states of all files of a project, for commands: nobody knows beforehand what they change."""

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.sandbox.layers import Mark
from loopwright.kernel.errors import LoopwrightError
from loopwright.kernel.workspace.paths import disk_errors, opened_folder
from loopwright.kits.history.change_log import Seen
from loopwright.kits.history.fenced_files import MAX_FILE_BYTES, State, observed

SETTLING_NS = 2_000_000_000
"""A file that was written so shortly before it was read may have been written again at the same time stamp, whose grain
is up to two seconds (FAT); it is read again."""


Keep = Callable[[State, bytes], None]
"""Stores what was read."""


def scan(
    files: ProjectFiles,
    marks: Mapping[str, Mark],
    known: Mapping[str, Seen],
    keep: Keep,
    now_ns: int,
    also: Iterable[str] = (),
) -> dict[str, Seen]:
    """The states of the project's files; only those that look different from what is known are read.

    Args:
        files: the project's files.
        marks: what a survey of it has found a moment ago.
        known: what an earlier scan has found.
        keep: is given each content that was read.
        now_ns: the file system's time.
        also: paths to look at beside those that belong to the project now.
    """
    found: dict[str, Seen] = {}
    unread: list[str] = []
    for path in dict.fromkeys([*files.listed(), *also]):
        mark, before = marks.get(path), known.get(path)
        if mark is None or not (stat.S_ISREG(mark[4]) or stat.S_ISLNK(mark[4])):
            continue
        if before is not None and before.settled and mark[:4] == _mark_of(before):
            found[path] = before
        elif before is not None or files.belongs(path):
            unread.append(path)
    for path, state, data in _read(files, unread, marks):
        keep(state, data)
        mark = marks[path]
        settled = state.kind == "large" or now_ns - max(mark[2], mark[3]) > SETTLING_NS
        found[path] = Seen(state, *mark[:4], settled=settled)
    return found


def _mark_of(seen: Seen) -> tuple[int, int, int, int]:
    return (seen.inode, seen.size, seen.modified_ns, seen.changed_ns)


def _read(files: ProjectFiles, paths: Iterable[str], marks: Mapping[str, Mark]) -> Iterator[tuple[str, State, bytes]]:
    """State and content of files; each folder is opened once."""
    for folder, inside in groupby(paths, key=lambda path: path.rpartition("/")[0]):
        try:
            with opened_folder(files.root, folder.split("/") if folder else ()) as descriptor:
                for path in inside:
                    _, size, modified_ns, _, mode = marks[path]
                    if stat.S_ISREG(mode) and size > MAX_FILE_BYTES:
                        yield path, State("large", mode & 0o777, f"{size}-{modified_ns}"), b""
                        continue
                    try:
                        with disk_errors(path):
                            state, data = observed(descriptor, path.rpartition("/")[2], path)
                    except LoopwrightError:
                        continue  # it has gone, or may not be read: nothing that could be put back either
                    if state.kind != "folder":
                        yield path, state, data
        except LoopwrightError:
            continue  # the folder has gone

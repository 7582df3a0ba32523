"""The states of all files of the project, for commands: nobody knows beforehand what they change."""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from loopwright.agents.ide.editing.states import State, large_state, observe
from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.files.project_files import MAX_FILE_BYTES
from loopwright.kernel.errors import LoopwrightError

SETTLING_NS = 2_000_000_000
"""A file that was written so shortly before it was read may have been written again at the same time stamp, whose grain
is up to two seconds (FAT); it is read again."""


@dataclass(frozen=True)
class Seen:
    """What was found under a path, and by what a later look knows that it is still the same (times in ns)."""

    state: State
    inode: int
    size: int
    modified_ns: int
    changed_ns: int
    settled: bool


Keep = Callable[[State, bytes], None]
"""Stores what was read."""


def scan(
    files: ProjectFiles, known: Mapping[str, Seen], keep: Keep, now_ns: int, also: Iterable[str] = ()
) -> dict[str, Seen]:
    """The states of the project's files; only those that look different from what is known are read.

    Args:
        files: the project's files.
        known: what an earlier scan has found.
        keep: is given each content that was read.
        now_ns: the file system's time.
        also: paths to look at beside those that belong to the project now.
    """
    found: dict[str, Seen] = {}
    for path in dict.fromkeys([*files.walk(links=True), *also]):
        seen = _look(files, path, known.get(path), keep, now_ns)
        if seen is not None:
            found[path] = seen
    return found


def _look(files: ProjectFiles, path: str, known: Seen | None, keep: Keep, now_ns: int) -> Seen | None:
    try:
        now = os.lstat(files.root / path)
    except OSError:
        return None
    mark = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
    if known is not None and known.settled and mark == (known.inode, known.size, known.modified_ns, known.changed_ns):
        return known
    if stat.S_ISREG(now.st_mode) and now.st_size > MAX_FILE_BYTES:
        return Seen(large_state(now), *mark, settled=True)
    try:
        state, data = observe(files.root, path)
    except LoopwrightError:
        return None  # a pipe, or what may not be read: nothing that could be put back either
    if state is None or state.kind == "folder":
        return None
    keep(state, data)
    return Seen(state, *mark, settled=now_ns - max(now.st_mtime_ns, now.st_ctime_ns) > SETTLING_NS)

"""What lies in a folder of the workspace."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.workspace.folders import opened_folder
from loopwright.kernel.workspace.paths import MAX_DEPTH, parts_of

Kind = Literal["file", "folder", "link", "other"]
KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


@dataclass(frozen=True)
class Entry:
    """One name. `size` is in bytes and counts for files alone; links are shown and never followed."""

    path: str
    kind: Kind
    size: int


@dataclass(frozen=True)
class Listing:
    """Entries in the order of their paths; `complete` is false where there were more than wanted."""

    entries: tuple[Entry, ...]
    complete: bool


def list_folder(root: Path, parts: Sequence[str], depth: int, most: int) -> Listing:
    """What lies in a folder, `depth` folders deep (1: itself), at most so many entries.

    Names that no tool could open (odd characters, the state folder) are left out.

    Raises:
        NotFound: there is no such folder.
        InvalidInput: it is a file, or a link stands on the way.
    """
    entries = tuple(islice(_entries(root, tuple(parts), depth), most + 1))
    return Listing(entries[:most], len(entries) <= most)


def _entries(root: Path, parts: tuple[str, ...], depth: int) -> Iterator[Entry]:
    """A folder's entries, each folder before what it holds. No descriptor stays open while the caller thinks."""
    with opened_folder(root, parts) as folder:
        found = sorted(_named(folder, parts), key=lambda entry: entry.path)
    for entry in found:
        yield entry
        below = (*parts, entry.path.rpartition("/")[2])
        if entry.kind == "folder" and depth > 1 and len(below) < MAX_DEPTH:
            try:
                yield from _entries(root, below, depth - 1)
            except NotFound:
                continue  # it was deleted while the others were listed


def _named(folder: int, parts: tuple[str, ...]) -> Iterator[Entry]:
    with os.scandir(folder) as names:
        for name in names:
            path = "/".join((*parts, name.name))
            try:
                parts_of(path)
                found = name.stat(follow_symlinks=False)
            except (InvalidInput, FileNotFoundError):
                continue
            kind = KINDS.get(stat.S_IFMT(found.st_mode), "other")
            yield Entry(path, kind, found.st_size if kind == "file" else 0)

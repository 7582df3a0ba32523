"""How often files were saved while a command ran: on an overlay a command sees a save at once, or not any more.

A change of the user's can be told from the command's if the command can have seen only one version of the file that is
not known. The kernel's inotify counts the saves. Where it cannot be had nothing is certain.
"""

import ctypes
import os
import struct
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

MOST_FOLDERS = 10_000
"""The kernel's own limit of watched folders is shared by all programs of a user."""
MODIFY, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x2, 0x8, 0x40, 0x80, 0x100, 0x200
OVERFLOW = 0x4000
WATCHED = MODIFY | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE
FLAGS = 0x01000000 | 0x02000000
"""Folders only, and no links."""
EVENT = struct.Struct("iIII")
READ_BYTES = 1 << 20


class Saves:
    """The saves below some folders, from now on until `close`."""

    def __init__(self, root: Path, folders: Iterable[str]) -> None:
        """Watch these folders, given relative to the root, without those below them."""
        self._folders: dict[int, str] = {}
        self._all: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._unfinished: set[str] = set()
        self._descriptor: int | None = None
        self._watch(root, sorted(set(folders)))

    def close(self) -> None:
        """Watch no longer."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def command_ended(self) -> None:
        """What is saved from now on the command has not seen."""
        self._take()
        self._seen = self._all.copy()
        self._seen.update(dict.fromkeys(self._unfinished, 2))

    def touched(self, path: str) -> bool:
        """Whether something was saved, made, moved or deleted at a path or above it while the command ran."""
        place = PurePosixPath(path)
        return any(str(each) in self._seen for each in (place, *place.parents))

    def is_certain(self, path: str) -> bool:
        """Whether the command can have seen of a file only what stood there before it, or what stands there now."""
        self._take()
        folder = str(PurePosixPath(path).parent)
        if self._descriptor is None or folder not in self._folders.values() or path in self._unfinished:
            return False
        if self.touched(folder):
            return False
        return self._seen[path] == 0 or (self._seen[path] == 1 and self._all[path] == 1)

    def _watch(self, root: Path, folders: list[str]) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        if len(folders) > MOST_FOLDERS or not hasattr(library, "inotify_init1"):
            return
        descriptor = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if descriptor < 0:
            return
        for folder in folders:
            number = library.inotify_add_watch(descriptor, os.fsencode(root / folder), WATCHED | FLAGS)
            if number < 0:
                os.close(descriptor)
                return
            self._folders[number] = folder
        self._descriptor = descriptor

    def _take(self) -> None:
        while self._descriptor is not None:
            try:
                data = os.read(self._descriptor, READ_BYTES)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                number, mask, _, length = EVENT.unpack_from(data, at)
                name = os.fsdecode(data[at + EVENT.size : at + EVENT.size + length].rstrip(b"\0"))
                at += EVENT.size + length
                if mask & OVERFLOW:
                    self.close()
                    return
                if number in self._folders and name:
                    self._count(str(PurePosixPath(self._folders[number], name)), mask)

    def _count(self, path: str, mask: int) -> None:
        if mask & (MODIFY | CREATE):
            self._unfinished.add(path)
        else:
            self._unfinished.discard(path)
            if mask & WATCHED:
                self._all[path] += 1

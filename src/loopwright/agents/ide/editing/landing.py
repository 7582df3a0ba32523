"""What a command's changes come to on the project as it is when the command has ended."""

import ctypes
import os
import stat
import struct
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path, PurePosixPath

from loopwright.agents.ide.protected import led_to, why_protected
from loopwright.agents.ide.sandbox import Entry, Survey
from loopwright.agents.ide.sandbox.layers import GRAIN_NS, mark_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kits.history.change_log import ChangeLog, Seen
from loopwright.kits.history.changing import Target
from loopwright.kits.history.fenced_files import (
    MAX_FILE_BYTES,
    State,
    file_state,
    joined_mode,
    link_state,
    observe,
    same,
)
from loopwright.kits.history.texts import merged

# How often files were saved while a command ran: on an overlay a command sees a save at once, or not any more.

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


MOST_KEPT_BYTES = 256 * 1024**2
"""Of one command's changes; the rest is written too, but its content is not kept for undoing an undo."""
SPECIAL_BITS = 0o7000


@dataclass(frozen=True)
class Before:
    """The project before a command: marks of all that is there, and the states of its files, whose content is kept.

    `saves` counts what is saved since.
    """

    survey: Survey
    seen: Mapping[str, Seen]
    saves: Saves


@dataclass
class Landing:
    """What is to be written, and what stands against it.

    `merged` are paths in which the user's changes of the meantime are kept. `protected` says why a path needs a
    permission of its own. `conflicts` say why a change cannot be made, and nothing of the command's is then;
    `left_out` what is not a file, folder or link that a project can have.
    """

    targets: list[Target] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    protected: dict[str, str] = field(default_factory=dict)
    conflicts: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def landing_of(
    root: Path, log: ChangeLog, entries: Sequence[Entry], before: Before, replaced: Mapping[str, bytes]
) -> Landing:
    """Compare what a command left with the project before it and now.

    Args:
        root: the project.
        log: has the contents of files as they were before.
        entries: what the command left.
        before: the project before it.
        replaced: what the command saw in place of the real content of some files.
    """
    folders = {path for path, mark in before.survey.marks.items() if stat.S_ISDIR(mark[4])}
    empty = folders - {str(Path(path).parent) for path in before.survey.marks}
    gone = {entry.path for entry in entries if entry.kind == "gone" and entry.path in folders}
    work = _Work(root, log, before, replaced, gone, empty)
    for entry in entries:
        if entry.path not in gone or entry.path in empty:  # others go with what was in them
            work.take(entry)
    work.refuse_twice_moved()
    there = before.survey.marks.keys() | {
        str(place) for each in entries for place in (Path(each.path), *Path(each.path).parents)
    }
    linked = led_to(root, (path for path, mark in before.survey.marks.items() if stat.S_ISLNK(mark[4])))
    for target in work.landing.targets:
        link = os.fsdecode(target.data) if target.after is not None and target.after.kind == "link" else None
        why = why_protected(target.path, link, there, linked)
        if why is not None:
            work.landing.protected[target.path] = why
    return work.landing


class _Work:
    """One comparison."""

    def __init__(
        self,
        root: Path,
        log: ChangeLog,
        before: Before,
        replaced: Mapping[str, bytes],
        gone: Container[str],
        empty: Container[str],
    ) -> None:
        self.landing = Landing()
        self._gone = gone
        self._empty = empty
        self._vanished: list[str] = []
        self._root = root
        self._log = log
        self._before = before
        self._replaced = replaced
        self._hidden = set(before.survey.hidden)
        self._kept = 0

    def take(self, entry: Entry) -> None:
        """Add what an entry comes to."""
        why = self._why_left_out(entry)
        if why is not None:
            self.landing.left_out[entry.path] = why
            return
        if self._is_hidden(entry.path):
            self.landing.conflicts[entry.path] = "holds secrets, which commands do not see"
            return
        if entry.place is not None and self._has_lost_its_folder(entry.path):
            self.landing.conflicts[entry.path] = "lies in a folder that somebody else has moved or deleted"
            return
        try:
            after = self._after(entry)
            now, data = observe(self._root, entry.path)
        except InvalidInput:
            self.landing.conflicts[entry.path] = "is no file any more"
            return
        if now is not None and now.kind == "folder" and "folder" not in (entry.kind, self._kind_before(entry.path)):
            now, data = None, b""  # what is in the folder has entries of its own
        elif now is not None and now.kind == "folder" and entry.place is not None and entry.kind != "folder":
            now = now if entry.path in self._empty else None
        self._compare(entry.path, replace(after, before=now), data)

    def refuse_twice_moved(self) -> None:
        """A file that both have taken away may stand elsewhere now: what the user deleted must not come back there."""
        if any(target.before is None and target.after is not None for target in self.landing.targets):
            self.landing.conflicts |= dict.fromkeys(self._vanished, "was moved or deleted by somebody else too")

    def _compare(self, path: str, target: Target, data: bytes) -> None:
        """Add the target, unless nothing has to be done; the user's change of the meantime is joined if it can be."""
        now, known, base, base_data = target.before, *self._base(path, target.before)
        if base and now and target.after and base.kind == now.kind == target.after.kind:
            mode = joined_mode(base.mode, now.mode, target.after.mode)
            target = replace(target, after=replace(target.after, mode=mode))
        if now is None and target.after is None and self._before.survey.marks.get(path) is not None:
            self._vanished.append(path)
        if same(now, target.after) or (known and same(base, target.after)):
            return
        if known and same(now, base) and path not in self._replaced:
            self.landing.targets.append(target)
            return
        joined = None
        if known and all(each is not None and each.kind == "file" for each in (base, now, target.after)):
            joined = merged(base_data, data, target.data)
        if joined is None or now is None or target.after is None:
            self.landing.conflicts[path] = "has been changed by somebody else in the meantime"
            return
        self.landing.merged.append(path)
        state = file_state(joined, target.after.mode)
        self.landing.targets.append(replace(target, after=state, data=joined, source=None, modified_ns=None))

    def _base(self, path: str, now: State | None) -> tuple[bool, State | None, bytes]:
        """Whether it is known what the command began with, and what that was; content only of what is not there.

        The mode is the one before the command, since the user may have changed it in the meantime.
        """
        if path in self._replaced:
            data = self._replaced[path]
            return True, file_state(data, now.mode if now is not None else 0o644), data
        mark = self._before.survey.marks.get(path)
        if mark is None:
            return not self._before.saves.touched(path), None, b""
        try:
            found = os.lstat(self._root / path)
        except OSError:
            found = None
        if found is not None and mark_of(found) == mark and self._before.survey.at_ns - mark[3] > GRAIN_NS:
            return True, now, b""
        seen = self._before.seen.get(path)
        if stat.S_ISDIR(mark[4]):
            return True, State("folder", stat.S_IMODE(mark[4]), ""), b""
        if seen is None or (seen.inode, seen.size, seen.modified_ns, seen.changed_ns) != mark[:4]:
            return False, None, b""
        content = self._log.content(seen.state)
        known = content is not None and self._before.saves.is_certain(path)
        return known, replace(seen.state, mode=stat.S_IMODE(mark[4]) & ~SPECIAL_BITS), content or b""

    def _has_lost_its_folder(self, path: str) -> bool:
        """Whether a folder above it was there before the command, and is not there now."""
        marks = self._before.survey.marks
        above = [str(each) for each in Path(path).parents][:-1]
        return any(
            each not in self._gone
            and stat.S_ISDIR(marks[each][4])
            and (os.path.islink(self._root / each) or not os.path.isdir(self._root / each))
            for each in above
            if each in marks
        )

    def _kind_before(self, path: str) -> str:
        mark = self._before.survey.marks.get(path)
        return "folder" if mark is not None and stat.S_ISDIR(mark[4]) else "other"

    def _after(self, entry: Entry) -> Target:
        """What the command left, without what stands there now."""
        if entry.place is None:
            above = [str(each) for each in Path(entry.path).parents]
            return Target(entry.path, None, None, folders=len(list(takewhile(self._gone.__contains__, above))))
        found = entry.place.lstat()
        mode = stat.S_IMODE(found.st_mode) & ~SPECIAL_BITS
        if entry.kind == "folder":
            return Target(entry.path, None, State("folder", mode, ""))
        if entry.kind == "link":
            data = os.fsencode(os.readlink(entry.place))
            return Target(entry.path, None, link_state(data), data)
        if found.st_size > MAX_FILE_BYTES or self._kept + found.st_size > MOST_KEPT_BYTES:
            state = State("large", mode, f"{found.st_size}-{found.st_mtime_ns}")
            return Target(entry.path, None, state, source=entry.place, modified_ns=found.st_mtime_ns)
        data = entry.place.read_bytes()
        self._kept += len(data)
        return Target(entry.path, None, file_state(data, mode), data, modified_ns=found.st_mtime_ns)

    def _why_left_out(self, entry: Entry) -> str | None:
        try:
            entry.path.encode("utf-8")
        except UnicodeEncodeError:
            return "has a name that is not UTF-8 text"
        return "is a pipe, a socket or a device" if entry.kind == "special" else None

    def _is_hidden(self, path: str) -> bool:
        names = path.split("/")
        return any("/".join(names[:depth]) in self._hidden for depth in range(1, len(names) + 1))

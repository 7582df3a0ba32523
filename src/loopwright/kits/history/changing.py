"""Writing several files as one: first into the log, then to the disk, so that death in between can be made good."""

import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loopwright.kernel.errors import Conflict, LoopwrightError
from loopwright.kits.history.change_log import Change, ChangeLog, SetKind, opened
from loopwright.kits.history.fenced_files import (
    Content,
    State,
    barrier,
    clear,
    file_state,
    missing_folders,
    observe,
    prepare,
    put,
    remove,
    remove_empty_folders,
    same,
    sweep,
)
from loopwright.kits.history.texts import merged

logger = logging.getLogger(__name__)

FEW = 16
"""So many files are brought to the disk one by one, more of them together."""
MOST_TRIES = 3
"""To take a file back that somebody else keeps changing."""


class HalfDone(Conflict):
    """A step could neither be done nor taken back as a whole: somebody else has changed `paths` at the same time."""

    def __init__(self, paths: Sequence[str]) -> None:
        """Take the files that stay as both have left them."""
        super().__init__(
            f"Somebody else has changed files while they were written; both changes are in {', '.join(paths)}.",
            hint="Read them again, and bring them to what they should be.",
        )
        self.paths = tuple(paths)


@dataclass(frozen=True)
class Target:
    """What shall stand under a path, and what must stand there before. `folders` above it go with it if empty.

    `source` is a file with the content where that is too large for `data`; `modified_ns` is the file's time stamp.
    """

    path: str
    before: State | None
    after: State | None
    data: bytes = b""
    folders: int = 0
    source: Path | None = None
    modified_ns: int | None = None

    @property
    def content(self) -> Content:
        """What it shall hold."""
        return Content(self.data, self.source, self.modified_ns)


class FileChanger:
    """Changes of one project's files. Whoever calls holds the project's lock."""

    def __init__(self, root: Path, file: Path) -> None:
        """Take the project's folder and the log's file."""
        self._root = root
        self._file = file

    def apply(
        self,
        owner: str,
        kind: SetKind,
        targets: Sequence[Target],
        *,
        key: str,
        account: Mapping[str, Any],
        reverts: Sequence[int] = (),
    ) -> None:
        """Bring all targets about, or none.

        Args:
            owner: whose changes they are.
            kind: what the set is, should it be made now.
            targets: one for each path.
            key: names this step, so that it is done once; see `account`.
            account: what is told of the step when it is asked for again.
            reverts: the change sets that this one undoes.

        Raises:
            Conflict: a file is not what it was when the change was thought out; nothing was changed.
            HalfDone: some files were changed all the same, and cannot be taken back.
            InvalidInput: a path cannot be used.
            Misconfigured: the disk does not take it; what had been written was taken back.
        """
        with opened(self._file) as log:
            changes = [self._planned(log, target) for target in targets]
            number = log.begin(owner, kind, reverts, changes)
            for change in changes:
                log.record(number, change)
            log.add_step(key, number, changes, account)
        written: list[Change] = []
        try:
            self._write(changes, {target.path: target.content for target in targets}, written)
        except Exception as error:
            left = self._take_back(key, number, changes, written)
            if left:
                raise HalfDone(left) from error
            raise
        with opened(self._file) as log:
            log.finish_step(key)

    def account(self, key: str) -> dict[str, Any] | None:
        """The account of a step that was done; None where it never was."""
        with opened(self._file) as log:
            step = log.step(key)
        return step[1] if step is not None else None

    def recover(self) -> None:
        """Bring steps to their end that died in the middle; those that cannot be any more are taken back.

        Whoever holds the project's lock does so first: a file that is half of a step is shown to nobody.
        """
        if not self._file.is_file():
            return
        with opened(self._file) as log:
            steps = log.open_steps()
        for key, number, changes in steps:
            for change in changes:
                sweep(self._root, change.path, change.before, change.after)
            try:
                self._write(changes, {}, [])
            except LoopwrightError as error:
                logger.warning("A step that was broken off is taken back: %s", error.message)
                self._take_back(key, number, changes, changes)
            else:
                with opened(self._file) as log:
                    log.finish_step(key)

    def _planned(self, log: ChangeLog, target: Target) -> Change:
        now, data = self._standing(target)
        if not same(now, target.before):
            raise Conflict(
                f"{target.path!r} has been changed in the meantime; nothing was written.", hint="Read it again."
            )
        if now is not None:
            log.keep(now, data)
        if target.after is not None:
            log.keep(target.after, target.data)
        created = now is None and target.after is not None
        folders = missing_folders(self._root, target.path) if created else target.folders
        return Change(target.path, now, target.after, folders, mixed=False)

    def _write(self, changes: Sequence[Change], contents: Mapping[str, Content], written: list[Change]) -> None:
        """Make the changes; `written` takes each that was made.

        What is deleted goes first, with the folders made for it: a file may take the place of a folder. All the new
        files lie on the disk beside their places before the first of them is put there.
        """
        few = len(changes) <= FEW
        for change in sorted(changes, key=lambda each: each.path, reverse=True):
            if change.after is None:
                due, now = self._due(change)
                if due:
                    remove(self._root, change.path, now, to_disk=few)
                    written.append(change)
        remove_empty_folders(self._root, ((change.path, change.folders) for change in changes if change.after is None))
        with ExitStack() as prepared:
            placed: list[tuple[Change, State | None, State]] = []
            for change in changes:
                due, now = self._due(change)
                if due and change.after is not None:
                    content = contents.get(change.path) or self._kept(change.path, change.after)
                    folder = prepare(self._root, change.path, change.after, content, to_disk=few)
                    if few:
                        prepared.callback(clear, folder, change.path, change.after)
                    else:
                        os.close(folder)  # descriptors are few
                    placed.append((change, now, change.after))
            if not few:
                barrier()
            for change, now, after in placed:
                put(self._root, change.path, now, after, to_disk=few)
                written.append(change)
        if not few:
            barrier()

    def _due(self, change: Change) -> tuple[bool, State | None]:
        """Whether a change has still to be made, and what stands there now."""
        now, _ = self._standing(change)
        if same(now, change.after):
            return False, now
        if not same(now, change.before) and not _half_written(now, change.after):
            raise Conflict(
                f"{change.path!r} was changed by somebody else while it was being written.", hint="Read it again."
            )
        return True, now

    def _standing(self, wanted: Target | Change) -> tuple[State | None, bytes]:
        """What stands there, but for a folder in place of a file: what is in it has changes of its own."""
        now, data = observe(self._root, wanted.path)
        folders = any(state is not None and state.kind == "folder" for state in (wanted.before, wanted.after))
        return (now, data) if folders or now is None or now.kind != "folder" else (None, b"")

    def _kept(self, path: str, state: State) -> Content:
        if state.kind == "folder":
            return Content()
        with opened(self._file) as log:
            data = log.content(state)
        if data is None:
            raise Conflict(f"The content of {path!r} was not kept.", hint="It was too large.")
        return Content(data)

    def _take_back(self, key: str, number: int, changes: Sequence[Change], written: Sequence[Change]) -> list[str]:
        """Undo the half of a step that may have been done; gives what cannot be, which stays in the log as it is."""
        left: set[str] = set()
        for change in sorted(changes, key=lambda each: each.before is not None):
            try:
                sweep(self._root, change.path, change.before, change.after)
                if change in written:
                    self._take_back_one(change)
            except LoopwrightError as error:
                left.add(change.path)
                logger.warning("%s could not be taken back: %s", change.path, error.message)
        remove_empty_folders(self._root, ((c.path, c.folders) for c in changes if c.before is None))
        with opened(self._file) as log:
            for change in changes:
                recorded = log.changes(number, change.path)[change.path]
                after = change.after if change.path in left else change.before
                log.overwrite(number, replace(recorded, after=after))
            log.drop_step(key)
            log.revert_nothing(number)
        return sorted(left)

    def _take_back_one(self, change: Change, tries: int = MOST_TRIES) -> None:
        """Bring back what stood there; what somebody else has written into ours meanwhile stays."""
        now, data = observe(self._root, change.path)
        if same(now, change.before):
            return
        wanted = change.before
        content = self._kept(change.path, wanted) if wanted is not None else Content()
        if not same(now, change.after):
            joined = None
            if now and wanted and change.after and {now.kind, wanted.kind, change.after.kind} == {"file"}:
                joined = merged(self._kept(change.path, change.after).data, data, content.data)
            if joined is None or now is None:
                raise Conflict(f"{change.path!r} was changed by somebody else.", hint="It stays as it is.")
            wanted, content = file_state(joined, now.mode), Content(joined)
        try:
            if wanted is None:
                remove(self._root, change.path, now)
            else:
                folder = prepare(self._root, change.path, wanted, content)
                with ExitStack() as prepared:
                    prepared.callback(clear, folder, change.path, wanted)
                    put(self._root, change.path, now, wanted)
        except Conflict:
            if tries == 1:
                raise
            self._take_back_one(change, tries - 1)


def _half_written(now: State | None, after: State | None) -> bool:
    """Whether only the permission bits are missing."""
    return now is not None and after is not None and (now.kind, now.digest) == (after.kind, after.digest)

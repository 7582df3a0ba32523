"""Writing several files as one: first into the ledger, then to the disk, so that death in between can be made good."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loopwright.agents.ide.editing.ledger import Change, Ledger, SetKind, opened
from loopwright.agents.ide.editing.states import (
    State,
    missing_folders,
    observe,
    put,
    remove,
    remove_empty_folders,
    same,
)
from loopwright.kernel.errors import Conflict, LoopwrightError

log = logging.getLogger(__name__)


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


class Changing:
    """Changes of one project's files. Whoever calls holds the project's lock."""

    def __init__(self, root: Path, file: Path) -> None:
        """Take the project's folder and the ledger's file."""
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
            key: names this step, so that it is done once; see `finish`.
            account: what is told of the step when it is asked for again.
            reverts: the change sets that this one undoes.

        Raises:
            Conflict: a file is not what it was when the change was thought out; nothing was changed.
            InvalidInput: a path cannot be used.
            Misconfigured: the disk does not take it; what had been written was taken back.
        """
        with opened(self._file) as ledger:
            changes = [self._planned(ledger, target) for target in targets]
            number = ledger.begin(owner, kind, reverts, changes)
            for change in changes:
                ledger.record(number, change)
            ledger.add_step(key, number, changes, account)
        try:
            self._write(changes, {target.path: target for target in targets})
        except Exception:
            self._take_back(key, number, changes)
            raise
        with opened(self._file) as ledger:
            ledger.finish_step(key)

    def finish(self, key: str) -> dict[str, Any] | None:
        """The account of a step that was begun, brought to its end; None where it never began.

        Raises:
            Conflict: a file that the step has not written yet has been changed by somebody else.
        """
        with opened(self._file) as ledger:
            step = ledger.step(key)
        if step is None:
            return None
        changes, account, done = step
        if not done:
            self._write(changes)
            with opened(self._file) as ledger:
                ledger.finish_step(key)
        return account

    def drop_open_steps(self, ledger: Ledger) -> None:
        """Let go of steps that died in the middle: their sets then say what has come of them."""
        for key, number, changes in ledger.open_steps():
            self._settle(ledger, key, number, changes)

    def _planned(self, ledger: Ledger, target: Target) -> Change:
        now, data = self._standing(target)
        if not same(now, target.before):
            raise Conflict(
                f"{target.path!r} has been changed in the meantime; nothing was written.", hint="Read it again."
            )
        if now is not None:
            ledger.keep(now, data)
        if target.after is not None:
            ledger.keep(target.after, target.data)
        created = now is None and target.after is not None
        folders = missing_folders(self._root, target.path) if created else target.folders
        return Change(target.path, now, target.after, folders, mixed=False)

    def _write(self, changes: Sequence[Change], targets: Mapping[str, Target] | None = None) -> None:
        """What is deleted goes first, with the folders made for it: a file may take the place of a folder."""
        contents = self._contents(change.after for change in changes)
        deleted = sorted(
            (change for change in changes if change.after is None), key=lambda each: each.path, reverse=True
        )
        for change in deleted:
            self._write_one(change, contents)
        remove_empty_folders(self._root, ((change.path, change.folders) for change in deleted))
        for change in changes:
            if change.after is not None:
                self._write_one(change, contents, (targets or {}).get(change.path))

    def _write_one(self, change: Change, contents: Mapping[State, bytes], target: Target | None = None) -> None:
        now, _ = self._standing(change)
        if same(now, change.after):
            return
        if not same(now, change.before) and not _half_written(now, change.after):
            raise Conflict(
                f"{change.path!r} was changed by somebody else while it was being written.", hint="Read it again."
            )
        self._bring_about(change.path, change.after, contents, target)

    def _standing(self, wanted: Target | Change) -> tuple[State | None, bytes]:
        """What stands there, but for a folder in place of a file: what is in it has changes of its own."""
        now, data = observe(self._root, wanted.path)
        folders = any(state is not None and state.kind == "folder" for state in (wanted.before, wanted.after))
        return (now, data) if folders or now is None or now.kind != "folder" else (None, b"")

    def _contents(self, states: Iterable[State | None]) -> dict[State, bytes]:
        with opened(self._file) as ledger:
            found = {state: ledger.content(state) for state in states if state is not None}
        return {state: content for state, content in found.items() if content is not None}

    def _bring_about(
        self, path: str, state: State | None, contents: Mapping[State, bytes], target: Target | None = None
    ) -> None:
        if state is None:
            remove(self._root, path)
        elif target is not None:
            put(self._root, path, state, target.data, target.source, target.modified_ns)
        elif state.kind == "folder" or state in contents:
            put(self._root, path, state, contents.get(state, b""))
        else:
            raise Conflict(f"The content of {path!r} was not kept.", hint="It was too large.")

    def _take_back(self, key: str, number: int, changes: Sequence[Change]) -> None:
        """Undo the half of a step that could be done; what cannot be taken back stays in the ledger as it is."""
        contents = self._contents(change.before for change in changes)
        for change in sorted(changes, key=lambda each: each.before is not None):
            try:
                now, _ = observe(self._root, change.path)
                if same(now, change.after) and not same(now, change.before):
                    self._bring_about(change.path, change.before, contents)
            except LoopwrightError as error:
                log.warning("%s could not be taken back: %s", change.path, error.message)
        remove_empty_folders(self._root, ((c.path, c.folders) for c in changes if c.before is None))
        with opened(self._file) as ledger:
            self._settle(ledger, key, number, changes)

    def _settle(self, ledger: Ledger, key: str, number: int, changes: Sequence[Change]) -> None:
        for change in changes:
            recorded = ledger.changes(number, change.path)[change.path]
            now, data = observe(self._root, change.path)
            if now is not None:
                ledger.keep(now, data)
            known = same(now, change.before) or same(now, change.after)
            ledger.overwrite(number, replace(recorded, after=now, mixed=recorded.mixed or not known))
        ledger.drop_step(key)
        ledger.revert_nothing(number)


def _half_written(now: State | None, after: State | None) -> bool:
    """Whether only the permission bits are missing."""
    return now is not None and after is not None and (now.kind, now.digest) == (after.kind, after.digest)

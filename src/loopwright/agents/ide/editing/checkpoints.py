"""Checkpoints: all that a run has changed can be undone as one, without git and without touching the user's git.

Nothing is written into a repository: the contents lie in the agent's own state folder, so git's index, stash, branches,
hooks and filters have no part in it. Files that git ignores are left alone unless a tool named them.
"""

import asyncio
import fcntl
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from loopwright.agents.ide.editing.changing import Changing, Target
from loopwright.agents.ide.editing.commands import account_for_command, remember_before_command
from loopwright.agents.ide.editing.diffs import unified_diff
from loopwright.agents.ide.editing.ledger import ChangeSet, Ledger, SetKind, opened
from loopwright.agents.ide.editing.reverting import reversal_of
from loopwright.agents.ide.editing.states import NEW_FILE_MODE, State, file_state, observe, same
from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.files.state_folder import make_state_folder
from loopwright.kernel.errors import Conflict, NotFound

FILE, LOCK = "changes.db", "changes.lock"
SHOWN_PATHS = 10


@dataclass(frozen=True)
class Edit:
    """A file's content before and after; None is no file. `mode` is given where the permission bits change."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None


@dataclass(frozen=True)
class Checkpoint:
    """What can be undone: its id (a run's own, or of an undoing), when it began, the paths it changed."""

    id: str
    kind: SetKind
    at: datetime
    paths: tuple[str, ...]
    undone: bool


@dataclass(frozen=True)
class Reverted:
    """What an undoing did. `checkpoint` undoes it in turn; `lost` are large files that could not be brought back."""

    checkpoint: str | None
    paths: tuple[str, ...]
    lost: tuple[str, ...]


class Checkpoints:
    """The checkpoints of one project."""

    def __init__(self, files: ProjectFiles, state_folder: Path) -> None:
        """Keep where things are; nothing is written before the first change."""
        self._files = files
        self._folder = state_folder
        self._file = state_folder / FILE
        self._changing = Changing(files, self._file)

    async def before_change(self, run_id: str) -> None:
        """Remember all files of the project: a command is going to run that may change any of them."""
        await asyncio.to_thread(self._before_change, run_id)

    async def after_change(self, run_id: str) -> None:
        """Account for what the command has changed since `before_change`."""
        await asyncio.to_thread(self._settled, run_id)

    async def apply(self, run_id: str, edits: Sequence[Edit], *, key: str, account: Mapping[str, Any]) -> None:
        """Write files as one: all of them, or none.

        Args:
            run_id: whose changes they are.
            edits: one for each path, with what its author has read there.
            key: names the step (a call's idempotency key), so that `finish` finds it after a crash.
            account: what `finish` gives then.

        Raises:
            Conflict: a file is not any more what the edit began with; nothing was changed.
            InvalidInput: a path cannot be used, or a content is too large.
            Misconfigured: the disk does not take it; what had been written was taken back.
        """
        await asyncio.to_thread(self._apply, run_id, edits, key, account)

    async def finish(self, key: str) -> dict[str, Any] | None:
        """The account of a step that `apply` began before a crash, brought to its end; None where there is none.

        Raises:
            Conflict: somebody else has changed a file that was not written yet.
        """
        return await asyncio.to_thread(self._finish, key)

    async def changed_by(self, run_id: str) -> list[str]:
        """The paths that a run has left other than it found them, in order."""
        await asyncio.to_thread(self._settled, run_id)
        checkpoint = next((each for each in await self.list() if each.id == run_id), None)
        return list(checkpoint.paths) if checkpoint is not None else []

    async def list(self) -> Sequence[Checkpoint]:
        """What can be undone, newest first; runs that changed nothing are left out."""
        return await asyncio.to_thread(self._list)

    async def diff(self, checkpoint_id: str) -> str:
        """What a run or an undoing changed, in git's format.

        Raises:
            NotFound: there is no such checkpoint.
        """
        return await asyncio.to_thread(self._diff, checkpoint_id)

    async def undo(self, checkpoint_id: str | None = None, *, force: bool = False) -> Reverted:
        """Undo all that a run has changed, as one; without an id the last run that has not been undone.

        Args:
            checkpoint_id: the run's id, or of an undoing that is to be undone; its beginning is enough.
            force: overwrite also what was changed since; the undoing can be undone.

        Raises:
            NotFound: there is nothing to undo.
            Conflict: files were changed since, or were too large to keep; nothing was changed.
        """
        return await asyncio.to_thread(self._undo, checkpoint_id, force)

    async def restore(self, checkpoint_id: str, *, force: bool = False) -> Reverted:
        """Bring the files back to where they were before this checkpoint: it and all later ones are undone.

        Raises:
            NotFound: there is no such checkpoint.
            Conflict: as for `undo`.
        """
        return await asyncio.to_thread(self._restore, checkpoint_id, force)

    def _before_change(self, run_id: str) -> None:
        self._settled(run_id)
        with self._locked(), opened(self._file) as ledger:
            remember_before_command(self._files, ledger, run_id, self._now_ns())

    def _settled(self, run_id: str | None = None) -> None:
        """Account for commands that ended, or died, without it: of one run, or of all."""
        if not self._file.is_file():
            return
        with self._locked(), opened(self._file) as ledger:
            for change_set in ledger.change_sets():
                if run_id in (None, change_set.id) and change_set.number in ledger.baselines():
                    account_for_command(self._files, ledger, change_set.number, self._now_ns())

    def _apply(self, run_id: str, edits: Sequence[Edit], key: str, account: Mapping[str, Any]) -> None:
        with self._locked():
            targets = [_target(self._files, edit) for edit in edits]
            self._changing.apply(run_id, "run", targets, key=key, account=account)

    def _finish(self, key: str) -> dict[str, Any] | None:
        if not self._file.is_file():
            return None
        with self._locked():
            return self._changing.finish(key)

    def _list(self) -> Sequence[Checkpoint]:
        if not self._file.is_file():
            return []
        with self._locked(), opened(self._file) as ledger:
            found = [
                Checkpoint(each.id, each.kind, each.at, _changed(ledger, each), each.undone)
                for each in reversed(ledger.change_sets())
            ]
        return [checkpoint for checkpoint in found if checkpoint.paths]

    def _diff(self, checkpoint_id: str) -> str:
        with self._locked(), opened(self._file) as ledger:
            number = _find(ledger, checkpoint_id).number
            changes = ledger.changes(number)
            return "".join(
                unified_diff(path, _shown(ledger, changes[path].before), _shown(ledger, changes[path].after))
                for path in sorted(changes)
            )

    def _undo(self, checkpoint_id: str | None, force: bool) -> Reverted:
        self._settled()
        with self._locked():
            with opened(self._file) as ledger:
                chosen = _find(ledger, checkpoint_id) if checkpoint_id is not None else _last(ledger)
            if chosen.undone:
                raise Conflict(f"{chosen.id} is undone already.", hint="See the list of checkpoints.")
            return self._revert("undo", [chosen], force)

    def _restore(self, checkpoint_id: str, force: bool) -> Reverted:
        self._settled()
        with self._locked():
            with opened(self._file) as ledger:
                first = _find(ledger, checkpoint_id)
                chosen = [each for each in ledger.change_sets() if each.number >= first.number]
            return self._revert("restore", chosen, force)

    def _revert(self, kind: SetKind, chosen: Sequence[ChangeSet], force: bool) -> Reverted:
        with opened(self._file) as ledger:
            self._changing.drop_open_steps(ledger)
            reversal = reversal_of(self._files, ledger, [each.number for each in chosen])
        if not force:
            _refuse("were changed by somebody else since", reversal.conflicts)
            _refuse("were too large to keep", reversal.lost)
        paths = tuple(target.path for target in reversal.targets)
        identifier = f"{kind}-{uuid.uuid4().hex[:12]}" if paths else None
        if identifier is not None:
            reverts = [each.id for each in chosen]
            self._changing.apply(identifier, kind, reversal.targets, key=identifier, account={}, reverts=reverts)
        with opened(self._file) as ledger:
            ledger.mark_undone([each.id for each in chosen], undone=True)
            if kind == "undo":
                ledger.mark_undone(chosen[0].reverts, undone=False)
        return Reverted(identifier, paths, tuple(reversal.lost))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """The project for one writer at a time; a dead process holds nothing."""
        make_state_folder(self._files.root, self._folder)
        with (self._folder / LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _now_ns(self) -> int:
        """The file system's own time: its clock may lag behind the process's."""
        os.utime(self._folder / LOCK)
        return (self._folder / LOCK).stat().st_ctime_ns


def _target(files: ProjectFiles, edit: Edit) -> Target:
    now, _ = observe(files, edit.path)
    present = now.mode if now is not None and now.kind == "file" else NEW_FILE_MODE
    before = file_state(edit.before, present) if edit.before is not None else None
    after = file_state(edit.after, edit.mode if edit.mode is not None else present) if edit.after is not None else None
    return Target(edit.path, before, after, edit.after or b"")


def _changed(ledger: Ledger, change_set: ChangeSet) -> tuple[str, ...]:
    changes = ledger.changes(change_set.number).values()
    return tuple(sorted(change.path for change in changes if not same(change.before, change.after)))


def _find(ledger: Ledger, identifier: str) -> ChangeSet:
    found = [each for each in ledger.change_sets() if each.id.startswith(identifier)]
    exact = [each for each in found if each.id == identifier]
    if len(exact or found) != 1 or not identifier:
        what = "There is no checkpoint" if not found else "More than one checkpoint begins with"
        raise NotFound(f"{what} {identifier!r}.", hint="See the list of checkpoints.")
    return (exact or found)[0]


def _last(ledger: Ledger) -> ChangeSet:
    runs = (each for each in reversed(ledger.change_sets()) if each.kind == "run" and not each.undone)
    found = next((each for each in runs if _changed(ledger, each)), None)
    if found is None:
        raise NotFound("There is nothing to undo.", hint="See the list of checkpoints.")
    return found


def _shown(ledger: Ledger, state: State | None) -> bytes | None:
    if state is None:
        return None
    content = ledger.content(state)
    return content if content is not None else f"(not kept: {state.digest})\n".encode()


def _refuse(why: str, paths: Sequence[str]) -> None:
    if paths:
        more = f" and {len(paths) - SHOWN_PATHS} more" if len(paths) > SHOWN_PATHS else ""
        raise Conflict(
            f"Nothing was undone: {', '.join(paths[:SHOWN_PATHS])}{more} {why}.",
            hint="With force the others go back all the same, and what stands there now is kept as a checkpoint.",
        )

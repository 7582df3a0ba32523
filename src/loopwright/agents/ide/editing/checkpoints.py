"""Checkpoints: all that a run has changed can be undone as one, without git and without touching the user's git.

The contents lie in the agent's own state folder, so git's index, stash, branches, hooks and filters have no part in it.
What a command changed is known exactly, ignored files and repositories' own ones too, since it worked on a layer. What
happened while one ran outside the sandbox is kept as well, but marked: nobody can tell whose changes they were.
"""

import asyncio
import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loopwright.agents.ide.editing.changing import Changing, Target
from loopwright.agents.ide.editing.edits import Checkpoint, Edit, Reverted
from loopwright.agents.ide.editing.landing import Before, Landing, landing_of
from loopwright.agents.ide.editing.ledger import opened
from loopwright.agents.ide.editing.saves import Saves
from loopwright.agents.ide.editing.scanning import scan
from loopwright.agents.ide.editing.states import NEW_FILE_MODE, Kind, State, file_state, link_state, observe
from loopwright.agents.ide.editing.unconfined import account_for_command, remember_before_command
from loopwright.agents.ide.editing.undoing import Undoing
from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.files.state_folder import make_state_folder
from loopwright.agents.ide.sandbox import Entry, survey

FILE, LOCK = "changes.db", "changes.lock"


class Checkpoints:
    """The checkpoints of one project."""

    def __init__(self, files: ProjectFiles, state_folder: Path) -> None:
        """Keep where things are; nothing is written before the first change."""
        self._files = files
        self._folder = state_folder
        self._file = state_folder / FILE
        self._changing = Changing(files.root, self._file)
        self._undoing = Undoing(files.root, self._file, self._changing)

    async def before_unconfined(self, run_id: str) -> None:
        """Remember all files of the project: a command is going to run in it that may change any of them."""
        await asyncio.to_thread(self._before_unconfined, run_id)

    async def after_unconfined(self, run_id: str) -> None:
        """Account for what has changed since `before_unconfined`, by whomever."""
        await asyncio.to_thread(self._settled, run_id)

    def before_command(self) -> Before:
        """The project before a command on a layer; the call blocks on the disk.

        It is surveyed once more when the saves are being counted: a save before that shows in the marks.
        """
        with self._locked(), opened(self._file) as ledger:
            marks = survey(self._files.root).marks
            seen = scan(self._files, marks, ledger.seen(), ledger.keep, self._now_ns())
            ledger.remember_seen(seen)
        saves = Saves(self._files.root, ("." if "/" not in path else path.rpartition("/")[0] for path in seen))
        return Before(survey(self._files.root), seen, saves)

    @contextmanager
    def landing(self, entries: Sequence[Entry], before: Before, replaced: Mapping[str, bytes]) -> Iterator[Landing]:
        """What a command's changes come to now; no other run writes meanwhile. The call blocks on the disk."""
        with self._locked():
            with opened(self._file) as ledger:
                found = landing_of(self._files.root, ledger, entries, before, replaced)
            yield found

    def write(self, run_id: str, targets: Sequence[Target], *, key: str, account: Mapping[str, Any]) -> None:
        """Write what a landing has found, within it; raises as `apply`."""
        self._changing.apply(run_id, "run", targets, key=key, account=account)

    async def apply(
        self, run_id: str, edits: Sequence[Edit], *, key: str, account: Mapping[str, Any], held: bool = False
    ) -> None:
        """Write files as one: all of them, or none.

        Args:
            run_id: whose changes they are.
            edits: one for each path, with what its author has read there.
            key: names the step (a call's idempotency key), so that `finish` finds it after a crash.
            account: what `finish` gives then.
            held: whether they are what a command left and the user has agreed to, wherever in the project that lies.

        Raises:
            Conflict: a file is not any more what the edit began with; nothing was changed.
            InvalidInput: a path cannot be used, or a content is too large.
            Misconfigured: the disk does not take it; what had been written was taken back.
        """
        await asyncio.to_thread(self._apply, run_id, edits, key, account, held)

    async def finish(self, key: str) -> dict[str, Any] | None:
        """The account of a step that `apply` began before a crash, brought to its end.

        None where there is none, or where it was taken back since somebody else has changed one of its files.
        """
        return await asyncio.to_thread(self._finish, key)

    async def changed_by(self, run_id: str) -> list[str]:
        """The paths that a run has left other than it found them, in order."""
        await asyncio.to_thread(self._settled, run_id)
        checkpoint = next((each for each in await self.list() if each.id == run_id), None)
        return list(checkpoint.paths) if checkpoint is not None and not checkpoint.undone else []

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

    def planned_restore(self, checkpoint_id: str) -> Sequence[Edit]:
        """What `restore` would change now; the call blocks on the disk.

        Raises:
            NotFound: there is no such checkpoint.
            Conflict: it would be refused.
        """
        self._settled()
        with self._locked():
            return self._undoing.planned_restore(checkpoint_id)

    def _before_unconfined(self, run_id: str) -> None:
        self._settled(run_id)
        with self._locked(), opened(self._file) as ledger:
            remember_before_command(self._files, ledger, run_id, self._now_ns())

    def _settled(self, run_id: str | None = None) -> None:
        """Account for commands that ended, or died, without it: of one run, or of all."""
        if not self._file.is_file():
            return
        with self._locked(), opened(self._file) as ledger:
            for change_set in ledger.change_sets():
                if run_id in (None, change_set.owner) and change_set.number in ledger.baselines():
                    account_for_command(self._files, ledger, change_set.number, self._now_ns())

    def _apply(
        self, run_id: str, edits: Sequence[Edit], key: str, account: Mapping[str, Any], held: bool = False
    ) -> None:
        with self._locked():
            targets = [
                _target(self._files.root, edit.path if held else self._files.check(edit.path), edit) for edit in edits
            ]
            self._changing.apply(run_id, "run", targets, key=key, account=account)

    def _finish(self, key: str) -> dict[str, Any] | None:
        if not self._file.is_file():
            return None
        with self._locked():
            return self._changing.account(key)

    def _list(self) -> Sequence[Checkpoint]:
        if not self._file.is_file():
            return []
        with self._locked():
            return self._undoing.checkpoints()

    def _diff(self, checkpoint_id: str) -> str:
        with self._locked():
            return self._undoing.diff(checkpoint_id)

    def _undo(self, checkpoint_id: str | None, force: bool) -> Reverted:
        self._settled()
        with self._locked():
            return self._undoing.undo(checkpoint_id, force)

    def _restore(self, checkpoint_id: str, force: bool) -> Reverted:
        self._settled()
        with self._locked():
            return self._undoing.restore(checkpoint_id, force)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """The project for one writer at a time. A dead process holds nothing, and what it left half done is settled."""
        make_state_folder(self._folder)
        with (self._folder / LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._changing.recover()
            yield

    def _now_ns(self) -> int:
        """The file system's own time: its clock may lag behind the process's."""
        os.utime(self._folder / LOCK)
        return (self._folder / LOCK).stat().st_ctime_ns


def _target(root: Path, path: str, edit: Edit) -> Target:
    now, _ = observe(root, path)
    present = now.mode if now is not None and now.kind == "file" else NEW_FILE_MODE
    before = _state(edit.before_kind, edit.before, present)
    after = _state(edit.kind, edit.after, edit.mode if edit.mode is not None else present)
    return Target(path, before, after, edit.after or b"")


def _state(kind: Kind, data: bytes | None, mode: int) -> State | None:
    if data is None:
        return None
    if kind == "folder":
        return State("folder", mode, "")
    return link_state(data) if kind == "link" else file_state(data, mode)

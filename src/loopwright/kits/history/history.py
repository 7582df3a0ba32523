"""The history of a folder's files: change sets of several files at once, undone as one, redone by undoing the undoing.

The contents lie in a state folder outside of the files, so git's index, stash, branches, hooks and filters have no part
in it. Whoever writes says what it has read: a file that somebody else has changed since is not overwritten.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loopwright.kernel.files import exclusive_lock, make_private_folder
from loopwright.kits.history.change_log import Checkpoint, Edit, Reverted
from loopwright.kits.history.changing import FileChanger, Target
from loopwright.kits.history.fenced_files import NEW_FILE_MODE, Kind, State, file_state, link_state, observe
from loopwright.kits.history.undoing import Undoing

FILE, LOCK = "changes.db", "changes.lock"


class ChangeHistory:
    """The changes of one folder's files.

    Args:
        root: the folder.
        state_folder: where the history is kept, outside of `root`; made with mode 0700 at the first change.
        check: gives the plain form of a path that may be written, and raises InvalidInput for any other.
        make_folder: makes the state folder; must leave one alone that is there.
    """

    def __init__(
        self,
        root: Path,
        state_folder: Path,
        check: Callable[[str], str],
        make_folder: Callable[[Path], None] = make_private_folder,
    ) -> None:
        """Keep where things are; nothing is written before the first change."""
        self._root = root
        self._folder = state_folder
        self._file = state_folder / FILE
        self._check = check
        self._make_folder = make_folder
        self._changing = FileChanger(root, self._file)
        self._undoing = Undoing(root, self._file, self._changing)

    async def apply(
        self, owner: str, edits: Sequence[Edit], *, key: str, account: Mapping[str, Any], checked: bool = False
    ) -> None:
        """Write files as one: all of them, or none.

        Args:
            owner: whose changes they are, such as a run's id.
            edits: one for each path, with what its author has read there.
            key: names the step (a call's idempotency key), so that `finish` finds it after a crash.
            account: what `finish` gives then.
            checked: whether the paths have been checked already, so that `check` is not asked.

        Raises:
            Conflict: a file is not any more what the edit began with; nothing was changed.
            InvalidInput: a path cannot be used, or a content is too large.
            Misconfigured: the disk does not take it; what had been written was taken back.
        """
        await asyncio.to_thread(self._apply, owner, edits, key, account, checked)

    async def finish(self, key: str) -> dict[str, Any] | None:
        """The account of a step that `apply` began before a crash, brought to its end.

        None where there is none, or where it was taken back since somebody else has changed one of its files.
        """
        return await asyncio.to_thread(self._finish, key)

    async def list(self) -> Sequence[Checkpoint]:
        """What can be undone, newest first; those that changed nothing are left out."""
        return await asyncio.to_thread(self._list)

    async def diff(self, checkpoint_id: str) -> str:
        """What an owner or an undoing changed, in git's format.

        Raises:
            NotFound: there is no such checkpoint.
        """
        return await asyncio.to_thread(self._diff, checkpoint_id)

    async def undo(self, checkpoint_id: str | None = None, *, force: bool = False) -> Reverted:
        """Undo all that an owner has changed, as one; without an id that of the last one that has not been undone.

        Args:
            checkpoint_id: the owner's id, or that of an undoing that is to be undone; its beginning is enough.
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

    def _settled(self, owner: str | None = None) -> None:
        """Record changes that were made beside `apply`, of one owner or of all; nothing here makes such changes."""

    def _apply(self, owner: str, edits: Sequence[Edit], key: str, account: Mapping[str, Any], checked: bool) -> None:
        with self._locked():
            targets = [_target(self._root, edit.path if checked else self._check(edit.path), edit) for edit in edits]
            self._changing.apply(owner, "run", targets, key=key, account=account)

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
        """The folder for one writer at a time. A dead process holds nothing, and what it left half done is settled."""
        self._make_folder(self._folder)
        with exclusive_lock(self._folder / LOCK):
            self._changing.recover()
            yield


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

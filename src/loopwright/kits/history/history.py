"""The history of a folder's files: change sets of several files at once, undone as one, redone by undoing the undoing.

The contents lie in a state folder outside of the files, so git's index, stash, branches, hooks and filters have no part
in it. Whoever writes says what it has read: a file that somebody else has changed since is not overwritten.
"""

import asyncio
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kernel.files import exclusive_lock, make_private_folder
from loopwright.kits.history.change_log import Change, ChangeLog, ChangeSet, Checkpoint, Edit, Reverted, SetKind, opened
from loopwright.kits.history.changing import FileChanger, Target
from loopwright.kits.history.fenced_files import NEW_FILE_MODE, Kind, State, file_state, link_state, observe, same
from loopwright.kits.history.texts import merged, unified_diff

# Undoing change sets, and telling what there is to undo.
#
# How change sets are undone: which files go back to what, and which cannot.


@dataclass
class Reversal:
    """The targets, the paths that somebody else has changed since, and those whose content was not kept."""

    targets: list[Target] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def combined_changes(log: ChangeLog, numbers: Sequence[int]) -> dict[str, Change]:
    """What change sets, given by their numbers, oldest first, have done together."""
    return {path: _whole(changes) for path, changes in _by_path(log, numbers).items()}


def reversal_of(root: Path, log: ChangeLog, numbers: Sequence[int]) -> Reversal:
    """How to undo change sets: each path goes back to what it was before the first of them.

    Where somebody else has changed a text before, between or since, their change stays and only that of the sets is
    taken back. It is a conflict where both changed the same lines, where it is no text, or where it is not certain
    whose change it was.
    """
    reversal = Reversal()
    for changes in _by_path(log, numbers).values():
        _revert(root, log, changes, reversal)
    return reversal


def _by_path(log: ChangeLog, numbers: Sequence[int]) -> dict[str, list[Change]]:
    """For each path the changes in their order; those with nothing between them are one."""
    found: dict[str, list[Change]] = {}
    for number in numbers:
        for path, change in log.changes(number).items():
            earlier = found.setdefault(path, [])
            if earlier and same(earlier[-1].after, change.before):
                earlier[-1] = _whole([earlier[-1], change])
            else:
                earlier.append(change)
    return {path: found[path] for path in sorted(found)}


def _whole(changes: Sequence[Change]) -> Change:
    first, last = changes[0], changes[-1]
    folders = max(change.folders for change in changes)
    return Change(first.path, first.before, last.after, folders, any(change.mixed for change in changes))


def _revert(root: Path, log: ChangeLog, changes: Sequence[Change], reversal: Reversal) -> None:
    change = _whole(changes)
    now, data = observe(root, change.path)
    standing = now if not _is_folder(now) or _is_folder(change.before) or _is_folder(change.after) else None
    if same(standing, change.before):
        if standing is None and change.folders:  # it came and went, and the folders that were made for it stayed
            reversal.targets.append(Target(change.path, now, None, folders=change.folders))
        return
    first = _content(log, change.before)
    if first is None:
        reversal.lost.append(change.path)
        return
    earlier = None if change.mixed else _without(log, changes, standing, data)
    if earlier is None:
        reversal.conflicts.append(change.path)
        earlier = (change.before, first)
    reversal.targets.append(Target(change.path, standing, *earlier, change.folders))


def _without(
    log: ChangeLog, changes: Sequence[Change], state: State | None, data: bytes
) -> tuple[State | None, bytes] | None:
    """What a path would be without the changes, newest first; None where they cannot be told from somebody else's."""
    for change in reversed(changes):
        content = _content(log, change.before)
        if content is None:
            return None
        if same(state, change.after):
            state, data = change.before, content
        elif not same(state, change.before):
            joined = _joined(log, change, state, data, content)
            if joined is None or state is None:
                return None
            state, data = replace(file_state(joined), mode=state.mode), joined
    return state, data


def _joined(log: ChangeLog, change: Change, state: State | None, data: bytes, before: bytes) -> bytes | None:
    if any(each is None or each.kind != "file" for each in (state, change.before, change.after)):
        return None
    after = _content(log, change.after)
    return None if after is None else merged(after, data, before)


def _content(log: ChangeLog, state: State | None) -> bytes | None:
    return b"" if state is None or _is_folder(state) else log.content(state)


def _is_folder(state: State | None) -> bool:
    return state is not None and state.kind == "folder"


SHOWN_PATHS = 10


class Undoing:
    """Undoing in one project. Whoever calls holds the project's lock."""

    def __init__(self, root: Path, file: Path, changing: FileChanger) -> None:
        """Take the project's folder, the log's file, and who writes."""
        self._root = root
        self._file = file
        self._changing = changing

    def checkpoints(self) -> list[Checkpoint]:
        """Newest first; those that changed nothing are left out."""
        with opened(self._file) as log:
            by_owner: dict[str, list[ChangeSet]] = {}
            for change_set in reversed(log.change_sets()):
                by_owner.setdefault(change_set.owner, []).insert(0, change_set)
            found = [_checkpoint(log, sets) for sets in by_owner.values()]
        return [checkpoint for checkpoint in found if checkpoint.paths]

    def diff(self, checkpoint_id: str) -> str:
        """What it changed.

        Raises:
            NotFound: there is no such checkpoint.
        """
        with opened(self._file) as log:
            changes = combined_changes(log, [each.number for each in _find(log, checkpoint_id)])
            return "".join(
                unified_diff(path, _shown(log, change.before), _shown(log, change.after))
                for path, change in changes.items()
            )

    def undo(self, checkpoint_id: str | None, force: bool) -> Reverted:
        """Undo one; see `Checkpoints.undo`."""
        with opened(self._file) as log:
            sets = _find(log, checkpoint_id) if checkpoint_id is not None else _last(log)
        chosen = [each for each in sets if not each.undone]
        if not chosen:
            raise Conflict(f"{sets[0].owner} is undone already.", hint="See the list of checkpoints.")
        return self._revert("undo", chosen, force)

    def restore(self, checkpoint_id: str, force: bool) -> Reverted:
        """Undo one and all later ones; see `Checkpoints.restore`."""
        with opened(self._file) as log:
            chosen = _since(log, checkpoint_id)
        return self._revert("restore", chosen, force)

    def planned_restore(self, checkpoint_id: str) -> list[Edit]:
        """What `restore` would change now.

        Raises:
            NotFound: there is no such checkpoint.
            Conflict: it would be refused.
        """
        with opened(self._file) as log:
            numbers = [each.number for each in _since(log, checkpoint_id)]
            reversal = reversal_of(self._root, log, numbers)
        _refuse(reversal.conflicts, reversal.lost)
        edits = []
        for target in reversal.targets:
            now, data = observe(self._root, target.path)
            edits.append(Edit(target.path, data if now else None, target.data if target.after else None))
        return edits

    def _revert(self, kind: SetKind, chosen: Sequence[ChangeSet], force: bool) -> Reverted:
        numbers = [each.number for each in chosen]
        with opened(self._file) as log:
            reversal = reversal_of(self._root, log, numbers)
        if not force:
            _refuse(reversal.conflicts, reversal.lost)
        owner = f"{kind}-{uuid.uuid4().hex[:12]}"
        self._changing.apply(owner, kind, reversal.targets, key=owner, account={}, reverts=numbers)
        paths = tuple(target.path for target in reversal.targets if not same(target.before, target.after))
        return Reverted(owner if paths else None, paths, tuple(reversal.lost))


def _checkpoint(log: ChangeLog, sets: Sequence[ChangeSet]) -> Checkpoint:
    undone = all(each.undone for each in sets)
    changes = combined_changes(log, [each.number for each in sets if undone or not each.undone])
    paths = tuple(path for path, change in changes.items() if not same(change.before, change.after))
    return Checkpoint(sets[0].owner, sets[0].kind, sets[0].at, paths, undone)


def _find(log: ChangeLog, identifier: str) -> list[ChangeSet]:
    sets = log.change_sets()
    owners = {each.owner for each in sets if each.owner.startswith(identifier)}
    owner = identifier if identifier in owners else next(iter(owners), "")
    if not owners or (len(owners) > 1 and owner != identifier):
        what = "More than one checkpoint begins with" if owners else "There is no checkpoint"
        raise NotFound(f"{what} {identifier!r}.", hint="See the list of checkpoints.")
    return [each for each in sets if each.owner == owner]


def _since(log: ChangeLog, identifier: str) -> list[ChangeSet]:
    first = _find(log, identifier)[0].number
    return [each for each in log.change_sets() if each.number >= first]


def _last(log: ChangeLog) -> list[ChangeSet]:
    sets = log.change_sets()
    for newest in reversed(sets):
        if newest.kind == "run" and not newest.undone and combined_changes(log, [newest.number]):
            return [each for each in sets if each.owner == newest.owner]
    raise NotFound("There is nothing to undo.", hint="See the list of checkpoints.")


def _shown(log: ChangeLog, state: State | None) -> bytes | None:
    if state is None:
        return None
    content = log.content(state)
    return content if content is not None else f"(not kept: {state.digest})\n".encode()


def _refuse(conflicts: Sequence[str], lost: Sequence[str]) -> None:
    for why, paths in (("were changed by somebody else since", conflicts), ("were too large to keep", lost)):
        if paths:
            more = f" and {len(paths) - SHOWN_PATHS} more" if len(paths) > SHOWN_PATHS else ""
            raise Conflict(
                f"Nothing was undone: {', '.join(paths[:SHOWN_PATHS])}{more} {why}.",
                hint="With force the others go back all the same, and what stands there now is kept as a checkpoint.",
            )


# The history.

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

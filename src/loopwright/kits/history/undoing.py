"""Undoing change sets, and telling what there is to undo."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kits.history.change_log import Change, ChangeLog, ChangeSet, Checkpoint, Edit, Reverted, SetKind, opened
from loopwright.kits.history.changing import FileChanger, Target
from loopwright.kits.history.fenced_files import State, file_state, observe, same
from loopwright.kits.history.texts import merged, unified_diff

# --------------------------------------------------------------------------------------------------------------------
# How change sets are undone: which files go back to what, and which cannot.
# --------------------------------------------------------------------------------------------------------------------


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

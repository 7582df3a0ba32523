"""Undoing change sets, and telling what there is to undo."""

import uuid
from collections.abc import Sequence
from pathlib import Path

from loopwright.agents.ide.editing.changing import Changing
from loopwright.agents.ide.editing.diffs import unified_diff
from loopwright.agents.ide.editing.edits import Checkpoint, Edit, Reverted
from loopwright.agents.ide.editing.ledger import ChangeSet, Ledger, SetKind, opened
from loopwright.agents.ide.editing.reverting import combined_changes, reversal_of
from loopwright.agents.ide.editing.states import State, observe, same
from loopwright.kernel.errors import Conflict, NotFound

SHOWN_PATHS = 10


class Undoing:
    """Undoing in one project. Whoever calls holds the project's lock."""

    def __init__(self, root: Path, file: Path, changing: Changing) -> None:
        """Take the project's folder, the ledger's file, and who writes."""
        self._root = root
        self._file = file
        self._changing = changing

    def checkpoints(self) -> list[Checkpoint]:
        """Newest first; those that changed nothing are left out."""
        with opened(self._file) as ledger:
            by_owner: dict[str, list[ChangeSet]] = {}
            for change_set in reversed(ledger.change_sets()):
                by_owner.setdefault(change_set.owner, []).insert(0, change_set)
            found = [_checkpoint(ledger, sets) for sets in by_owner.values()]
        return [checkpoint for checkpoint in found if checkpoint.paths]

    def diff(self, checkpoint_id: str) -> str:
        """What it changed.

        Raises:
            NotFound: there is no such checkpoint.
        """
        with opened(self._file) as ledger:
            changes = combined_changes(ledger, [each.number for each in _find(ledger, checkpoint_id)])
            return "".join(
                unified_diff(path, _shown(ledger, change.before), _shown(ledger, change.after))
                for path, change in changes.items()
            )

    def undo(self, checkpoint_id: str | None, force: bool) -> Reverted:
        """Undo one; see `Checkpoints.undo`."""
        with opened(self._file) as ledger:
            sets = _find(ledger, checkpoint_id) if checkpoint_id is not None else _last(ledger)
        chosen = [each for each in sets if not each.undone]
        if not chosen:
            raise Conflict(f"{sets[0].owner} is undone already.", hint="See the list of checkpoints.")
        return self._revert("undo", chosen, force)

    def restore(self, checkpoint_id: str, force: bool) -> Reverted:
        """Undo one and all later ones; see `Checkpoints.restore`."""
        with opened(self._file) as ledger:
            chosen = _since(ledger, checkpoint_id)
        return self._revert("restore", chosen, force)

    def planned_restore(self, checkpoint_id: str) -> list[Edit]:
        """What `restore` would change now.

        Raises:
            NotFound: there is no such checkpoint.
            Conflict: it would be refused.
        """
        with opened(self._file) as ledger:
            numbers = [each.number for each in _since(ledger, checkpoint_id)]
            reversal = reversal_of(self._root, ledger, numbers)
        _refuse(reversal.conflicts, reversal.lost)
        edits = []
        for target in reversal.targets:
            now, data = observe(self._root, target.path)
            edits.append(Edit(target.path, data if now else None, target.data if target.after else None))
        return edits

    def _revert(self, kind: SetKind, chosen: Sequence[ChangeSet], force: bool) -> Reverted:
        numbers = [each.number for each in chosen]
        with opened(self._file) as ledger:
            reversal = reversal_of(self._root, ledger, numbers)
        if not force:
            _refuse(reversal.conflicts, reversal.lost)
        owner = f"{kind}-{uuid.uuid4().hex[:12]}"
        self._changing.apply(owner, kind, reversal.targets, key=owner, account={}, reverts=numbers)
        paths = tuple(target.path for target in reversal.targets if not same(target.before, target.after))
        return Reverted(owner if paths else None, paths, tuple(reversal.lost))


def _checkpoint(ledger: Ledger, sets: Sequence[ChangeSet]) -> Checkpoint:
    undone = all(each.undone for each in sets)
    changes = combined_changes(ledger, [each.number for each in sets if undone or not each.undone])
    paths = tuple(path for path, change in changes.items() if not same(change.before, change.after))
    return Checkpoint(sets[0].owner, sets[0].kind, sets[0].at, paths, undone)


def _find(ledger: Ledger, identifier: str) -> list[ChangeSet]:
    sets = ledger.change_sets()
    owners = {each.owner for each in sets if each.owner.startswith(identifier)}
    owner = identifier if identifier in owners else next(iter(owners), "")
    if not owners or (len(owners) > 1 and owner != identifier):
        what = "More than one checkpoint begins with" if owners else "There is no checkpoint"
        raise NotFound(f"{what} {identifier!r}.", hint="See the list of checkpoints.")
    return [each for each in sets if each.owner == owner]


def _since(ledger: Ledger, identifier: str) -> list[ChangeSet]:
    first = _find(ledger, identifier)[0].number
    return [each for each in ledger.change_sets() if each.number >= first]


def _last(ledger: Ledger) -> list[ChangeSet]:
    sets = ledger.change_sets()
    for newest in reversed(sets):
        if newest.kind == "run" and not newest.undone and combined_changes(ledger, [newest.number]):
            return [each for each in sets if each.owner == newest.owner]
    raise NotFound("There is nothing to undo.", hint="See the list of checkpoints.")


def _shown(ledger: Ledger, state: State | None) -> bytes | None:
    if state is None:
        return None
    content = ledger.content(state)
    return content if content is not None else f"(not kept: {state.digest})\n".encode()


def _refuse(conflicts: Sequence[str], lost: Sequence[str]) -> None:
    for why, paths in (("were changed by somebody else since", conflicts), ("were too large to keep", lost)):
        if paths:
            more = f" and {len(paths) - SHOWN_PATHS} more" if len(paths) > SHOWN_PATHS else ""
            raise Conflict(
                f"Nothing was undone: {', '.join(paths[:SHOWN_PATHS])}{more} {why}.",
                hint="With force the others go back all the same, and what stands there now is kept as a checkpoint.",
            )

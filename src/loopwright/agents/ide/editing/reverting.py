"""How change sets are undone: which files go back to what, and which cannot."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from loopwright.agents.ide.editing.changing import Target
from loopwright.agents.ide.editing.ledger import Change, Ledger
from loopwright.agents.ide.editing.merging import merged
from loopwright.agents.ide.editing.states import State, file_state, observe, same


@dataclass
class Reversal:
    """The targets, the paths that somebody else has changed since, and those whose content was not kept."""

    targets: list[Target] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def combined_changes(ledger: Ledger, numbers: Sequence[int]) -> dict[str, Change]:
    """What change sets, given by their numbers, oldest first, have done together."""
    return {path: _whole(changes) for path, changes in _by_path(ledger, numbers).items()}


def reversal_of(root: Path, ledger: Ledger, numbers: Sequence[int]) -> Reversal:
    """How to undo change sets: each path goes back to what it was before the first of them.

    Where somebody else has changed a text before, between or since, their change stays and only that of the sets is
    taken back. It is a conflict where both changed the same lines, where it is no text, or where it is not certain
    whose change it was.
    """
    reversal = Reversal()
    for changes in _by_path(ledger, numbers).values():
        _revert(root, ledger, changes, reversal)
    return reversal


def _by_path(ledger: Ledger, numbers: Sequence[int]) -> dict[str, list[Change]]:
    """For each path the changes in their order; those with nothing between them are one."""
    found: dict[str, list[Change]] = {}
    for number in numbers:
        for path, change in ledger.changes(number).items():
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


def _revert(root: Path, ledger: Ledger, changes: Sequence[Change], reversal: Reversal) -> None:
    change = _whole(changes)
    now, data = observe(root, change.path)
    standing = now if not _is_folder(now) or _is_folder(change.before) or _is_folder(change.after) else None
    if same(standing, change.before):
        if standing is None and change.folders:  # it came and went, and the folders that were made for it stayed
            reversal.targets.append(Target(change.path, now, None, folders=change.folders))
        return
    first = _content(ledger, change.before)
    if first is None:
        reversal.lost.append(change.path)
        return
    earlier = None if change.mixed else _without(ledger, changes, standing, data)
    if earlier is None:
        reversal.conflicts.append(change.path)
        earlier = (change.before, first)
    reversal.targets.append(Target(change.path, standing, *earlier, change.folders))


def _without(
    ledger: Ledger, changes: Sequence[Change], state: State | None, data: bytes
) -> tuple[State | None, bytes] | None:
    """What a path would be without the changes, newest first; None where they cannot be told from somebody else's."""
    for change in reversed(changes):
        content = _content(ledger, change.before)
        if content is None:
            return None
        if same(state, change.after):
            state, data = change.before, content
        elif not same(state, change.before):
            joined = _joined(ledger, change, state, data, content)
            if joined is None or state is None:
                return None
            state, data = replace(file_state(joined), mode=state.mode), joined
    return state, data


def _joined(ledger: Ledger, change: Change, state: State | None, data: bytes, before: bytes) -> bytes | None:
    if any(each is None or each.kind != "file" for each in (state, change.before, change.after)):
        return None
    after = _content(ledger, change.after)
    return None if after is None else merged(after, data, before)


def _content(ledger: Ledger, state: State | None) -> bytes | None:
    return b"" if state is None or _is_folder(state) else ledger.content(state)


def _is_folder(state: State | None) -> bool:
    return state is not None and state.kind == "folder"

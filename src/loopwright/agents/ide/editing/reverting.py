"""What has to be done so that change sets had never been."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from loopwright.agents.ide.editing.changing import Target
from loopwright.agents.ide.editing.ledger import Change, Ledger
from loopwright.agents.ide.editing.states import observe, same
from loopwright.agents.ide.files import ProjectFiles


@dataclass
class Reversal:
    """The targets, the paths that somebody else has changed since, and those whose content was not kept."""

    targets: list[Target] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def combined_changes(ledger: Ledger, numbers: Sequence[int]) -> dict[str, Change]:
    """What change sets, given by their numbers, oldest first, have done together."""
    combined: dict[str, Change] = {}
    for number in numbers:
        for path, change in ledger.changes(number).items():
            first = combined.get(path, replace(change, after=change.before, mixed=False))
            mixed = first.mixed or change.mixed or not same(first.after, change.before)
            folders = max(first.folders, change.folders)
            combined[path] = Change(path, first.before, change.after, folders, mixed)
    return {path: combined[path] for path in sorted(combined)}


def reversal_of(files: ProjectFiles, ledger: Ledger, numbers: Sequence[int]) -> Reversal:
    """How to undo change sets: each path goes back to what it was before the first of them.

    It is a conflict where it is not what the last of them left, or where somebody changed it between them.
    """
    reversal = Reversal()
    for change in combined_changes(ledger, numbers).values():
        _revert(files, ledger, change, reversal)
    return reversal


def _revert(files: ProjectFiles, ledger: Ledger, change: Change, reversal: Reversal) -> None:
    now, _ = observe(files, change.path)
    standing = None if now is not None and now.kind == "folder" else now  # what is in it has changes of its own
    if same(standing, change.before):
        if standing is None and change.folders:  # it came and went, and the folders that were made for it stayed
            reversal.targets.append(Target(change.path, now, None, folders=change.folders))
        return
    content = ledger.content(change.before) if change.before is not None else b""
    if content is None:
        reversal.lost.append(change.path)
        return
    if change.mixed or not same(standing, change.after):
        reversal.conflicts.append(change.path)
    reversal.targets.append(Target(change.path, now, change.before, content, change.folders))

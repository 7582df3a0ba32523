"""Which change comes next to be undone or redone, as in an editor.

Undo takes back the newest change that still stands, and again goes further back each time. Redo makes the change again
that was undone last. A new change after an undo forgets what could be redone; its record stays in the history.
Undo and redo are changes themselves: each has its record and its version.
"""

from collections.abc import Sequence

from loopwright.agents.designspec.project.record import CREATED, ChangeRecord


def standing_changes(records: Sequence[ChangeRecord]) -> tuple[list[ChangeRecord], list[ChangeRecord]]:
    """The changes that stand, oldest first, and those that were undone and may be redone, the next one last."""
    standing: list[ChangeRecord] = []
    undone: list[ChangeRecord] = []
    for record in records:
        if record.undoes is not None and standing:
            undone.append(standing.pop())
        elif record.redoes is not None and undone:
            standing.append(undone.pop())
        elif record.author != CREATED:
            standing.append(record)
            undone = []
    return standing, undone

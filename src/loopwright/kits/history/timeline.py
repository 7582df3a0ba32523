"""Undo and redo as in an editor: which of the changes of one thing count, which comes back next."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

T = TypeVar("T")
Step = Literal["change", "undo", "redo"]


@dataclass(frozen=True, slots=True)
class Timeline(Generic[T]):
    """The changes, oldest first, and how many of them count: an undo takes the last of these back.

    Changes after them were undone, and a redo brings the first of those again.
    """

    changes: tuple[T, ...] = ()
    counting: int = 0

    @property
    def current(self) -> T | None:
        """The change that an undo would take back."""
        return self.changes[self.counting - 1] if self.counting else None

    @property
    def before(self) -> T | None:
        """The change to whose state an undo leads; None where the thing began with the current one."""
        return self.changes[self.counting - 2] if self.counting > 1 else None

    @property
    def after(self) -> T | None:
        """The change that a redo would bring again."""
        return self.changes[self.counting] if self.counting < len(self.changes) else None


def timeline_of(
    entries: Iterable[tuple[Step, T]], joined: Callable[[T, T], T | None] = lambda last, new: None
) -> Timeline[T]:
    """Read a history that is only ever appended to, undos and redos included.

    Args:
        entries: what happened, oldest first; of an undo and a redo only the step counts. A change after an undo ends
            what could have been redone, and an undo or redo of nothing changes nothing.
        joined: makes one change of the last and a new one that belong together; None where they do not.
    """
    changes: list[T] = []
    counting = 0
    for step, change in entries:
        if step == "undo":
            counting = max(0, counting - 1)
        elif step == "redo":
            counting = min(len(changes), counting + 1)
        else:
            del changes[counting:]
            one = joined(changes[-1], change) if changes else None
            changes[len(changes) - (one is not None) :] = [change if one is None else one]
            counting = len(changes)
    return Timeline(tuple(changes), counting)

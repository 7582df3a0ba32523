"""The changes of a page in order, folded from its versions: what can be undone, and what redone.

Versions are only ever added.  An undo is a new version with an older text, so the fold follows it: it steps back, a
redo steps forward, and any other version begins a new future.  What one run did to a page is one change, because it is
what the user asked for with one message.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from loopwright.agents.pages.ports import PageVersionRow


@dataclass(frozen=True, slots=True)
class Change:
    """What one run, or one act of the user, did to a page; `version` is what the page was after it."""

    group: str
    version: int
    at: datetime
    calls: tuple[tuple[str, str], ...]
    """Run and call of each version of it that a tool made."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The page's changes, oldest first, and which of them is the newest that counts."""

    changes: tuple[Change, ...]
    position: int

    @property
    def current(self) -> Change | None:
        """The change that an undo would take back."""
        return self.changes[self.position] if self.changes else None

    @property
    def before(self) -> Change | None:
        """The change to whose state an undo leads; None when the page began with the current one."""
        return self.changes[self.position - 1] if self.position > 0 else None

    @property
    def after(self) -> Change | None:
        """The change that a redo would bring again."""
        return self.changes[self.position + 1] if self.position + 1 < len(self.changes) else None


def fold(versions: Iterable[PageVersionRow]) -> Timeline:
    """The timeline of a page's versions, which may come in any order."""
    changes: list[Change] = []
    position = -1
    for version in sorted(versions, key=lambda each: each.version):
        if version.source == "undo":
            position = max(0, position - 1)
        elif version.source == "redo":
            position = min(len(changes) - 1, position + 1)
        else:
            calls = ((version.run_id, version.call_id),) if version.run_id and version.call_id else ()
            by_hand = version.source == "manual" or version.run_id is None
            group = f"version {version.version}" if by_hand else f"run {version.run_id}"
            del changes[position + 1 :]
            if changes and changes[-1].group == group:
                last = changes[-1]
                changes[-1] = replace(last, version=version.version, at=version.created_at, calls=(*last.calls, *calls))
            else:
                changes.append(Change(group, version.version, version.created_at, calls))
            position = len(changes) - 1
    return Timeline(tuple(changes), max(position, 0))

"""The changes of a page in order, folded from its versions: what can be undone, and what redone.

Versions are only ever added.  An undo is a new version with an older text, so the fold follows it: it steps back, a
redo steps forward, and any other version begins a new future.  What one run did to a page is one change, because it is
what the user asked for with one message.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypedDict

from loopwright.agents.pages.ports import PageVersionRow


class _State(TypedDict):
    version: int
    at: datetime
    deleted: bool


@dataclass(frozen=True, slots=True)
class Change:
    """What one run, or one act of the user, did to a page; `version` is what the page was after it."""

    group: str
    version: int
    at: datetime
    deleted: bool
    """Whether there was no page after it."""
    calls: tuple[tuple[str, str], ...]
    """Run and call of each version of it that a tool made."""
    versions: tuple[int, ...]
    """The numbers of its versions."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The page's changes, oldest first, and which of them is the newest that counts; -1 when none does any more."""

    changes: tuple[Change, ...]
    position: int

    @property
    def current(self) -> Change | None:
        """The change that an undo would take back."""
        return self.changes[self.position] if self.position >= 0 else None

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
            position = max(-1, position - 1)
        elif version.source == "redo":
            position = min(len(changes) - 1, position + 1)
        else:
            calls = ((version.run_id, version.call_id),) if version.run_id and version.call_id else ()
            group = _group(version)
            del changes[position + 1 :]
            if changes and changes[-1].group == group:
                last = changes[-1]
                changes[-1] = replace(
                    last, calls=(*last.calls, *calls), versions=(*last.versions, version.version), **_state(version)
                )
            else:
                changes.append(Change(group=group, calls=calls, versions=(version.version,), **_state(version)))
            position = len(changes) - 1
    return Timeline(tuple(changes), position)


def _group(version: PageVersionRow) -> str:
    """What belongs together: what one run did, or one act of the user; work by hand stands alone."""
    if version.source != "manual" and version.run_id is not None:
        return f"run {version.run_id}"
    if version.source != "manual" and version.call_id is not None:
        return f"act {version.call_id}"
    return f"{version.slug} version {version.version}"


def _state(version: PageVersionRow) -> _State:
    return {"version": version.version, "at": version.created_at, "deleted": version.deleted}

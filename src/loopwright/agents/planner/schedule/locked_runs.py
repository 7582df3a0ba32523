"""Locked work where breaks have no length: what lies right next to it goes on with its stretch of work."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from loopwright.agents.planner.schedule.axis import QUARTER, Slots
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Span


@dataclass(frozen=True)
class LockedRun:
    """Locked blocks without a gap between them, as slots of a stretch of work.

    `joins_before` and `joins_after` tell whether a slot before or after goes on with it: only where it begins or ends
    on the grid. One that ends off the grid is as long as is needed to leave others what may still be worked.
    """

    first: int
    end: int
    joins_before: bool
    joins_after: bool


def locked_runs(locks: Iterable[Span], origin: datetime, most_minutes: int) -> tuple[list[LockedRun], list[Slots]]:
    """The runs that work may lie next to, and the slots that have to stay idle around the others.

    Args:
        locks: locked blocks.
        origin: when slot 0 begins, in UTC.
        most_minutes: that may be worked without a pause.
    """
    most = most_minutes // GRID_MINUTES
    runs: list[LockedRun] = []
    idle: list[Slots] = []
    for begin, until in _chains(locks):
        first, first_rest = divmod(begin - origin, QUARTER)
        end, end_rest = divmod(until - origin, QUARTER)
        spare = (most_minutes * 60 - (until - begin).total_seconds()) // (GRID_MINUTES * 60)
        if spare < 1:
            idle += [(first - 1, first)] if not first_rest else []
            idle += [(end, end + 1)] if not end_rest else []
        elif not first_rest and not end_rest:
            runs.append(LockedRun(first, end, joins_before=True, joins_after=True))
        elif not first_rest:
            runs.append(LockedRun(first, first + most - int(spare), joins_before=True, joins_after=False))
        elif not end_rest:
            runs.append(LockedRun(end - most + int(spare), end, joins_before=False, joins_after=True))
    return runs, idle


def _chains(locks: Iterable[Span]) -> list[tuple[datetime, datetime]]:
    found: list[tuple[datetime, datetime]] = []
    for begin, end in sorted((span.start.astimezone(UTC), span.end.astimezone(UTC)) for span in locks):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found

"""A plan among the user's other plans: where they clash, how full the weeks are, what could be moved where."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from loopwright.agents.planner.contracts.plan import ScheduleBlock
from loopwright.agents.planner.schedule.calendar import minutes_by_week, without, working_spans
from loopwright.agents.planner.schedule.problem import Span, WorkingCalendar

FULL = 0.9
SHOWN = 20
SEARCH = timedelta(days=14)
"""How far from a clash a free place is looked for."""


@dataclass(frozen=True)
class Other:
    """A block of another plan."""

    plan_id: str
    title: str
    start: datetime
    end: datetime


@dataclass(frozen=True)
class Conflict:
    """Two things at once, and where this plan's block could go instead."""

    block: ScheduleBlock
    other: Other
    minutes: int
    free: Span | None


@dataclass(frozen=True)
class Portfolio:
    """What was found. `utilisation` is the share of each ISO week's working time that all plans together take."""

    conflicts: tuple[Conflict, ...]
    utilisation: dict[str, float]
    own_minutes: int
    other_minutes: int

    @property
    def overfull(self) -> list[tuple[str, float]]:
        """Weeks with hardly any space."""
        return [(week, share) for week, share in self.utilisation.items() if share > FULL]

    def told(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "conflicts": [
                {
                    "title": conflict.block.title,
                    "start": conflict.block.start.isoformat(),
                    "end": conflict.block.end.isoformat(),
                    "with_plan": conflict.other.plan_id,
                    "with_title": conflict.other.title,
                    "minutes": conflict.minutes,
                }
                for conflict in self.conflicts[:SHOWN]
            ],
            "conflict_count": len(self.conflicts),
            "utilisation": self.utilisation,
            "overfull_weeks": [week for week, _ in self.overfull],
            "own_minutes": self.own_minutes,
            "other_minutes": self.other_minutes,
            "suggested_shifts": [
                {
                    "title": conflict.block.title,
                    "from": conflict.block.start.isoformat(),
                    "to": conflict.free.start.astimezone(conflict.block.start.tzinfo).isoformat(),
                }
                for conflict in self.conflicts[:SHOWN]
                if conflict.free is not None
            ],
        }


def probe(blocks: Sequence[ScheduleBlock], others: Sequence[Other], calendar: WorkingCalendar) -> Portfolio:
    """Hold a plan's blocks against those of other plans.

    Args:
        blocks: the plan's own.
        others: those of all other plans in this time.
        calendar: the user's working hours; utilisation is measured against them.
    """
    if not blocks:
        return Portfolio((), {}, 0, _minutes([(other.start, other.end) for other in others]))
    taken = _spans(blocks, others)
    first = min(block.start for block in blocks) - SEARCH
    last = max(block.end for block in blocks) + SEARCH
    space = without(working_spans(calendar, max(first, min(block.start for block in blocks)), last), taken)
    conflicts: list[Conflict] = []
    for block, other in _clashes(blocks, others):
        free = next((span for span in space if span.end - span.start >= block.end - block.start), None)
        if free is not None:
            place = Span(free.start, free.start + (block.end - block.start))
            space = without(space, [place])
            free = place
        shared = min(block.end, other.end) - max(block.start, other.start)
        conflicts.append(Conflict(block, other, shared // timedelta(minutes=1), free))
    own = _minutes([(block.start, block.end) for block in blocks])
    return Portfolio(
        tuple(conflicts),
        _utilisation(blocks, others, calendar),
        own,
        _minutes([(other.start, other.end) for other in others]),
    )


def _clashes(blocks: Sequence[ScheduleBlock], others: Sequence[Other]) -> list[tuple[ScheduleBlock, Other]]:
    """Each block with the first thing that it overlaps; a sweep over both in the order of time."""
    found: list[tuple[ScheduleBlock, Other]] = []
    ordered = sorted(others, key=lambda other: other.start)
    for block in sorted(blocks, key=lambda block: block.start):
        for other in ordered:
            if other.start >= block.end:
                break
            if other.end > block.start:
                found.append((block, other))
                break
    return found


def _utilisation(
    blocks: Sequence[ScheduleBlock], others: Sequence[Other], calendar: WorkingCalendar
) -> dict[str, float]:
    zone = calendar.zone
    used: dict[tuple[int, int], int] = defaultdict(int)
    for piece in _spans(blocks, others):
        for week, minutes in minutes_by_week([piece], zone).items():
            used[week] += minutes
    begin = min(block.start for block in blocks).astimezone(UTC)
    end = max(block.end for block in blocks).astimezone(UTC)
    # Whole weeks, so that the first and the last are not measured by a part of their time.
    begin, end = begin - timedelta(days=begin.weekday() + 1), end + timedelta(days=8 - end.weekday())
    bare = WorkingCalendar(zone=zone, windows=calendar.windows, exceptions=calendar.exceptions)
    open_minutes = minutes_by_week(working_spans(bare, begin, end), zone)
    shares = {}
    for week, minutes in sorted(used.items()):
        space = open_minutes.get(week, 0)
        if calendar.minutes_per_week is not None:
            space = min(space, calendar.minutes_per_week) if space else calendar.minutes_per_week
        shares[date.fromisocalendar(*week, 1).isoformat()] = round(minutes / max(1, space), 3)
    return shares


def _spans(blocks: Sequence[ScheduleBlock], others: Sequence[Other]) -> list[Span]:
    return [Span(b.start, b.end) for b in blocks] + [Span(o.start, o.end) for o in others]


def _minutes(spans: Sequence[tuple[datetime, datetime]]) -> int:
    return sum((end - start) // timedelta(minutes=1) for start, end in spans)

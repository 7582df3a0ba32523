"""The checker's rules for a day, a week, and the rest between blocks."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from zoneinfo import ZoneInfo

from loopwright.agents.planner.schedule.clock import MINUTE, Piece, clock_time, wall_time
from loopwright.agents.planner.schedule.problem import Problem, Span
from loopwright.agents.planner.schedule.violations import Violation


@dataclass
class _Load:
    """What lies on a day or in a week. `free_ids` are of the tasks that could lie elsewhere."""

    minutes: float = 0
    ids: list[str] = field(default_factory=list)
    free_ids: set[str] = field(default_factory=set)

    def add(self, piece: Piece, share: float) -> None:
        """Count a share, in seconds, of a block."""
        self.minutes += share / MINUTE
        if piece.task_id not in self.ids:
            self.ids.append(piece.task_id)
        if not piece.locked:
            self.free_ids.add(piece.task_id)


def day_violations(problem: Problem, pieces: list[Piece]) -> Iterator[Violation]:
    """Whether a day or a week, by the local date, holds more than it may."""
    calendar = problem.calendar
    days: dict[date, _Load] = defaultdict(_Load)
    weeks: dict[tuple[int, int], _Load] = defaultdict(_Load)
    for piece in pieces:
        for day, share in _shares(piece, calendar.zone):
            days[day].add(piece, share)
            weeks[day.isocalendar()[:2]].add(piece, share)
    most = calendar.minutes_per_day
    for day, load in sorted(days.items()):
        if most is not None and load.free_ids and load.minutes > most:
            text = f"{day.isoformat()} holds {load.minutes:g} minutes of work, at most {most} are allowed."
            yield Violation("day_capacity", text, tuple(load.ids))
        if calendar.tasks_per_day is not None and load.free_ids and len(load.ids) > calendar.tasks_per_day:
            text = f"{day.isoformat()} holds {len(load.ids)} tasks, at most {calendar.tasks_per_day} are allowed."
            yield Violation("tasks_per_day", text, tuple(load.ids))
    most = calendar.minutes_per_week
    for (year, week), load in sorted(weeks.items()):
        if most is not None and load.free_ids and load.minutes > most:
            text = f"Week {week} of {year} holds {load.minutes:g} minutes of work, at most {most} are allowed."
            yield Violation("week_capacity", text, tuple(load.ids))


def rest_violations(problem: Problem, pieces: list[Piece]) -> Iterator[Violation]:
    """Whether there is a break between two tasks, and after long work; `pieces` are in order.

    A stretch of work goes on until a pause as long as a break (or any pause, where breaks have no length).
    """
    pause = problem.calendar.break_minutes * MINUTE
    most = problem.calendar.max_consecutive_minutes
    stretch: list[Piece] = []
    for piece in pieces:
        gap = piece.start - stretch[-1].end if stretch else None
        if gap is None or (gap >= pause and gap > 0):
            yield from _too_long(stretch, most)
            stretch = [piece]
            continue
        last = stretch[-1]
        if 0 <= gap < pause and piece.task_id != last.task_id and not (piece.locked and last.locked):
            text = f"Between {last.title!r} and {piece.title!r} lie less than {problem.calendar.break_minutes} minutes."
            yield Violation("break", text, (last.task_id, piece.task_id), Span(last.span.start, piece.span.end))
        stretch.append(piece)
    yield from _too_long(stretch, most)


def _too_long(stretch: list[Piece], most: int | None) -> Iterator[Violation]:
    worked = sum(piece.end - piece.start for piece in stretch) / MINUTE
    if most is not None and worked > most and not all(piece.locked for piece in stretch):
        text = f"{worked:g} minutes of work follow each other without a break, at most {most} are allowed."
        ids = tuple(dict.fromkeys(piece.task_id for piece in stretch))
        yield Violation("max_consecutive", text, ids, Span(stretch[0].span.start, clock_time(stretch[-1].end)))


def _shares(piece: Piece, zone: ZoneInfo) -> list[tuple[date, float]]:
    """The local dates of a block with the seconds on each, by asking the wall clock at each minute of it."""
    first, last = wall_time(piece.start, zone).date(), wall_time(piece.end - 1, zone).date()
    if first == last:
        return [(first, piece.end - piece.start)]
    shares: dict[date, float] = defaultdict(float)
    moment = piece.start
    while moment < piece.end:
        step = min(MINUTE, piece.end - moment)
        shares[wall_time(moment, zone).date()] += step
        moment += step
    return list(shares.items())

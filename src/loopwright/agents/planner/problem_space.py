"""How long one piece of work may be beside the work that comes back.

Recurring work takes a part of most days and weeks. Single work that is longer than what is usually left has to be done
in pieces, or it would wait for a day that never comes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from statistics import median_low
from uuid import UUID

from loopwright.agents.planner.problem_tasks import LeafWork
from loopwright.agents.planner.schedule.calendar import minutes_by_day
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Span, Task, WorkingCalendar

DAY = timedelta(days=1)


class UsualSpace:
    """What recurring work usually leaves on a day, within the limits of the day and of its week."""

    def __init__(self, recurring: Iterable[Task], calendar: WorkingCalendar, open_time: list[Span]) -> None:
        """Count what recurring tasks take on the days and in the weeks in whose middle they are due."""
        self._calendar = calendar
        self._open = minutes_by_day(open_time, calendar.zone)
        self._days: Counter[date] = Counter()
        self._weeks: Counter[tuple[int, int]] = Counter()
        for task in recurring:
            if task.earliest is None or task.latest is None:
                continue
            begin, end = task.earliest.astimezone(UTC), task.latest.astimezone(UTC)
            middle = (begin + (end - begin) / 2).astimezone(calendar.zone).date()
            self._weeks[middle.isocalendar()[:2]] += task.minutes
            # A day of summer time's end has 25 hours.
            if end - begin <= DAY + DAY / 24:
                self._days[middle] += task.minutes

    def between(self, start: datetime, end: datetime) -> int | None:
        """The median over the working days between two moments, in whole quarters; None where there is none."""
        first, last = (moment.astimezone(self._calendar.zone).date() for moment in (start, end))
        spaces = [self._left(day) for day in self._open if first <= day <= last]
        return median_low(spaces) // GRID_MINUTES * GRID_MINUTES if spaces else None

    def _left(self, day: date) -> int:
        space = self._open[day]
        if self._calendar.minutes_per_day is not None:
            space = min(space, self._calendar.minutes_per_day)
        space -= self._days[day]
        if self._calendar.minutes_per_week is not None:
            space = min(space, self._calendar.minutes_per_week - self._weeks[day.isocalendar()[:2]])
        return max(0, space)


def in_pieces(
    work: Mapping[UUID, LeafWork], calendar: WorkingCalendar, horizon: Span, open_time: list[Span]
) -> dict[UUID, LeafWork]:
    """The same work, where single tasks that are longer than the usual space may be split, in pieces that fit it."""
    recurring = [task for each in work.values() if each.source is not None for task in each.tasks]
    if not recurring:
        return dict(work)
    space = UsualSpace(recurring, calendar, open_time)
    found = {}
    for key, each in work.items():
        tasks = each.tasks
        if each.source is None:
            tasks = tuple(_fitting(task, space, horizon) for task in tasks)
        found[key] = replace(each, tasks=tasks)
    return found


def _fitting(task: Task, space: UsualSpace, horizon: Span) -> Task:
    usual = space.between(task.earliest or horizon.start, task.latest or horizon.end)
    if usual is None or task.minutes <= usual:
        return task
    piece = max(GRID_MINUTES, min(task.min_block_minutes, usual))
    return replace(task, splittable=True, min_block_minutes=piece)

"""On which weekdays recurring work lies, and how often it then happens in its part's days."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from loopwright.agents.planner.offline.work import Work

CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True)
class Stretch:
    """The days of a part: first and last, the weekdays that may be used, and the days away."""

    first: date
    last: date
    weekdays: tuple[int, ...]
    away: tuple[tuple[date, date], ...] = ()

    def dates(self, weekdays: Sequence[int]) -> list[date]:
        """The days of these weekdays on which the user is there."""
        span = (self.last - self.first).days + 1
        days = (self.first + timedelta(days=step) for step in range(span))
        return [
            day
            for day in days
            if day.weekday() in weekdays and not any(start <= day <= end for start, end in self.away)
        ]


def place_sessions(works: list[Work], stretch: Stretch, minutes_per_day: int | None) -> list[Work]:
    """The works with their weekdays: longest sessions first, each on the days that carry least, far from each other."""
    load = dict.fromkeys(stretch.weekdays, 0)
    placed: dict[str, Work] = {}
    recurring = sorted((work for work in works if work.times), key=lambda work: (-work.times, -work.minutes, work.key))
    for work in recurring:
        wanted = min(max(1, round(work.times)), len(stretch.weekdays))
        days: list[int] = []
        for _ in range(wanted):
            free = [day for day in stretch.weekdays if day not in days]
            free = [day for day in free if minutes_per_day is None or load[day] + work.minutes <= minutes_per_day]
            if not free:
                break
            days.append(min(free, key=lambda day: (load[day], -_distance(day, days), day)))
            load[days[-1]] += work.minutes
        placed[work.key] = _counted(work, tuple(sorted(days)), stretch, floats=minutes_per_day is None)
    return [placed.get(work.key, work) for work in works]


def _distance(day: int, days: Sequence[int]) -> int:
    return min((min((day - other) % 7, (other - day) % 7) for other in days), default=7)


def _counted(work: Work, days: tuple[int, ...], stretch: Stretch, *, floats: bool) -> Work:
    """How often the session happens: the days of the calendar are counted, so that none lies outside.

    Where days are not short, a session of which there is one a week `floats`: any day of the week will do, and what has
    room to move can be scheduled, and moved when life gets in the way.
    """
    if not days:
        return replace(work, days=(), occurrences=0)
    dates = stretch.dates(days)
    interval = 1 if work.times >= 0.75 else max(2, round(1 / work.times))
    recurrence = "daily" if len(days) == 7 else "weekly"
    whole_weeks = ((stretch.last - stretch.first).days + 1) // (7 * interval)
    if floats and len(days) == 1 and whole_weeks and not stretch.away:
        return replace(
            work, days=(), occurrences=whole_weeks, first=stretch.first, recurrence="weekly", interval=interval
        )
    dates = dates[::interval]
    if not dates:
        return replace(work, days=(), occurrences=0)
    return replace(work, days=days, occurrences=len(dates), first=dates[0], recurrence=recurrence, interval=interval)


def rrule_of(work: Work) -> str:
    """The recurrence as RFC 5545 writes it."""
    if work.recurrence == "daily":
        return f"FREQ=DAILY;COUNT={work.occurrences}"
    interval = f"INTERVAL={work.interval};" if work.interval > 1 else ""
    by_day = f"BYDAY={','.join(CODES[day] for day in work.days)};" if work.days else ""
    return f"FREQ=WEEKLY;{interval}{by_day}COUNT={work.occurrences}"

"""What could be changed in a calendar where a problem has no schedule: limits, hours, days off, blocked times."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, timedelta

from loopwright.agents.planner.schedule.case import in_words
from loopwright.agents.planner.schedule.problem import Cause, Problem, Relaxation

MOST_STEPS = 16
MOST_DAYS = 3
"""Days off, and blocked times, that are named."""


@dataclass(frozen=True)
class Idea:
    """One change in growing steps; if a step works, all later ones do."""

    kind: str
    steps: tuple[Relaxation, ...]
    is_combined: bool = False
    """Only worth a try where no single change of its kind helps."""


def one_step(kind: str, text: str, cost: float, change: dict[str, object]) -> Idea:
    """A change that is done or not."""
    return Idea(kind, (Relaxation(text, kind, cost, change),))


def calendar_ideas(problem: Problem, cause: Cause) -> Iterator[Idea]:
    """What might help against a cause, cheap things first."""
    yield from _capacity(problem)
    yield Idea("hours", tuple(_longer_hours(problem)))
    yield from _free_days(problem, cause)
    yield from _blackouts(problem, cause)


def _capacity(problem: Problem) -> Iterator[Idea]:
    calendar = problem.calendar
    limits: list[tuple[str, int | None, int, str]] = [
        ("minutes_per_day", calendar.minutes_per_day, 30, "minutes a day"),
        ("minutes_per_week", calendar.minutes_per_week, 60, "minutes a week"),
        ("tasks_per_day", calendar.tasks_per_day, 1, "tasks a day"),
        ("max_consecutive_minutes", calendar.max_consecutive_minutes, 30, "minutes without a break"),
    ]
    for name, value, step, words in limits:
        if value is not None:
            steps = []
            for count in range(1, MOST_STEPS + 1):
                more = value + step * count
                text = f"Work up to {more} {words} instead of {value}."
                steps.append(Relaxation(text, "capacity", 3.0 + count / 8, {"set": name, "to": more}))
            yield Idea("capacity", tuple(steps))

    if calendar.minutes_per_day is not None and calendar.minutes_per_week is not None:
        yield Idea("capacity", tuple(_day_and_week(calendar.minutes_per_day, calendar.minutes_per_week)), True)


def _day_and_week(per_day: int, per_week: int) -> Iterator[Relaxation]:
    """Both limits together, for where neither helps alone."""
    for count in range(1, MOST_STEPS + 1):
        day, week = per_day + 15 * count, per_week + 60 * count
        text = f"Work up to {day} minutes a day and {week} a week instead of {per_day} and {per_week}."
        changes: list[object] = [{"set": "minutes_per_day", "to": day}, {"set": "minutes_per_week", "to": week}]
        yield Relaxation(text, "capacity", 3.5 + count / 8, {"set": "all", "changes": changes})


def _longer_hours(problem: Problem) -> Iterator[Relaxation]:
    latest = max((window.end.hour * 60 + window.end.minute for window in problem.calendar.windows), default=0)
    for count in range(1, 9):
        if 0 < latest + 30 * (count - 1) < 24 * 60:
            text = f"Go on working {30 * count} minutes longer each day."
            yield Relaxation(text, "hours", 4.0 + count / 8, {"set": "longer_hours", "minutes": 30 * count})


def _blackouts(problem: Problem, cause: Cause) -> Iterator[Idea]:
    """Times that were blocked, within the time of the cause."""
    first = (cause.span.start if cause.span else problem.start).astimezone(UTC)
    last = (cause.span.end if cause.span else problem.end).astimezone(UTC)
    within = [span for span in problem.calendar.blackouts if span.start < last and span.end > first]
    for span in within[:MOST_DAYS]:
        text = f"Work also between {in_words(span.start, problem)} and {in_words(span.end, problem)}."
        change: dict[str, object] = {"set": "unblock", "start": span.start.isoformat(), "end": span.end.isoformat()}
        yield one_step("blackout", text, 5.2, change)


def _free_days(problem: Problem, cause: Cause) -> Iterator[Idea]:
    """Work on days without hours, as long as on the longest working day of the week."""
    hours = _usual_hours(problem)
    if not hours:
        return
    zone = problem.calendar.zone
    first = (cause.span.start if cause.span else problem.start).astimezone(zone).date()
    last = (cause.span.end if cause.span else problem.end).astimezone(zone).date()
    worked = {window.weekday for window in problem.calendar.windows}
    day, found = first, 0
    while day <= last and found < MOST_DAYS:
        exceptions = problem.calendar.exceptions
        if exceptions.get(day) == () or (day not in exceptions and day.weekday() not in worked):
            found += 1
            yield one_step("free_day", _day_words(day), 5.0, {"set": "hours", "date": day.isoformat(), "to": hours})
        day += timedelta(days=1)


def _day_words(day: date) -> str:
    return f"Work on {day:%A}, {day.day} {day:%B %Y}, too."


def _usual_hours(problem: Problem) -> list[list[str]]:
    by_day: dict[int, list[list[str]]] = {}
    for window in problem.calendar.windows:
        by_day.setdefault(window.weekday, []).append([window.start.isoformat(), window.end.isoformat()])
    return max(by_day.values(), key=len, default=[])

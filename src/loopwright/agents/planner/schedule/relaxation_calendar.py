"""What could be changed in a calendar where a problem has no schedule: limits, hours, days off, blocked times."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from loopwright.agents.planner.schedule.case import in_words
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Cause, Problem, Relaxation, Task

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


# What could be changed where a problem has no schedule: from what hurts least to what hurts most.

HOURS = (*range(1, 24), *range(24, 24 * 14, 12), *range(24 * 14, 24 * 91, 24))
"""How much later a deadline may be: by the hour for a day, then in half days, then in days, up to three months."""
QUARTERS = (0.9, 0.8, 0.75, 0.66, 0.5, 0.33, 0.25)
"""To which part a task is shortened."""


def ideas(problem: Problem, cause: Cause) -> Iterator[Idea]:
    """What might help against a cause, cheap things first."""
    named = [task for task in problem.tasks if task.id in cause.task_ids] or list(problem.tasks)
    if cause.kind != "cycle":
        yield from _without_loss(problem, named, cause)
    for task in named:
        if task.locked:
            text = f"Let “{task.title}” move instead of keeping it locked."
            yield one_step("unlock", text, 4.0, {"set": "unlock", "task": task.id})
    yield from _links(problem, cause)
    yield from _fewer(named)
    for task in sorted(named, key=lambda task: (-task.priority, task.minutes)):
        if task.locked:
            continue
        yield Idea("shorten", tuple(_shorter(task)))
        cost = 12.0 - task.priority
        yield one_step("drop", f"Leave out “{task.title}”.", cost, {"set": "drop", "task": task.id})


def _without_loss(problem: Problem, named: list[Task], cause: Cause) -> Iterator[Idea]:
    """Changes with which everything is still done."""
    for task in named:
        if not task.splittable and not task.locked and task.minutes > task.min_block_minutes:
            text = f"Allow “{task.title}” to be done in several blocks."
            yield one_step("split", text, 1.0, {"set": "splittable", "task": task.id})
    for task in sorted(named, key=lambda task: -task.priority):
        if task.latest is not None and not task.locked:
            yield Idea("deadline", tuple(_later(problem, task.latest, task)))
    yield Idea("horizon", tuple(_later(problem, problem.end, None)))
    for task in named:
        if task.earliest is not None and not task.locked and task.earliest > problem.start:
            yield Idea("earliest", tuple(_earlier(problem, task, task.earliest)))
    yield from calendar_ideas(problem, cause)


def _later(problem: Problem, old: datetime, task: Task | None) -> Iterator[Relaxation]:
    event = min((each for each in problem.events if each >= old), default=None)
    for hours in HOURS:
        # Elapsed time is added in UTC: a deadline after a change of summer time is as much later as it says.
        moment = (old.astimezone(UTC) + timedelta(hours=hours)).astimezone(problem.calendar.zone)
        if event is not None and moment > event:
            return
        cost = 2.0 + hours / 24 / 7
        if task is None:
            text = f"Plan until {in_words(moment, problem)} instead of {in_words(old, problem)}."
            yield Relaxation(text, "horizon", cost + 0.5, {"set": "end", "to": moment.isoformat()})
        else:
            text = f"Let “{task.title}” end by {in_words(moment, problem)} instead of {in_words(old, problem)}."
            yield Relaxation(text, "deadline", cost, {"set": "latest", "task": task.id, "to": moment.isoformat()})


def _earlier(problem: Problem, task: Task, old: datetime) -> Iterator[Relaxation]:
    for hours in HOURS:
        moment = max(problem.start.astimezone(UTC), old.astimezone(UTC) - timedelta(hours=hours))
        text = f"Let “{task.title}” begin from {in_words(moment, problem)} on."
        change: dict[str, object] = {"set": "earliest", "task": task.id, "to": moment.isoformat()}
        yield Relaxation(text, "earliest", 2.5 + hours / 24 / 7, change)
        if moment == problem.start.astimezone(UTC):
            return


def _fewer(named: list[Task]) -> Iterator[Idea]:
    """Work that comes back, less often: every fourth time is left out, or every third, or every second."""
    series: dict[str, list[Task]] = defaultdict(list)
    for task in named:
        leaf, mark, _ = task.id.partition("#")
        if mark and not task.locked:
            series[leaf].append(task)
    for tasks in sorted(series.values(), key=lambda tasks: (-tasks[0].priority, -len(tasks))):
        steps = []
        for nth, words in (4, "three times out of four"), (3, "two times out of three"), (2, "every second time"):
            changes: list[object] = [{"set": "drop", "task": task.id} for task in tasks[nth - 1 :: nth]]
            if changes:
                text = f"Do “{tasks[0].title}” only {words}."
                steps.append(Relaxation(text, "fewer", 6.5 + 1 / nth, {"set": "all", "changes": changes}))
        yield Idea("fewer", tuple(steps))


def _links(problem: Problem, cause: Cause) -> Iterator[Idea]:
    titles = {task.id: task.title for task in problem.tasks}
    for link in problem.links:
        if {link.before, link.after} <= set(cause.task_ids):
            text = f"Let “{titles[link.after]}” no longer depend on “{titles[link.before]}”."
            change: dict[str, object] = {"set": "unlink", "before": link.before, "after": link.after, "type": link.type}
            yield one_step("link", text, 6.0, change)


def _shorter(task: Task) -> Iterator[Relaxation]:
    for part in QUARTERS:
        minutes: Any = int(task.minutes * part) // GRID_MINUTES * GRID_MINUTES
        if 0 < minutes < task.minutes:
            text = f"Shorten “{task.title}” from {task.minutes} to {minutes} minutes."
            cost = 5.5 + (5 - task.priority) / 2 + 2 * (1 - part)
            yield Relaxation(text, "shorten", cost, {"set": "minutes", "task": task.id, "to": minutes})

"""Changes of a problem as data, so that they can be stored, shown and applied later."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from loopwright.agents.planner.schedule.problem import Problem, Relaxation, Task, Window
from loopwright.kernel.errors import InvalidInput

Change = dict[str, Any]
MIDNIGHT = 24 * 60


def apply_relaxation(problem: Problem, relaxation: Relaxation) -> Problem:
    """The problem with the change of a relaxation.

    Raises:
        InvalidInput: the change is of an unknown kind, or names a task that the problem does not have.
    """
    change = relaxation.change
    apply = CHANGES.get(str(change.get("set")))
    if apply is None:
        raise InvalidInput(
            f"There is no change {change.get('set')!r}.", hint=f"There are {', '.join(sorted(CHANGES))}."
        )
    if "task" in change and all(task.id != change["task"] for task in problem.tasks):
        raise InvalidInput(f"The problem has no task {change['task']!r}.")
    return apply(problem, change)


def _task(problem: Problem, change: Change, **values: Any) -> Problem:
    tasks = tuple(replace(task, **values) if task.id == change["task"] else task for task in problem.tasks)
    return replace(problem, tasks=tasks)


def _all(problem: Problem, change: Change) -> Problem:
    for part in change["changes"]:
        problem = apply_relaxation(problem, Relaxation("", "", 0.0, part))
    return problem


def _latest(problem: Problem, change: Change) -> Problem:
    moment = datetime.fromisoformat(change["to"])
    return replace(_task(problem, change, latest=moment), end=max(problem.end, moment))


def _earliest(problem: Problem, change: Change) -> Problem:
    return _task(problem, change, earliest=datetime.fromisoformat(change["to"]))


def _end(problem: Problem, change: Change) -> Problem:
    """A later end for all; deadlines at the old end or after it move along."""
    moment, old = datetime.fromisoformat(change["to"]), problem.end

    def later(task: Task) -> Task:
        return replace(task, latest=moment) if task.latest is not None and task.latest >= old else task

    return replace(problem, end=moment, tasks=tuple(map(later, problem.tasks)))


def _limit(name: str) -> Callable[[Problem, Change], Problem]:
    def apply(problem: Problem, change: Change) -> Problem:
        return replace(problem, calendar=replace(problem.calendar, **{name: change["to"]}))

    return apply


def _splittable(problem: Problem, change: Change) -> Problem:
    return _task(problem, change, splittable=True)


def _minutes(problem: Problem, change: Change) -> Problem:
    return _task(problem, change, minutes=int(change["to"]))


def _drop(problem: Problem, change: Change) -> Problem:
    gone = change["task"]
    tasks = tuple(task for task in problem.tasks if task.id != gone)
    links = tuple(link for link in problem.links if gone not in {link.before, link.after})
    return replace(problem, tasks=tasks, links=links)


def _unlock(problem: Problem, change: Change) -> Problem:
    return _task(problem, change, locked=())


def _hours(problem: Problem, change: Change) -> Problem:
    hours = tuple((time.fromisoformat(start), time.fromisoformat(end)) for start, end in change["to"])
    exceptions = {**problem.calendar.exceptions, date.fromisoformat(change["date"]): hours}
    return replace(problem, calendar=replace(problem.calendar, exceptions=exceptions))


def _unblock(problem: Problem, change: Change) -> Problem:
    start, end = (datetime.fromisoformat(change[key]) for key in ("start", "end"))
    kept = tuple(span for span in problem.calendar.blackouts if (span.start, span.end) != (start, end))
    return replace(problem, calendar=replace(problem.calendar, blackouts=kept))


def _longer_hours(problem: Problem, change: Change) -> Problem:
    """The last hours of each weekday end so many minutes later, at midnight at most."""
    latest = {window.weekday: window.start for window in sorted(problem.calendar.windows, key=lambda w: w.start)}

    def longer(window: Window) -> Window:
        if window.start != latest[window.weekday] or window.end == time():
            return window
        end = window.end.hour * 60 + window.end.minute + int(change["minutes"])
        return replace(window, end=time() if end >= MIDNIGHT else time(end // 60, end % 60))

    windows = tuple(longer(window) for window in problem.calendar.windows)
    return replace(problem, calendar=replace(problem.calendar, windows=windows))


def _unlink(problem: Problem, change: Change) -> Problem:
    wanted = (change["before"], change["after"], change["type"])
    links = tuple(link for link in problem.links if (link.before, link.after, link.type) != wanted)
    return replace(problem, links=links)


CHANGES: dict[str, Callable[[Problem, Change], Problem]] = {
    "all": _all,
    "latest": _latest,
    "earliest": _earliest,
    "end": _end,
    "minutes_per_day": _limit("minutes_per_day"),
    "minutes_per_week": _limit("minutes_per_week"),
    "tasks_per_day": _limit("tasks_per_day"),
    "max_consecutive_minutes": _limit("max_consecutive_minutes"),
    "splittable": _splittable,
    "minutes": _minutes,
    "drop": _drop,
    "unlock": _unlock,
    "hours": _hours,
    "unlink": _unlink,
    "unblock": _unblock,
    "longer_hours": _longer_hours,
}

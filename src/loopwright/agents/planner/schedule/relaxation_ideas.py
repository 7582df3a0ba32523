"""What could be changed where a problem has no schedule: from what hurts least to what hurts most."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from loopwright.agents.planner.schedule.case import in_words
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Cause, Problem, Relaxation, Task
from loopwright.agents.planner.schedule.relaxation_calendar import Idea, calendar_ideas, one_step

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
    for hours in HOURS:
        # Elapsed time is added in UTC: a deadline after a change of summer time is as much later as it says.
        moment = (old.astimezone(UTC) + timedelta(hours=hours)).astimezone(problem.calendar.zone)
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

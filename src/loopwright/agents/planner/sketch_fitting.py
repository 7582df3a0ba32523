"""How much of a sketch fits: what contradicts the stated hours is refused, what a model proposed is made smaller."""

from dataclasses import dataclass

from loopwright.agents.planner.contracts.state import GoalFacts, Sketch, SketchSessions
from loopwright.agents.planner.roadmap_options import minutes_in_a_week
from loopwright.agents.planner.terms import read_terms

QUARTER = 15
SHORTEST_SESSION = 30
FILL = 0.94
"""How much of the stated hours the work is to take: the rest is lost at the edges of weeks and days."""
SPACEY = 0.9
LEAST_FACTOR = 0.5
"""Estimates may be off by so much before anybody is told."""
SMALLEST_FACTOR = 0.1
"""What would have to shrink further is no plan any more: the user hears that it does not fit."""
SHARES = (1.0, 0.8, 0.6, 0.4, 0.25)
PACE = 1.5
LEAST_PACE = 120
DAYS = 7


@dataclass(frozen=True)
class Space:
    """The minutes that can be worked in a usual week; with a deadline how many weeks there are, and all minutes."""

    weekly: float
    days: int
    weeks: float | None = None
    total: float | None = None
    stated: bool = False

    def left(self, sketch: Sketch) -> float | None:
        """What the sessions leave for everything else."""
        return None if self.total is None or self.weeks is None else self.total - sketch.weekly * self.weeks


def space_of(goal: GoalFacts) -> Space:
    """The space that the goal's terms leave.

    Raises:
        InvalidInput: they cannot be used.
    """
    terms = read_terms(goal)
    weekly = minutes_in_a_week(terms)
    days = len({window.weekday for window in terms.calendar.windows})
    stated = "hours_per_week" in goal.stated
    if terms.deadline is None:
        return Space(weekly, days, stated=stated)
    weeks = (terms.deadline - terms.start).total_seconds() / 604_800
    return Space(weekly, days, weeks, weekly * weeks, stated)


def sessions_refused(series: SketchSessions, sketch: Sketch, space: Space) -> str:
    """Why sessions do not fit beside the others, with numbers that would; nothing where they fit."""
    free = space.weekly - sketch.weekly
    whole = series.minutes * series.times_per_week
    if series.times_per_week > space.days:
        return f"Only {space.days} days of the week can be used: at most {space.days} times."
    if whole <= free:
        return ""
    said = f"{series.times_per_week} times {series.minutes} minutes are {_hours(whole)} a week"
    there = f"there are {_hours(space.weekly)} a week" + (f", {_hours(free)} still free" if sketch.sessions else "")
    times = int(free // series.minutes)
    shorter = int(free / series.times_per_week // QUARTER * QUARTER)
    fits = [f"{times} times {series.minutes} minutes"] if times else []
    fits += [f"{series.times_per_week} times {shorter} minutes"] if shorter >= QUARTER else []
    would = f"It would fit: {' or '.join(fits)}." if fits else "No more sessions fit."
    return f"{said}, but {there}. {would}"


def tasks_refused(minutes: float, sketch: Sketch, space: Space) -> str:
    """Why more tasks do not fit until the last day, with the hours that would; nothing where they fit."""
    left = space.left(sketch)
    if left is None or LEAST_FACTOR * (sketch.once + minutes) <= left:
        return ""
    free = max(0.0, left - sketch.once)
    return f"These tasks take {_hours(minutes)}; until the last day only {_hours(free)} are left. Write smaller ones."


def _hours(minutes: float) -> str:
    return f"{round(minutes / 60, 1):g} h"


def fitted(goal: GoalFacts, sketch: Sketch) -> tuple[Sketch, list[str]]:
    """The sketch as it fits the time there is, and what was made smaller for that, in words for the user.

    How often something is done stays where the user has said it; how long it takes each time is a proposal.
    """
    space, sketch = space_of(goal), sketch.model_copy(deep=True)
    sessions, told = _fitted_sessions(sketch, space)
    sketch = sketch.model_copy(update={"sessions": sessions})
    factor = _factor(sketch, space)
    for part in sketch.parts:
        for task in part.tasks:
            task.minutes = quarters(task.minutes * factor)
    if factor < LEAST_FACTOR:
        told.append(f"tasks at {factor:.0%} of their first estimates")
    elif factor != 1:
        why = "fill the stated hours" if factor > 1 else "fit the time there is"
        return sketch, [*told, f"estimates times {factor:.2g}, so that they {why}"]
    return sketch, told


def quarters(minutes: float) -> int:
    """Whole quarters of an hour, at least one."""
    return max(QUARTER, round(minutes / QUARTER) * QUARTER)


def _fitted_sessions(sketch: Sketch, space: Space) -> tuple[list[SketchSessions], list[str]]:
    free = space.weekly * sketch.share
    if space.total is not None and space.weeks:
        tasks = min(LEAST_FACTOR * sketch.once, LEAST_FACTOR * space.total)
        free = min(free, (FILL * sketch.share * space.total - tasks) / max(1.0, space.weeks))
    sessions = [each.model_copy() for each in sketch.sessions]
    for each in sessions:
        each.times_per_week = min(each.times_per_week, space.days)
    while (taken := sum(each.minutes * each.times_per_week for each in sessions)) > free:
        # The longest gets rarer, then shorter; what the user has counted gets shorter only.
        longest = sorted(sessions, key=lambda each: (each.stated, -each.minutes * each.times_per_week))
        rarer = next((each for each in longest if not each.stated and each.times_per_week > 1), None)
        shorter = next((each for each in longest if each.minutes > SHORTEST_SESSION), None)
        shorter = shorter or next((each for each in longest if each.minutes > QUARTER), None)
        if rarer is not None and (shorter is None or taken - free >= rarer.minutes / 2):
            rarer.times_per_week -= 1
        elif shorter is not None:
            shorter.minutes = max(QUARTER, shorter.minutes - QUARTER)
        elif len(sessions) > 1 and not longest[0].stated:
            sessions.remove(longest[0])
        else:
            break
    return sessions, list(_told(sketch.sessions, sessions))


def _told(before: list[SketchSessions], after: list[SketchSessions]) -> list[str]:
    found = {each.title: each for each in after}
    told = []
    for each in before:
        now = found.get(each.title)
        if now is None:
            told.append(f"no “{each.title}” every week")
        elif (now.times_per_week, now.minutes) != (each.times_per_week, each.minutes):
            old, new = f"{each.times_per_week} × {each.minutes}", f"{now.times_per_week} × {now.minutes}"
            told.append(f"“{each.title}” {new} minutes a week instead of {old}")
    return told


def _factor(sketch: Sketch, space: Space) -> float:
    """By how much the estimates of tasks are to be multiplied."""
    left = space.left(sketch)
    if left is None or not sketch.once or left <= 0:
        return 1.0
    factor = (FILL if space.stated else SPACEY) * sketch.share * left / sketch.once
    if factor < SMALLEST_FACTOR:
        return 1.0
    return factor if space.stated else min(1.0, factor)


def pace_of(goal: GoalFacts, sketch: Sketch) -> int | None:
    """Minutes a week that spread work without stated hours over the time there is; None where nothing is to be spread.

    Without it a plan for months would be over in its first days.
    """
    space = space_of(goal)
    if space.stated or not space.weeks or space.weeks < 2 or sketch.share < 1:
        return None
    longest = max((task.minutes for part in sketch.parts for task in part.tasks), default=0)
    return sketch.weekly + quarters(max(LEAST_PACE, longest, PACE * sketch.once / space.weeks))


def smaller(sketch: Sketch) -> Sketch | None:
    """The sketch with less of the time than before; None where it was made as small as it may be."""
    share = next((share for share in SHARES if share < sketch.share), None)
    return (
        None if share is None or not (sketch.parts or sketch.sessions) else sketch.model_copy(update={"share": share})
    )

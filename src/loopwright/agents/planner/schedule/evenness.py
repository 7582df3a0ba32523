"""The first aims of the objective: what is done lies evenly over the weeks, then over the days; only then early.

The objective is ordered. What a person has set holds always (the problem itself). Then the busiest week is made as
light as it can be, then the days: how many sessions, how many minutes, with free days between them where there are
any. Each of these is stated as a limit before the solver lays the work as early as the limits allow, which is the last
aim. Each limit is tried with lists of tasks; it is kept only where they still give a schedule.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date
from functools import partial
from typing import Any

from loopwright.agents.planner.schedule.bounds import Bounds, compute_bounds
from loopwright.agents.planner.schedule.case import Case, build_case
from loopwright.agents.planner.schedule.greedy import Placer, place_all
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, LIMITS, Problem, Task
from loopwright.agents.planner.schedule.table import Places, cost, earlier_place

BUFFERS = {"relax": 1.0}
BUFFER = 1.1
"""How much more than the least that is enough a week takes, by mode: so the work ends before the last moment."""
BLOCKS = (30, 60, 90)
"""Minutes that blocks of a task that has to be cut are to have, if they can."""
SHORTEST = 30
"""Minutes of a session: a shorter one is a fragment, where the work itself is not so short."""
MOST_TASKS = 1_500
"""Above so many the limits are not sought: one list costs too much."""
LEAST_PATIENCE = 0.05
"""Seconds that one more list is worth."""


@dataclass(frozen=True)
class Loads:
    """What a schedule asks of weeks (by their Monday's number) and days: slots, and how many tasks a day has."""

    weeks: Counter[int]
    days: Counter[int]
    tasks: Counter[int]

    @property
    def peaks(self) -> tuple[int, int, int]:
        """The most slots in a week, the most tasks on a day, the most slots on a day."""
        week, tasks, day = (max(each.values(), default=0) for each in (self.weeks, self.tasks, self.days))
        return week, tasks, day


def loads_of(case: Case, places: Places) -> Loads:
    """What places of tasks, with the locked ones, ask of weeks and days."""
    weeks: Counter[int] = Counter()
    days: Counter[int] = Counter()
    tasks: Counter[int] = Counter()
    locked = {
        work.index: [(case.axis.floor(span.start), case.axis.ceil(span.end)) for span in work.task.locked]
        for work in case.locked
    }
    for pieces in [*places.values(), *locked.values()]:
        touched = Counter[int]()
        for first, end in pieces:
            for day, share in case.axis.shares(first, end):
                touched[day] += share
        for day, share in touched.items():
            weeks[day // 7] += share
            days[day] += share
            tasks[day] += 1
    return Loads(weeks, days, tasks)


def evened(problem: Problem, left: Callable[[], float]) -> Problem:
    """The problem with the tightest limits of weeks and days for which lists still give a schedule.

    Args:
        problem: its `aims` say what is wanted before early work; nothing is done where early work comes first.
        left: how many seconds are left for it; where they end, what was found until then counts.

    Returns:
        A problem each of whose schedules is one of the given problem.
    """
    aims = problem.aims[: problem.aims.index("early")] if "early" in problem.aims else problem.aims
    if not aims or problem.mode == "manual" or len(problem.tasks) > MOST_TASKS:
        return problem
    search = _Search(problem, left)
    if search.places is None:
        return problem
    if "whole" in aims:
        search.keep_whole()
    if "even_weeks" in aims:
        search.narrow_weeks()
    if "even_days" in aims:
        search.end_as_now()
        search.narrow_days()
        if not any(task.previous for task in problem.tasks):
            search.keep_apart()
    return search.problem


class _Search:
    """A problem that becomes narrower step by step, with a schedule of it."""

    def __init__(self, problem: Problem, left: Callable[[], float]) -> None:
        self.problem, self.left, self.half = problem, left, left() / 2
        self.case, self.places = _listed(problem)
        # Where work lay before it may stay: limits are never tighter than what that asks.
        kept = {work.index: earlier_place(self.case, work) for work in self.case.moving}
        self.before = loads_of(self.case, {index: pieces for index, pieces in kept.items() if pieces}).peaks

    def try_(self, problem: Problem) -> bool:
        """Take a narrower problem if lists give a schedule of it."""
        if self.left() < LEAST_PATIENCE:
            return False
        case, places = _listed(problem)
        if places is None:
            return False
        self.problem, self.case, self.places = problem, case, places
        return True

    def _limited(self, name: str, value: int) -> Problem:
        known = getattr(self.problem.calendar, name)
        value = value if known is None else min(known, value)
        limit: dict[str, Any] = {name: value}
        return replace(self.problem, calendar=replace(self.problem.calendar, **limit))

    def _least(self, name: str, low: int, high: int, unit: int) -> int:
        """The smallest limit that works, by halves; `high` is what the known schedule takes."""
        while low < high:
            middle = (low + high) // 2
            if self.try_(self._limited(name, middle * unit)):
                high = middle
            else:
                low = middle + 1
        self.try_(self._limited(name, high * unit))
        return high

    def _loads(self) -> Loads:
        return loads_of(self.case, self.places or {})

    def keep_whole(self) -> None:
        """No task that can be done in one session is cut; blocks of the others are long, and none is a fragment."""
        works = [work for work in self.case.moving if work.task.splittable and len(work.task.previous) < 2]
        self._as_many([work.task.id for work in works if work.slots <= work.longest], _in_one_piece)
        for minutes in BLOCKS:
            cut = [work.task for work in self.case.moving if work.task.splittable and not work.task.previous]
            shorter = [
                task.id for task in cut if task.min_block_minutes < minutes < task.minutes or minutes == BLOCKS[0]
            ]
            self._as_many(shorter, partial(_in_blocks, minutes))

    def _as_many(self, ids: list[str], change: Callable[[Task], Task]) -> None:
        """Change all of these tasks, or in halves as many as lists still place."""
        wanted = set(ids)
        tasks = tuple(change(task) if task.id in wanted else task for task in self.problem.tasks)
        # Half of the time is for weeks and days.
        if not ids or self.left() < self.half or self.try_(replace(self.problem, tasks=tasks)) or len(ids) == 1:
            return
        middle = len(ids) // 2
        self._as_many(ids[:middle], change)
        self._as_many(ids[middle:], change)

    def narrow_weeks(self) -> None:
        """The lightest busiest week, and a buffer on top of it."""
        loads, origin = self._loads(), self.problem
        axis = self.case.axis
        open_weeks = {axis.day_of(first) // 7 for first, _ in axis.free}
        total = sum(loads.weeks.values())
        low = max(-(-total // max(1, len(open_weeks))), self.before[0])
        least = self._least("minutes_per_week", low, max(low, loads.peaks[0]), GRID_MINUTES)
        self.problem = origin
        if not self.try_(
            self._limited("minutes_per_week", round(least * BUFFERS.get(origin.mode, BUFFER)) * GRID_MINUTES)
        ):
            self.try_(self._limited("minutes_per_week", least * GRID_MINUTES))

    def end_as_now(self) -> None:
        """Lighter days may not make the whole plan longer than by the rest of its last week."""
        if not self.places:
            return
        axis = self.case.axis
        last = max(pieces[-1][1] for pieces in self.places.values())
        until = axis.moment(axis.days[axis.day_of(last - 1) // 7 * 7 + 6].end)
        if until < self.problem.end.astimezone(UTC):
            self.try_(replace(self.problem, end=until))

    def narrow_days(self) -> None:
        """Few tasks on each day, then few minutes."""
        _, tasks, _ = self._loads().peaks
        self._least("tasks_per_day", max(1, self.before[1]), max(self.before[1], tasks), 1)
        minutes = self._loads().peaks[2]
        longest = max((work.slots if work.whole else work.shortest for work in self.case.moving), default=1)
        low = max(longest, self.before[2])
        self._least("minutes_per_day", low, max(low, minutes), GRID_MINUTES)

    def keep_apart(self) -> None:
        """Free days lie between the days of work of a week, not after them."""
        weeks = self._free_days()
        if weeks and not self.try_(self._without([day for days in weeks for day in days])):
            for days in weeks:
                self.try_(self._without(days))

    def _without(self, days: list[date]) -> Problem:
        """The problem with no working hours on some days."""
        exceptions = {**self.problem.calendar.exceptions, **dict.fromkeys(days, ())}
        return replace(self.problem, calendar=replace(self.problem.calendar, exceptions=exceptions))

    def _free_days(self) -> list[list[date]]:
        """By week the days to keep free, where not all are needed: as many as now, evenly between the others."""
        axis, start = self.case.axis, self.case.axis.ceil(self.problem.start)
        used = {axis.day_of(pieces[0][0]) for pieces in (self.places or {}).values()}
        weeks: dict[int, list[int]] = defaultdict(list)
        for number, day in enumerate(axis.days):
            if axis.between(max(day.first, start), day.end):
                weeks[number // 7].append(number)
        found = []
        for days in weeks.values():
            count = sum(day in used for day in days)
            kept = {days[place * len(days) // count] for place in range(count)}
            if 0 < count < len(days):
                found.append([axis.days[day].date for day in days if day not in kept])
        return found


def _in_one_piece(task: Task) -> Task:
    return replace(task, splittable=False)


def _in_blocks(minutes: int, task: Task) -> Task:
    return replace(task, min_block_minutes=max(minutes, task.min_block_minutes), min_last_minutes=SHORTEST)


def _listed(problem: Problem) -> tuple[Case, Places | None]:
    """A schedule by the first list that gives one."""
    case = build_case(problem)
    bounds = compute_bounds(case)
    return case, None if bounds.broken is not None else first_list(case, bounds)


def first_list(case: Case, bounds: Bounds) -> Places | None:
    """The schedule of the first list that gives one: what is due first comes first, then what costs most."""
    due = [float(bounds.end_until[work.index]) for work in case.works]
    for keys in (due, [-work.weight / work.slots for work in case.works]):
        placer = Placer(case, bounds)
        if not place_all(placer, keys, most_missing=0):
            return placer.table.places
    return None


# What a schedule is worth by each aim, for people.


def terms_of(case: Case, places: Places) -> dict[str, float]:
    """The aims' terms, in their order, and the limits that held for them.

    Tasks in several blocks; minutes of the busiest week, most tasks on a day, minutes of the busiest day; days until
    the tasks are done, in the mean; what the places of all tasks cost: late ends by priority, and moves.
    """
    loads = loads_of(case, places)
    week, tasks, day = loads.peaks
    start = case.axis.ceil(case.problem.start)
    ends = [pieces[-1][1] - start for pieces in places.values()]
    mean = sum(ends) / len(ends) * GRID_MINUTES / (24 * 60) if ends else 0.0
    terms = {
        "split_tasks": float(sum(len(pieces) > 1 for pieces in places.values())),
        "busiest_week_minutes": float(week * GRID_MINUTES),
        "most_tasks_on_a_day": float(tasks),
        "busiest_day_minutes": float(day * GRID_MINUTES),
        "mean_days_until_done": round(mean, 2),
        "cost_of_places": float(cost(case, places)),
    }
    limits = {name: getattr(case.problem.calendar, name) for name in LIMITS}
    return terms | {f"{name}_limit": float(value) for name, value in limits.items() if value is not None}

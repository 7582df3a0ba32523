"""When each task can start and end at the earliest and at the latest, alone with its links and the calendar.

A longest-path closure: every link raises the earliest time of one end of a task from one end of another, maximal lags
backwards, and each time is snapped to the next one at which the calendar allows it. It is the least fixpoint, so a
task that ends after its deadline here ends after it in every schedule; the steps that led there tell the chain.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loopwright.agents.planner.schedule.case import Arc, Case, Work, slots_up
from loopwright.agents.planner.schedule.problem import GRID_MINUTES

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


NEVER = 1 << 40
"""A slot that does not come."""
MOST_VISITS = 400
"""Per task: maximal lags can pull tasks after each other many times; what was found until then is sound."""


@dataclass
class Bounds:
    """Slots by the task's index. `broken` is a task that ends after it has to, if one was found."""

    start_from: list[int]
    end_from: list[int]
    start_until: list[int]
    end_until: list[int]
    reasons: list[Arc | None] = field(default_factory=list)
    broken: int | None = None

    def chain(self, index: int) -> list[tuple[int, Arc | None]]:
        """The tasks, first one first, that push a task to where it can be at the earliest, with the arc behind each."""
        found: list[tuple[int, Arc | None]] = []
        seen: set[int] = set()
        while index not in seen:
            seen.add(index)
            arc = self.reasons[index]
            found.append((index, arc))
            if arc is None:
                break
            index = arc.before
        return found[::-1]


def locked_end(work: Work, end: bool) -> int:
    """One end of a locked task, in minutes of the axis."""
    assert work.lock is not None  # noqa: S101 - callers ask for locked tasks only
    return work.lock[1] if end else work.lock[0]


def compute_bounds(case: Case) -> Bounds:
    """The bounds of all tasks; those of locked ones are the slots that they touch."""
    bounds = own_bounds(case)
    _forward(case, bounds)
    if bounds.broken is None:
        _backward(case, bounds)
    return bounds


def placed_start(case: Case, work: Work, start: int, end: int) -> int | None:
    """The first start at `start` or later that the calendar allows, with an end at `end` or later."""
    if work.whole:
        return case.axis.earliest_start(work.slots, max(start, end - work.slots))
    return case.axis.earliest_start(1, start)


def placed_end(case: Case, work: Work, end: int, start: int) -> int | None:
    """The last end at `end` or earlier that the calendar allows, with a start at `start` or earlier."""
    if work.whole:
        return case.axis.latest_end(work.slots, min(end, start + work.slots))
    return case.axis.latest_end(1, end)


def own_bounds(case: Case) -> Bounds:
    """What the tasks themselves say, without links and calendar."""
    start_from, end_from, start_until, end_until = [], [], [], []
    for work in case.works:
        if work.lock is not None:
            first, end = work.lock[0] // GRID_MINUTES, slots_up(work.lock[1])
            start_from.append(first)
            start_until.append(first)
            end_from.append(end)
            end_until.append(end)
        else:
            start_from.append(work.release)
            end_from.append(work.release)
            start_until.append(work.due)
            end_until.append(work.due)
    return Bounds(start_from, end_from, start_until, end_until, [None] * len(case.works))


def _forward(case: Case, bounds: Bounds) -> None:
    leaving: list[list[Arc]] = [[] for _ in case.works]
    for arc in case.arcs:
        leaving[arc.before].append(arc)
    waiting = deque(range(len(case.works)))
    queued = [True] * len(case.works)
    visits = 0
    while waiting and visits < MOST_VISITS * len(case.works):
        visits += 1
        index = waiting.popleft()
        queued[index] = False
        work = case.works[index]
        if work.lock is None and not _snap_forward(case, work, bounds):
            bounds.broken = index
            return
        for arc in leaving[index]:
            if _raise(case, arc, bounds) and not queued[arc.after]:
                queued[arc.after] = True
                waiting.append(arc.after)
            if case.works[arc.after].lock is not None and _too_late_for_lock(case, arc, bounds):
                bounds.reasons[arc.after] = arc
                bounds.broken = arc.after
                return


def _snap_forward(case: Case, work: Work, bounds: Bounds) -> bool:
    """Move a task to where the calendar allows it; False where that is after its deadline."""
    index = work.index
    start = placed_start(case, work, bounds.start_from[index], bounds.end_from[index])
    if start is None:
        bounds.start_from[index] = bounds.end_from[index] = NEVER
        return False
    end = start + work.slots if work.whole else case.axis.earliest_end(work.slots, start)
    bounds.start_from[index] = start
    bounds.end_from[index] = NEVER if end is None else max(bounds.end_from[index], end)
    return bounds.end_from[index] <= work.due


def _minutes(case: Case, index: int, end: bool, bounds: Bounds) -> int:
    work = case.works[index]
    if work.lock is not None:
        return locked_end(work, end)
    return (bounds.end_from[index] if end else bounds.start_from[index]) * GRID_MINUTES


def _raise(case: Case, arc: Arc, bounds: Bounds) -> bool:
    if case.works[arc.after].lock is not None:
        return False
    least = slots_up(_minutes(case, arc.before, arc.before_end, bounds) + arc.minutes)
    values = bounds.end_from if arc.after_end else bounds.start_from
    if least <= values[arc.after]:
        return False
    values[arc.after] = least
    bounds.reasons[arc.after] = arc
    return True


def _too_late_for_lock(case: Case, arc: Arc, bounds: Bounds) -> bool:
    least = _minutes(case, arc.before, arc.before_end, bounds) + arc.minutes
    return least > locked_end(case.works[arc.after], arc.after_end)


def _backward(case: Case, bounds: Bounds) -> None:
    """The same from the deadlines; no contradiction can show here that did not show forwards."""
    arriving: list[list[Arc]] = [[] for _ in case.works]
    for arc in case.arcs:
        arriving[arc.after].append(arc)
    waiting = deque(range(len(case.works)))
    queued = [True] * len(case.works)
    for _ in range(MOST_VISITS * len(case.works)):
        if not waiting:
            return
        index = waiting.popleft()
        queued[index] = False
        work = case.works[index]
        if work.lock is None:
            _snap_backward(case, work, bounds)
        for arc in arriving[index]:
            if _lower(case, arc, bounds) and not queued[arc.before]:
                queued[arc.before] = True
                waiting.append(arc.before)


def _snap_backward(case: Case, work: Work, bounds: Bounds) -> None:
    index = work.index
    end = placed_end(case, work, bounds.end_until[index], bounds.start_until[index])
    if end is None:
        return
    start = end - work.slots if work.whole else case.axis.latest_start(work.slots, end)
    bounds.end_until[index] = end
    if start is not None:
        bounds.start_until[index] = min(bounds.start_until[index], start)


def _lower(case: Case, arc: Arc, bounds: Bounds) -> bool:
    work, values = case.works[arc.before], bounds.end_until if arc.before_end else bounds.start_until
    if work.lock is not None:
        return False
    after = case.works[arc.after]
    if after.lock is not None:
        most = (locked_end(after, arc.after_end) - arc.minutes) // GRID_MINUTES
    else:
        late = bounds.end_until if arc.after_end else bounds.start_until
        most = (late[arc.after] * GRID_MINUTES - arc.minutes) // GRID_MINUTES
    if most >= values[arc.before]:
        return False
    values[arc.before] = most
    return True


def fixed_arcs(case: Case) -> Iterator[Arc]:
    """The arcs between two locked tasks."""
    return (a for a in case.arcs if case.works[a.before].lock is not None and case.works[a.after].lock is not None)


# Limits of days and weeks in the model: minutes of work, and how many tasks.

Row = list[tuple[Any, Any, Any, Any]]
"""Start, size, end and presence (None: always there) of a task's blocks."""


def add_day_limits(case: Case, bounds: Bounds, cp: "CpModel", rows: dict[int, Row]) -> None:
    """State the limits that can bind; the others need no variables."""
    days = _binding_days(case)
    if not days:
        return
    minutes: dict[int, list[Any]] = defaultdict(list)
    tasks: dict[int, list[Any]] = defaultdict(list)
    for index, row in rows.items():
        touched: dict[int, list[Any]] = defaultdict(list)
        for block in row:
            for day, (load, present) in _loads(case, bounds, cp, index, block, days).items():
                minutes[day].append(load)
                touched[day].append(present)
        for day, literals in touched.items():
            present = literals[0]
            if len(literals) > 1:
                present = cp.new_bool_var("")
                cp.add_max_equality(present, literals)
            tasks[day].append(present)
    weeks: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for day, loads in minutes.items():
        if day in case.day_space:
            cp.add(sum(loads) <= case.day_space[day])
        weeks[case.axis.days[day].week] += loads
        if day in case.day_tasks:
            cp.add(sum(tasks[day]) <= case.day_tasks[day])
    for week, loads in weeks.items():
        if week in case.week_space:
            cp.add(sum(loads) <= case.week_space[week])


def model_size(case: Case, bounds: Bounds) -> int:
    """About how many pairs of a task and a day on which it may lie the limits need in the model."""
    days = sorted(_binding_days(case))
    total = 0
    for work in case.moving if days else []:
        low = case.axis.day_of(bounds.start_from[work.index])
        high = case.axis.day_of(max(0, bounds.end_until[work.index] - 1))
        total += bisect_right(days, high) - bisect_left(days, low)
    return total


def _binding_days(case: Case) -> set[int]:
    """The days on which some limit may be reached: by their own, or because their week's may be."""
    axis = case.axis
    week_free: dict[tuple[int, int], int] = defaultdict(int)
    free = {}
    for number, day in enumerate(axis.days):
        free[number] = axis.between(day.first, day.end)
        week_free[day.week] += min(free[number], case.day_space.get(number, 1 << 40))
    smallest = sorted(min(work.slots, work.shortest) if not work.whole else work.slots for work in case.moving)
    found = set()
    for number, day in enumerate(axis.days):
        tight = free[number] > case.day_space.get(number, 1 << 40)
        tight |= week_free[day.week] > case.week_space.get(day.week, 1 << 40)
        most = case.day_tasks.get(number, 1 << 40)
        if len(smallest) > most:
            # A part of a split task may be a single slot: what is left of it.
            least = sum(1 if not all(work.whole for work in case.moving) else s for s in smallest[: most + 1])
            tight |= least <= free[number]
        if free[number] and tight:
            found.add(number)
    return found


def _loads(
    case: Case, bounds: Bounds, cp: "CpModel", index: int, block: tuple[Any, Any, Any, Any], days: set[int]
) -> dict[int, tuple[Any, Any]]:
    """On each binding day that a block may touch: its slots there, and whether it lies there."""
    start, size, end, used = block
    low, high = bounds.start_from[index], bounds.end_until[index]
    axis = case.axis
    choices: list[Any] = []
    loads: dict[int, tuple[Any, Any]] = {}
    for number in range(axis.day_of(low), len(axis.days)):
        day = axis.days[number]
        if day.first >= high:
            break
        if not axis.between(max(low, day.first), min(high, day.end)):
            continue
        here = cp.new_bool_var("")
        choices.append(here)
        cp.add(start >= day.first).only_enforce_if(here)
        cp.add(start <= day.end - 1).only_enforce_if(here)
        crosses = bool(axis.stretches(day.end - 1, day.end)) and bool(axis.stretches(day.end, day.end + 1))
        enters = bool(axis.stretches(day.first - 1, day.first)) and bool(axis.stretches(day.first, day.first + 1))
        if number not in days:
            continue
        if crosses or enters:
            loads[number] = _overlap(cp, start, size, end, (day.first, day.end), used)
        elif isinstance(size, int):
            loads[number] = (size * here, here)
        else:
            load = cp.new_int_var(0, case.works[index].longest, "")
            cp.add(load >= size).only_enforce_if(here)
            loads[number] = (load, here)
    if used is None:
        cp.add_exactly_one(choices)
    else:
        cp.add(sum(choices) == used)
    return loads


def _overlap(cp: "CpModel", start: Any, size: Any, end: Any, day: tuple[int, int], used: Any) -> tuple[Any, Any]:
    """How many slots of a block lie on a day that it may enter or leave at midnight."""
    span = day[1] - day[0]
    shared = cp.new_int_var(-(1 << 30), span, "")
    cp.add_min_equality(shared, [size, end - day[0], day[1] - start, span])
    load, present = cp.new_int_var(0, span, ""), cp.new_bool_var("")
    cp.add(load >= shared)
    cp.add(load == 0).only_enforce_if(~present)
    if used is not None:
        cp.add(load >= 0).only_enforce_if(used)
    return load, present

"""Limits of days and weeks in the model: minutes of work, and how many tasks."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from loopwright.agents.planner.schedule.bounds import Bounds
from loopwright.agents.planner.schedule.case import Case

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

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
        if day in case.day_room:
            cp.add(sum(loads) <= case.day_room[day])
        weeks[case.axis.days[day].week] += loads
        if day in case.day_tasks:
            cp.add(sum(tasks[day]) <= case.day_tasks[day])
    for week, loads in weeks.items():
        if week in case.week_room:
            cp.add(sum(loads) <= case.week_room[week])


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
        week_free[day.week] += min(free[number], case.day_room.get(number, 1 << 40))
    smallest = sorted(min(work.slots, work.shortest) if not work.whole else work.slots for work in case.moving)
    found = set()
    for number, day in enumerate(axis.days):
        tight = free[number] > case.day_room.get(number, 1 << 40)
        tight |= week_free[day.week] > case.week_room.get(day.week, 1 << 40)
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

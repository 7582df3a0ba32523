"""Repairs a list schedule in which some tasks found no place.

A task without a place takes one from others, which then look for another one: ejection chains. What is hard to place
becomes dear to eject, so that the chains do not go round in circles (guided ejection search, Nagata and Bräysy 2009).
"""

from collections import deque
from collections.abc import Callable
from random import Random

from loopwright.agents.planner.schedule.axis import Slots
from loopwright.agents.planner.schedule.greedy import Placer

STEPS = 6
"""Tries to place a task, for each task of the problem; and at least `LEAST_STEPS`."""
LEAST_STEPS = 300
RIVALS = 40
"""Tasks that one step may eject at most."""


def place_by_ejection(placer: Placer, missing: list[int], seed: int, left: Callable[[], float]) -> list[int]:
    """Place what is missing, if others can lie elsewhere.

    Args:
        placer: with a table on which the others lie.
        missing: the indices of the tasks without a place.
        seed: of the choice among equals.
        left: how many seconds are left.

    Returns:
        The tasks without a place in the end, those that found none most often first. Nothing is proved by them.
    """
    chance = Random(seed)
    penalty = dict.fromkeys(range(len(placer.case.works)), 1)
    waiting = deque(missing)
    for _ in range(max(LEAST_STEPS, STEPS * len(penalty))):
        if not waiting or left() <= 0:
            break
        index = waiting.popleft()
        if not placer.place(index):
            penalty[index] += 1
            waiting.extend(_force(placer, index, penalty, chance))
    return sorted(set(waiting), key=lambda index: -penalty[index])


def _force(placer: Placer, index: int, penalty: dict[int, int], chance: Random) -> list[int]:
    """Place a task where others lie; returns those that lost their place, or the task itself where it did not help."""
    table = placer.table
    within = _stretch(placer, index, chance)
    rivals = set(table.lying(*within)) | _neighbours(placer, index)
    ordered = sorted(rivals, key=lambda other: penalty[other] * (0.5 + chance.random()))
    moved: dict[int, list[Slots]] = {}
    for other in ordered[:RIVALS]:
        moved[other] = table.release(other)
        if placer.place(index, within):
            break
    # Most of them were not in the way: they stay where they were, the dear ones first.
    for other in sorted(moved, key=lambda other: -penalty[other]):
        if placer.allows(other, moved[other]):
            table.take(other, moved.pop(other))
    return list(moved) if index in table.places else [*moved, index]


def _stretch(placer: Placer, index: int, chance: Random) -> Slots:
    """Whole weeks within the task's bounds that would hold it twice, from a day by chance on."""
    bounds, axis, table = placer.bounds, placer.case.axis, placer.table
    low, high = bounds.start_from[index], bounds.end_until[index]
    week = chance.randint(axis.day_of(low), axis.day_of(max(low, bounds.start_until[index]))) // 7
    last, room, need = week, 0, 2 * placer.case.works[index].slots
    while last < len(table.week_room):
        first_day, end_day = axis.days[7 * last], axis.days[7 * last + 6]
        room += min(placer.week_rooms[last], axis.between(max(low, first_day.first), min(high, end_day.end)))
        if room >= need or end_day.end >= high:
            break
        last += 1
    last = min(last, len(table.week_room) - 1)
    return axis.days[7 * week].first, axis.days[7 * last + 6].end


def _neighbours(placer: Placer, index: int) -> set[int]:
    """The linked tasks that lie somewhere."""
    found = {arc.before for arc in placer.arriving[index]} | {arc.after for arc in placer.leaving[index]}
    return {other for other in found if other in placer.table.places}

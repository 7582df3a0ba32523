"""Earliest times that also count the work before: what a task waits for takes its time on the one machine."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace

from loopwright.agents.planner.schedule.bounds import Bounds, placed_start
from loopwright.agents.planner.schedule.case import Arc, Case
from loopwright.agents.planner.schedule.relaxed_axis import RelaxedAxis

MOST_PAIRS = 200_000
"""Pairs of a task and one before it that are looked at; tasks beyond keep what they have, which stays a bound."""


def orders(case: Case) -> list[Arc]:
    """The links that let one task begin only after another one, both not locked."""
    return [
        arc
        for arc in case.arcs
        if arc.before_end
        and not arc.after_end
        and arc.minutes >= 0
        and not arc.is_maximum
        and case.works[arc.before].lock is None
        and case.works[arc.after].lock is None
    ]


def capacity_heads(case: Case, bounds: Bounds, axis: RelaxedAxis, apart: Collection[int] = ()) -> Bounds:
    """The bounds with later earliest times, where the tasks that come first need so much time together.

    For each task, those before it are run on one machine in the order of their earliest starts, which ends earliest.
    What lies `apart` (by index) is not run on this axis.
    """
    before: dict[int, set[int]] = defaultdict(set)
    after: dict[int, list[int]] = defaultdict(list)
    count: dict[int, int] = defaultdict(int)
    for arc in orders(case):
        after[arc.before].append(arc.after)
        count[arc.after] += 1
    start_from, end_from = list(bounds.start_from), list(bounds.end_from)
    waiting = [work.index for work in case.moving if count[work.index] == 0]
    pairs = 0
    for index in waiting:
        work = case.works[index]
        if before[index] and pairs < MOST_PAIRS:
            pairs += len(before[index])
            done = _ends(case, axis, start_from, before[index].difference(apart))
            last = axis.slot(done - 1)
            if last is not None and last + 1 > start_from[index]:
                start_from[index] = placed_start(case, work, last + 1, end_from[index]) or start_from[index]
            own = max(done, axis.position(axis.release(start_from[index]))) + work.slots
            end = None if index in apart else axis.slot(own - 1)
            end_from[index] = max(end_from[index], start_from[index] + work.slots, 0 if end is None else end + 1)
        for other in after[index]:
            before[other] |= before[index] | {index}
            count[other] -= 1
            if count[other] == 0:
                waiting.append(other)
    return replace(bounds, start_from=start_from, end_from=end_from)


def _ends(case: Case, axis: RelaxedAxis, start_from: list[int], indices: set[int]) -> int:
    """The position at which some tasks can all be done."""
    done = 0
    for released, slots in sorted((start_from[i], case.works[i].slots) for i in indices):
        done = max(done, axis.position(axis.release(released))) + slots
    return done

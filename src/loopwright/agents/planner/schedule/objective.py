"""What a schedule costs, and what every schedule costs at least.

Without an earlier schedule the cost is the weighted completion time: the end of each task in slots after the first one,
times the weight of its priority. A task that has an earlier place costs its moves instead, far more than any delay.
"""

from heapq import heappop, heappush

from loopwright.agents.planner.schedule.axis import Slots
from loopwright.agents.planner.schedule.bounds import NEVER, Bounds
from loopwright.agents.planner.schedule.case import Case, Work, joined
from loopwright.agents.planner.schedule.table import Places

MOVED = 4_096
"""What it costs that a block of an earlier schedule does not stay."""
DISTANCE = 64
"""What each slot costs by which a block's start or end moves."""


def earlier_place(case: Case, work: Work) -> list[Slots]:
    """Where the task lay before, on the grid; nothing where it did not."""
    axis = case.axis
    return joined((axis.floor(span.start), axis.ceil(span.end)) for span in work.task.previous)


def cost(case: Case, places: Places) -> int:
    """The cost of a whole schedule."""
    total = 0
    origin = case.axis.ceil(case.problem.start)
    for work in case.moving:
        pieces, earlier = joined(places[work.index]), earlier_place(case, work)
        if not earlier:
            total += work.weight * (pieces[-1][1] - origin)
        else:
            total += move_cost(pieces, earlier)
    return total


def move_cost(pieces: list[Slots], earlier: list[Slots]) -> int:
    """The cost of moving blocks, compared one by one; one that is gone counts as moved to the task's end."""
    total = MOVED * max(0, len(pieces) - len(earlier))
    for number, then in enumerate(earlier):
        now = pieces[number] if number < len(pieces) else (pieces[-1][1], pieces[-1][1])
        distance = abs(now[0] - then[0]) + abs(now[1] - then[1])
        total += DISTANCE * distance + (MOVED if distance else 0)
    return total


def least_cost(case: Case, bounds: Bounds) -> int:
    """A lower bound of the cost: the better one of two.

    One is each task at its earliest end. The other lets every slot be worked in by itself: then the dearest work per
    slot comes first, and a task ends at least half its length after the mean of its slots (the mean busy time
    relaxation of 1|r|ΣwC, Goemans et al. 2002; it holds for any set of free slots).
    """
    works = [work for work in case.moving if not work.task.previous]
    origin = case.axis.ceil(case.problem.start)
    alone = sum(work.weight * (bounds.end_from[work.index] - origin) for work in works)
    return max(0, alone, _shared(case, works, bounds, origin))


def _shared(case: Case, works: list[Work], bounds: Bounds, origin: int) -> int:
    stretches, limited = _earliest_slots(case)
    days = case.axis.days
    # On a day that takes only so much, its first slots stand for any; then a task may not have to wait within the day.
    release = {
        work.index: days[case.axis.day_of(at)].first if limited else at
        for work in works
        for at in [bounds.start_from[work.index]]
    }
    arrivals = sorted(works, key=lambda work: release[work.index])
    waiting: list[tuple[float, int]] = []
    left = {work.index: work.slots for work in works}
    total, number = 0.0, 0
    for first, end in stretches:
        slot = first
        while slot < end:
            while number < len(arrivals) and release[arrivals[number].index] <= slot:
                work = arrivals[number]
                heappush(waiting, (-work.weight / work.slots, work.index))
                number += 1
            following = release[arrivals[number].index] if number < len(arrivals) else NEVER
            if not waiting:
                slot = max(slot + 1, min(end, following))
                continue
            work = case.works[waiting[0][1]]
            size = min(left[work.index], end - slot, following - slot)
            # The middle of the stretch, for each of its slots' share of the task.
            total += work.weight / work.slots * size * (slot + size / 2 - origin)
            left[work.index] -= size
            slot += size
            if left[work.index] == 0:
                heappop(waiting)
                total += work.weight * work.slots / 2
    return int(total - 1e-6 * abs(total))


def _earliest_slots(case: Case) -> tuple[list[Slots], bool]:
    """Of each day the first free slots, as many as it takes; and whether some day takes fewer than it has."""
    found: list[Slots] = []
    limited = False
    left = dict(case.day_room)
    for first, end in case.axis.free:
        for day, share in case.axis.shares(first, end):
            low = max(first, case.axis.days[day].first)
            size = min(share, left.get(day, share))
            limited |= size < share
            if day in left:
                left[day] -= size
            if size:
                found.append((low, low + size))
    return found, limited

"""What a schedule costs.

Without an earlier schedule the cost is the weighted completion time: the end of each task in slots after the first one,
times the weight of its priority. A task that has an earlier place costs its moves instead, far more than any delay.
"""

from loopwright.agents.planner.schedule.axis import Slots
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
    return sum(task_cost(case, work, joined(places[work.index])) for work in case.moving)


def task_cost(case: Case, work: Work, pieces: list[Slots]) -> int:
    """What the place of one task costs; `pieces` in order, none touching another."""
    earlier = earlier_place(case, work)
    if earlier:
        return move_cost(pieces, earlier)
    return work.weight * (pieces[-1][1] - case.axis.ceil(case.problem.start))


def move_cost(pieces: list[Slots], earlier: list[Slots]) -> int:
    """The cost of moving blocks, compared one by one; one that is gone counts as moved to the task's end."""
    total = MOVED * max(0, len(pieces) - len(earlier))
    for number, then in enumerate(earlier):
        now = pieces[number] if number < len(pieces) else (pieces[-1][1], pieces[-1][1])
        distance = abs(now[0] - then[0]) + abs(now[1] - then[1])
        total += DISTANCE * distance + (MOVED if distance else 0)
    return total

"""The first schedule: the best of a few lists, repaired where a list leaves tasks without a place."""

from collections.abc import Callable
from time import monotonic

from loopwright.agents.planner.schedule.bounds import Bounds
from loopwright.agents.planner.schedule.case import Case
from loopwright.agents.planner.schedule.ejection import place_by_ejection
from loopwright.agents.planner.schedule.greedy import Placer, place_all
from loopwright.agents.planner.schedule.objective import cost
from loopwright.agents.planner.schedule.table import Places

LEAST_SECONDS = 5.0
"""For repairing, even where less is left: a late first answer is better than none."""
REPAIRED = 2
"""Lists that are repaired: those that leave out least."""
MANY = 300
"""Tasks above which the first list that gives a schedule is enough: what follows improves it."""


def first_places(case: Case, bounds: Bounds, seed: int, left: Callable[[], float]) -> tuple[Places | None, list[int]]:
    """Place one task after the other, by several orders: what costs most per slot first, what is due first, and so on.

    Args:
        case: the problem.
        bounds: of its tasks.
        seed: of the repair.
        left: how many seconds are left.

    Returns:
        The cheapest schedule of all orders, or the first repaired one where every order leaves something out. Where
        there is none, None and the tasks that found no place, those that were hardest to place first.
    """
    works = case.works
    orders = [
        [-work.weight / work.slots for work in works],
        [float(bounds.end_until[work.index]) for work in works],
        [float(bounds.start_until[work.index]) for work in works],
        [float(bounds.start_from[work.index]) for work in works],
    ]
    best: tuple[int, Places] | None = None
    unfinished: list[tuple[Placer, list[int]]] = []
    for keys in orders:
        if best is not None and len(works) > MANY:
            break
        placer = Placer(case, bounds)
        missing = place_all(placer, keys)
        if missing:
            unfinished.append((placer, missing))
            continue
        price = cost(case, placer.table.places)
        if best is None or price < best[0]:
            best = price, placer.table.places
    if best is not None:
        return best[1], []
    fewest: list[int] = []
    until = monotonic() + max(LEAST_SECONDS, left())
    for placer, missing in sorted(unfinished, key=lambda each: len(each[1]))[:REPAIRED]:
        left_out = place_by_ejection(placer, missing, seed, lambda: until - monotonic())
        if not left_out:
            return placer.table.places, []
        if not fewest or len(left_out) < len(fewest):
            fewest = left_out
    return None, fewest

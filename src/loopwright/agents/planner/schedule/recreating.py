"""Improves a schedule by taking some tasks away and placing them again in another order, many times a second.

Ruin and recreate (Schrimpf et al. 2000): what lies near each other is taken away together, as only such tasks can
change places. A change that costs no more is kept.
"""

from collections.abc import Callable
from random import Random

from loopwright.agents.planner.schedule.bounds import Bounds
from loopwright.agents.planner.schedule.case import Case
from loopwright.agents.planner.schedule.greedy import Placer
from loopwright.agents.planner.schedule.objective import task_cost
from loopwright.agents.planner.schedule.table import Places

LEAST, MOST = 2, 12
"""Tasks that are taken away at once."""
DAYS = (1, 3, 7, 21)
"""How far around a task others are taken from."""
PATIENCE = 40
"""Tries without a better schedule, for each task, after which it ends."""


def recreate(
    case: Case,
    bounds: Bounds,
    places: Places,
    left: Callable[[], float],
    on_places: Callable[[Places], None],
    seed: int,
) -> Places:
    """Improve a schedule until the time ends, or nothing has helped for long.

    Args:
        case: the problem.
        bounds: of its tasks.
        places: a schedule of it.
        left: how many seconds are left.
        on_places: told about each better schedule.
        seed: of what is chosen by chance.

    Returns:
        A schedule that costs no more.
    """
    placer = Placer(case, bounds)
    # What breaks of no length allow may be closer together than lists place it: then there is nothing to take away.
    if not _lay_down(placer, places):
        return places
    chance = Random(seed)
    movable = sorted(places)
    quiet = 0
    while left() > 0 and quiet < PATIENCE * len(movable):
        gain = _once(placer, movable, chance)
        quiet = 0 if gain > 0 else quiet + 1
        if gain > 0:
            on_places(dict(placer.table.places))
    return dict(placer.table.places)


def _lay_down(placer: Placer, places: Places) -> bool:
    for index, pieces in sorted(places.items(), key=lambda each: each[1]):
        if not placer.table.fits(index, pieces):
            return False
        placer.table.take(index, pieces)
    return True


def _once(placer: Placer, movable: list[int], chance: Random) -> int:
    """One try; returns what it saves, 0 where all lies as before."""
    table, case = placer.table, placer.case
    middle = table.places[chance.choice(movable)][0][0]
    around = chance.choice(DAYS) * 96
    near = table.lying(middle - around, middle + around)
    chosen = chance.sample(near, min(len(near), chance.randint(LEAST, MOST)))
    before = {index: table.release(index) for index in chosen}
    if _place_again(placer, chosen, chance):
        works = case.works
        gain = sum(task_cost(case, works[i], before[i]) - task_cost(case, works[i], table.places[i]) for i in chosen)
        if gain >= 0:
            return gain
    for index in chosen:
        if index in table.places:
            table.release(index)
    for index, pieces in before.items():
        table.take(index, pieces)
    return 0


def _place_again(placer: Placer, chosen: list[int], chance: Random) -> bool:
    """Place tasks in an order by chance in which dear and short ones tend to come first; links count."""
    works = placer.case.works
    keys = {i: works[i].weight / works[i].slots * (0.3 + chance.random()) for i in chosen}
    waiting = sorted(chosen, key=lambda i: -keys[i])
    while waiting:
        missing = set(waiting)
        ready = next((i for i in waiting if not any(arc.before in missing for arc in placer.arriving[i])), waiting[0])
        waiting.remove(ready)
        if not placer.place(ready):
            return False
    return True

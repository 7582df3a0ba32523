"""Large problems: improve a schedule in windows of time, one after the other, everything else fixed."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from loopwright.agents.planner.schedule.bounds import compute_bounds
from loopwright.agents.planner.schedule.case import Case, build_case
from loopwright.agents.planner.schedule.objective import cost
from loopwright.agents.planner.schedule.problem import Problem, Span
from loopwright.agents.planner.schedule.solver_search import search
from loopwright.agents.planner.schedule.table import Places

WINDOW = 25
"""Tasks that move together."""
SECONDS = 1.5
"""For one window."""


def improve(
    case: Case, places: Places, left: Callable[[], float], on_places: Callable[[Places], None], seed: int
) -> Places:
    """Go through the schedule window by window until the time ends.

    Args:
        case: the whole case.
        places: a schedule of it.
        left: how many seconds are left.
        on_places: told about each better schedule.
        seed: of the searches.

    Returns:
        A schedule that costs no more.
    """
    best, turn = dict(places), 0
    while left() > 0.2:
        order = sorted(best, key=lambda index: best[index][0])
        step, shift = WINDOW // 2, turn % 2 * (WINDOW // 4)
        changed = False
        for at in range(shift, max(1, len(order) - step), step):
            if left() <= 0.2:
                return best
            better = _window(case, best, order[at : at + WINDOW], min(SECONDS, left()), seed)
            if better is not None:
                best, changed = better, True
                on_places(best)
        turn += 1
        if not changed and turn > 1:
            break
    return best


def _window(case: Case, places: Places, chosen: list[int], seconds: float, seed: int) -> Places | None:
    part = _part(case, places, set(chosen))
    small = build_case(part, case.share)
    bounds = compute_bounds(small)
    if bounds.broken is not None:
        return None
    number = {task.id: index for index, task in enumerate(part.tasks)}
    shift = small.axis.floor(case.axis.moment(0))
    here = {number[case.works[index].task.id]: [(a + shift, b + shift) for a, b in places[index]] for index in chosen}
    found = search(small, bounds, here, seconds, seed)
    if found.places is None or cost(small, found.places) >= cost(small, here):
        return None
    moved = {
        index: [(a - shift, b - shift) for a, b in found.places[number[case.works[index].task.id]]] for index in chosen
    }
    return {**places, **moved}


def _part(case: Case, places: Places, chosen: set[int]) -> Problem:
    """The chosen tasks, between the first start and the last end among them; what lies around is locked."""
    axis, problem = case.axis, case.problem
    first = min(places[index][0][0] for index in chosen)
    end = max(places[index][-1][1] for index in chosen)
    days = axis.days
    # Whole days, as they know how much of them may be used; whole weeks around, as they have limits too.
    begin = max(axis.moment(days[axis.day_of(first)].first), problem.start, key=_utc)
    until = min(axis.moment(days[axis.day_of(end - 1)].end), problem.end, key=_utc)
    low = days[axis.day_of(first) // 7 * 7].first
    high = days[axis.day_of(end - 1) // 7 * 7 + 6].end
    around = {i for i, pieces in places.items() if i not in chosen and pieces[-1][1] > low and pieces[0][0] < high}
    linked = set()
    for arc in case.arcs:
        if (arc.before in chosen) != (arc.after in chosen):
            linked.add(arc.after if arc.before in chosen else arc.before)
    tasks = []
    for work in case.works:
        index = work.index
        if index in chosen:
            tasks.append(work.task)
        elif index in places and (index in around or index in linked):
            spans = tuple(Span(axis.moment(a), axis.moment(b)) for a, b in places[index])
            tasks.append(replace(work.task, locked=spans))
        elif work.lock is not None:
            tasks.append(work.task)
    known = {task.id for task in tasks}
    links = tuple(link for link in problem.links if {link.before, link.after} <= known)
    return replace(problem, tasks=tuple(tasks), links=links, start=begin, end=until)


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)

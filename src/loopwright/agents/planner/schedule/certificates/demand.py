"""More work than time: tasks that all have to lie in a stretch which is too short for them together.

Energetic reasoning over pairs of an earliest start and a latest end: every task whose bounds lie within the two has to
be done between them. What fits there is limited by the free time, by the days and weeks, and by the breaks.
"""

from loopwright.agents.planner.schedule.bounds import Bounds
from loopwright.agents.planner.schedule.case import Case, Work
from loopwright.agents.planner.schedule.certificates.rooms import Rooms
from loopwright.agents.planner.schedule.certificates.words import lasting, listed
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Cause

MOST_STRETCHES = 60_000
"""Stretches that are looked at; of more earliest starts, an even choice: what is found stays a proof."""


def find_demand(case: Case, bounds: Bounds, rooms: Rooms) -> Cause | None:
    """A stretch whose work does not fit, the shortest one that starts first, or None."""
    works = sorted(case.moving, key=lambda work: bounds.end_until[work.index])
    releases = sorted({bounds.start_from[work.index] for work in works})
    step = -(-len(releases) * len(works) // MOST_STRETCHES) or 1
    for first in releases[::step]:
        amount = count = 0
        inside: list[Work] = []
        for number, work in enumerate(works):
            if bounds.start_from[work.index] < first:
                continue
            inside.append(work)
            amount += work.slots
            count += 1
            end = bounds.end_until[work.index]
            if number + 1 < len(works) and bounds.end_until[works[number + 1].index] == end:
                continue
            if end > first and rooms.overfull(first, end, amount, count):
                return _cause(case, rooms, inside, first, end)
    return None


def _cause(case: Case, rooms: Rooms, inside: list[Work], first: int, end: int) -> Cause:
    needed = sum(work.slots for work in inside) * GRID_MINUTES
    room = rooms.room(first, end) * GRID_MINUTES
    titles = [work.task.title for work in inside]
    words = f"{listed(titles)} have to be done between {case.when(first)} and {case.when(end)}"
    if needed > room:
        text = f"{words} and take {lasting(needed)} together, but there is room for {lasting(room)}."
    else:
        room = case.axis.between(first, end) * GRID_MINUTES
        # What the stretches' own ends save of the breaks is no part of the work.
        saved = rooms.stretched(first, end) * GRID_MINUTES - room
        with_breaks = needed + len(inside) * case.rest * GRID_MINUTES - saved
        if with_breaks > room:
            needed = with_breaks
            text = (
                f"{words} and take {lasting(needed)} with the breaks between them, but only {lasting(room)} are free."
            )
        else:
            text = f"{words}: {len(inside)} tasks are more than the limit of tasks per day allows."
    return Cause("demand", text, tuple(work.task.id for work in inside), case.span(first, end), needed, room)

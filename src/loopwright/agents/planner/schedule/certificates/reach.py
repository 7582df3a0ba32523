"""Tasks that do not fit into their own time, and chains that push one out of it."""

from loopwright.agents.planner.schedule.bounds import NEVER, Bounds
from loopwright.agents.planner.schedule.case import Case, Work
from loopwright.agents.planner.schedule.certificates.rooms import Rooms
from loopwright.agents.planner.schedule.certificates.words import lasting, listed, quoted
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Cause


def find_window(case: Case, rooms: Rooms) -> Cause | None:
    """A task that is longer than what is free between its earliest and its latest time."""
    for work in case.moving:
        cause = _alone(case, rooms, work)
        if cause is not None:
            return cause
    return None


def _alone(case: Case, rooms: Rooms, work: Work) -> Cause | None:
    axis, ids, needed = case.axis, (work.task.id,), work.slots * GRID_MINUTES
    if work.due <= work.release:
        text = (
            f"{quoted(work.task.title)} has to be done by {case.when(work.due)}, but may not begin before "
            f"{case.when(work.release)}."
        )
        return Cause("window", text, ids, None, needed, 0)
    span = case.span(work.release, work.due)
    between = f"between {case.when(work.release)} and {case.when(work.due)}"
    free = rooms.room(work.release, work.due)
    if free < work.slots:
        room = lasting(free * GRID_MINUTES)
        text = f"{quoted(work.task.title)} takes {lasting(needed)}, but only {room} are free {between}."
        return Cause("window", text, ids, span, needed, free * GRID_MINUTES)
    if not work.whole:
        # Every block but the last one has this length at least, and there are two or more.
        needed = work.shortest * GRID_MINUTES
    if work.shortest > work.longest:
        most = case.problem.calendar.max_consecutive_minutes or 0
        text = (
            f"{quoted(work.task.title)} takes {lasting(needed)} in one piece, but work may last {lasting(most)} at "
            f"most before a break."
        )
        return Cause("window", text, ids, span, needed, most)
    pieces = (rooms.piece(first, end) for first, end in axis.walk(work.release, work.due))
    if not any(piece >= work.shortest for piece in pieces):
        longest = max((rooms.piece(*stretch) for stretch in axis.walk(work.release, work.due)), default=0)
        text = (
            f"{quoted(work.task.title)} takes {lasting(needed)} in one piece, but the longest free stretch {between} "
            f"has {lasting(longest * GRID_MINUTES)}, the limits of days counted."
        )
        return Cause("window", text, ids, span, needed, longest * GRID_MINUTES)
    return None


def find_chain(case: Case, bounds: Bounds, rooms: Rooms) -> Cause | None:
    """A chain of linked tasks that cannot end in time even if nothing else is done."""
    if bounds.broken is None:
        return None
    steps = bounds.chain(bounds.broken)
    works = [case.works[index] for index, _ in steps]
    ids, titles = tuple(work.task.id for work in works), [work.task.title for work in works]
    first, last = works[0], works[-1]
    if last.lock is not None:
        at = case.when(last.lock[0] // GRID_MINUTES)
        text = f"{quoted(last.task.title)} is locked at {at}, too early for {listed(titles[:-1])} before it."
        return Cause("locked", text, ids)
    needed = sum(work.slots for work in works if work.lock is None) * GRID_MINUTES
    begin = first.release if first.lock is None else first.lock[0] // GRID_MINUTES
    reached = bounds.end_from[last.index]
    when = f"not before {case.when(reached)}" if reached < NEVER else "not within the planned time"
    span = case.span(begin, last.due) if begin < last.due else None
    free = rooms.room(begin, last.due) * GRID_MINUTES if begin < last.due else 0
    due = f"it has to be done by {case.when(last.due)}"
    if first.lock is not None:
        text = f"After {quoted(first.task.title)}, which is locked, {quoted(last.task.title)} can end {when}; {due}."
        return Cause("locked", text, ids, span, needed, free)
    if len(works) == 1:
        text = f"{quoted(last.task.title)} can end {when}; {due}."
        return Cause("window", text, ids, span, needed, free)
    text = (
        f"The chain {' → '.join(quoted(title) for title in titles)} begins on {case.when(begin)} at the earliest and "
        f"ends {when}, lags and free time counted; {due}."
    )
    return Cause("chain", text, ids, span, needed, free)

"""Work that finds no room beside what has to lie on certain days: daily and weekly work leaves too little of each."""

from collections import Counter

from loopwright.agents.planner.schedule.axis import Slots
from loopwright.agents.planner.schedule.bounds import Bounds
from loopwright.agents.planner.schedule.case import Case, Work
from loopwright.agents.planner.schedule.certificates.words import lasting, listed, quoted
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Cause
from loopwright.agents.planner.schedule.relaxed_axis import RelaxedAxis, confined_works


def find_crowding(case: Case, bounds: Bounds) -> Cause | None:
    """A task for which other tasks, which cannot leave their day or week, leave no room in its whole time, or None."""
    confined = confined_works(case, bounds, case.moving)
    if not confined:
        return None
    axis = RelaxedAxis(case, confined=confined.values())
    for work in case.moving:
        own = 0
        if work.index in confined:
            if confined[work.index][1] == confined[work.index][2]:
                continue
            # It has been counted in its week itself.
            own = work.slots
        first, end = bounds.start_from[work.index], bounds.end_until[work.index]
        piece, room = _left(case, axis, (first, end), own, work)
        if piece < work.shortest or room < work.slots:
            around = [other for other, low, high in confined.values() if _meets(case, low, high, first, end)]
            around = [other for other in around if other is not work]
            return _cause(case, work, around, (first, end), piece if piece < work.shortest else room)
    return None


def _left(case: Case, axis: RelaxedAxis, span: Slots, own: int, work: Work) -> tuple[int, int]:
    """The longest piece and all the room between two slots, looked at no longer than until both are enough."""
    longest = total = in_week = 0
    week = -1
    used: Counter[int] = Counter()
    for stretch in case.axis.walk(*span):
        piece = 0
        for day, share in case.axis.shares(*stretch):
            if day // 7 != week:
                week, in_week = day // 7, 0
            fitting = min(share, axis.days[day] - used[day])
            fitting = max(0, min(fitting, axis.weeks[week] + own - in_week))
            used[day] += fitting
            in_week += fitting
            total += fitting
            piece += min(share, axis.days[day], axis.weeks[week] + own)
        longest = max(longest, piece)
        if longest >= work.shortest and total >= work.slots:
            break
    return longest, total


def _meets(case: Case, low: int, high: int, first: int, end: int) -> bool:
    """Whether a task of these days takes something of the weeks between two slots."""
    return case.axis.day_of(first) // 7 <= high // 7 and low // 7 <= case.axis.day_of(end - 1) // 7


def _cause(case: Case, work: Work, around: list[Work], span: Slots, left: int) -> Cause:
    in_one = left < work.shortest
    needed = (work.shortest if in_one else work.slots) * GRID_MINUTES
    titles = list(dict.fromkeys(other.task.title for other in around))
    text = (
        f"{quoted(work.task.title)} takes {lasting(needed)}{' in one piece' if in_one else ''}, but between "
        f"{case.when(span[0])} and {case.when(span[1])} {listed(titles)} leave only {lasting(left * GRID_MINUTES)}"
        f"{' of any day' if in_one else ''}."
    )
    ids = (work.task.id, *(other.task.id for other in around))
    return Cause("demand", text, ids, case.span(*span), needed, left * GRID_MINUTES)

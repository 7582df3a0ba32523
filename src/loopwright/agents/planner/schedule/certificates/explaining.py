"""Why there is no schedule, without asking the solver: from what is simplest to understand to what is least."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC
from itertools import accumulate, pairwise

from loopwright.agents.planner.schedule.bounds import NEVER, Bounds, compute_bounds, fixed_arcs, locked_end
from loopwright.agents.planner.schedule.case import Arc, Case, Work, build_case, in_words
from loopwright.agents.planner.schedule.certificates.pairs import find_pair, lasting, listed, quoted
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Cause, Problem, Slots, Span
from loopwright.agents.planner.schedule.relaxed_axis import RelaxedAxis, confined_works

# Work that finds no space beside what has to lie on certain days: daily and weekly work leaves too little of each.


def find_crowding(case: Case, bounds: Bounds) -> Cause | None:
    """A task for which other tasks, which cannot leave their day or week, leave no space in its whole time, or None."""
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
        piece, space = _left(case, axis, (first, end), own, work)
        if piece < work.shortest or space < work.slots:
            around = [other for other, low, high in confined.values() if _meets(case, low, high, first, end)]
            around = [other for other in around if other is not work]
            return _crowding_cause(case, work, around, (first, end), piece if piece < work.shortest else space)
    return None


def _left(case: Case, axis: RelaxedAxis, span: Slots, own: int, work: Work) -> tuple[int, int]:
    """The longest piece and all the space between two slots, looked at no longer than until both are enough."""
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


def _crowding_cause(case: Case, work: Work, around: list[Work], span: Slots, left: int) -> Cause:
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


# How much work fits between two slots, whatever else: free time, the limits of days and weeks, the breaks.


class Spaces:
    """What fits between two slots, from sums over whole days and weeks."""

    def __init__(self, case: Case) -> None:
        self.case = case
        axis = case.axis
        self.days = [
            min(axis.between(day.first, day.end), case.day_space.get(number, 1 << 40))
            if case.day_tasks.get(number, 1) > 0
            else 0
            for number, day in enumerate(axis.days)
        ]
        self.day_sums = [0, *accumulate(self.days)]
        self.task_sums = [
            0,
            *accumulate(case.day_tasks.get(n, 1 << 20) if space else 0 for n, space in enumerate(self.days)),
        ]
        # The days are those of whole weeks: seven each.
        self.weeks = [
            min(sum(self.days[n : n + 7]), case.week_space.get(axis.days[n].week, 1 << 40))
            for n in range(0, len(self.days), 7)
        ]
        self.week_sums = [0, *accumulate(self.weeks)]
        extras = [min(case.rest, b[0] - a[1]) for a, b in pairwise(axis.free)] + [case.rest]
        self.with_breaks = [0, *accumulate(b - a + extra for (a, b), extra in zip(axis.free, extras, strict=False))]
        self.firsts = [a for a, _ in axis.free]
        self.extras = extras

    def overfull(self, first: int, end: int, amount: int, count: int) -> bool:
        """Whether so many slots of so many tasks are too much."""
        if amount > self.space(first, end):
            return True
        low, high = self.case.axis.day_of(first), self.case.axis.day_of(end - 1)
        if count > self.task_sums[high + 1] - self.task_sums[low]:
            return True
        return amount + count * self.case.rest > self.stretched(first, end)

    def space(self, first: int, end: int) -> int:
        """Slots of work that days and weeks allow between two slots."""
        axis = self.case.axis
        low, high = axis.day_of(first), axis.day_of(end - 1)
        if low // 7 == high // 7:
            return self._part(first, end, low, high)
        head = self._part(first, axis.days[low // 7 * 7 + 6].end, low, low // 7 * 7 + 6)
        tail = self._part(axis.days[high // 7 * 7].first, end, high // 7 * 7, high)
        return head + tail + self.week_sums[high // 7] - self.week_sums[low // 7 + 1]

    def piece(self, first: int, end: int) -> int:
        """Slots that one piece may have at most in a free stretch: on each of its days so many as the day takes."""
        return sum(min(share, self.days[day]) for day, share in self.case.axis.shares(first, end))

    def _part(self, first: int, end: int, low: int, high: int) -> int:
        axis, case = self.case.axis, self.case
        total = 0
        for number in range(low, high + 1):
            day = axis.days[number]
            if first <= day.first and day.end <= end:
                total += self.days[number]
            else:
                free = axis.between(max(first, day.first), min(end, day.end))
                total += min(free, self.days[number])
        return min(total, case.week_space.get(axis.days[low].week, total))

    def stretched(self, first: int, end: int) -> int:
        """The free slots with one break for each stretch: each task needs a break after it, the last one none."""
        low = bisect_left(self.firsts, first)
        low -= low > 0 and self.case.axis.free[low - 1][1] > first
        high = bisect_left(self.firsts, end)
        if high <= low:
            return 0
        total = self.with_breaks[high] - self.with_breaks[low]
        head, tail = self.case.axis.free[low], self.case.axis.free[high - 1]
        total -= max(0, first - head[0]) + max(0, tail[1] - end)
        return total + self.case.rest - self.extras[high - 1]


# Tasks that do not fit into their own time, and chains that push one out of it.


def find_window(case: Case, spaces: Spaces) -> Cause | None:
    """A task that is longer than what is free between its earliest and its latest time."""
    for work in case.moving:
        cause = _alone(case, spaces, work)
        if cause is not None:
            return cause
    return None


def _alone(case: Case, spaces: Spaces, work: Work) -> Cause | None:
    axis, ids, needed = case.axis, (work.task.id,), work.slots * GRID_MINUTES
    if work.due <= work.release:
        text = (
            f"{quoted(work.task.title)} has to be done by {case.when(work.due)}, but may not begin before "
            f"{case.when(work.release)}."
        )
        return Cause("window", text, ids, None, needed, 0)
    span = case.span(work.release, work.due)
    between = f"between {case.when(work.release)} and {case.when(work.due)}"
    free = spaces.space(work.release, work.due)
    if free < work.slots:
        space = lasting(free * GRID_MINUTES)
        text = f"{quoted(work.task.title)} takes {lasting(needed)}, but only {space} are free {between}."
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
    pieces = (spaces.piece(first, end) for first, end in axis.walk(work.release, work.due))
    if not any(piece >= work.shortest for piece in pieces):
        longest = max((spaces.piece(*stretch) for stretch in axis.walk(work.release, work.due)), default=0)
        text = (
            f"{quoted(work.task.title)} takes {lasting(needed)} in one piece, but the longest free stretch {between} "
            f"has {lasting(longest * GRID_MINUTES)}, the limits of days counted."
        )
        return Cause("window", text, ids, span, needed, longest * GRID_MINUTES)
    return None


def find_chain(case: Case, bounds: Bounds, spaces: Spaces) -> Cause | None:
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
    free = spaces.space(begin, last.due) * GRID_MINUTES if begin < last.due else 0
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


# Links that contradict each other, whatever the calendar: a circle of them that pushes a task after itself.

Edge = tuple[int, int, int, Arc | None]
"""From one end of a task to another: 2 × index is a start, one more an end; at least so many minutes apart."""


def find_cycle(case: Case) -> Cause | None:
    """A circle of links longer than nothing, or None (Bellman-Ford on the ends of the tasks)."""
    edges = _edges(case)
    circle = positive_circle(2 * len(case.works), edges)
    if circle is None:
        return None
    indices = list(dict.fromkeys(edge[0] // 2 for edge in circle))
    titles = [case.works[index].task.title for index in indices]
    minutes = sum(edge[2] for edge in circle)
    ids = tuple(case.works[index].task.id for index in indices)
    if len(indices) == 1:
        text = f"{quoted(titles[0])} depends on itself: it would have to come {minutes} minutes after itself."
    elif any(edge[3] is not None and edge[3].is_maximum for edge in circle):
        text = (
            f"The links between {listed(titles)} contradict each other: what has to lie between them takes {minutes} "
            f"minutes more than the greatest distance that is allowed."
        )
    else:
        text = f"{listed(titles)} wait for each other in a circle: none of them can come first."
    return Cause("cycle", text, ids, needed_minutes=minutes, available_minutes=0)


def _edges(case: Case) -> list[Edge]:
    edges: list[Edge] = []
    for work in case.works:
        length = work.slots * GRID_MINUTES if work.lock is None else work.lock[1] - work.lock[0]
        edges.append((2 * work.index, 2 * work.index + 1, length, None))
        if work.whole or work.lock is not None:
            edges.append((2 * work.index + 1, 2 * work.index, -length, None))
    arcs = [(2 * arc.before + arc.before_end, 2 * arc.after + arc.after_end, arc.minutes, arc) for arc in case.arcs]
    return [*edges, *arcs]


def positive_circle(nodes: int, edges: Iterable[Edge]) -> list[Edge] | None:
    """The edges of a circle whose weights add up to more than nothing, or None."""
    leaving: list[list[Edge]] = [[] for _ in range(nodes)]
    for edge in edges:
        leaving[edge[0]].append(edge)
    distance = [0] * nodes
    parent: list[Edge | None] = [None] * nodes
    active = list(range(nodes))
    for turn in range(nodes + 1):
        raised: dict[int, None] = {}
        for node in active:
            for edge in leaving[node]:
                if distance[node] + edge[2] > distance[edge[1]]:
                    distance[edge[1]] = distance[node] + edge[2]
                    parent[edge[1]] = edge
                    raised[edge[1]] = None
        if not raised:
            return None
        # Circles show in the parents long before the last turn; looking for them each time would cost as much.
        if turn % 8 == 7 or turn == nodes:
            for node in raised:
                circle = _circle_at(node, parent)
                if circle:
                    return circle
        active = list(raised)
    return None


def _circle_at(node: int, parent: list[Edge | None]) -> list[Edge] | None:
    seen: dict[int, int] = {}
    path: list[Edge] = []
    while node not in seen:
        seen[node] = len(path)
        edge = parent[node]
        if edge is None:
            return None
        path.append(edge)
        node = edge[0]
    return path[seen[node] :][::-1]


# Locked tasks that contradict each other: they are never moved, so nothing else can help.


def find_locked_conflict(case: Case) -> Cause | None:
    """Two locked tasks at once, a locked task outside the planned time, or a link between two that does not hold."""
    return _overlap(case) or _outside(case) or _link(case)


def _overlap(case: Case) -> Cause | None:
    spans = sorted(
        (
            (span.start.astimezone(UTC), span.end.astimezone(UTC), work)
            for work in case.locked
            for span in work.task.locked
        ),
        key=lambda entry: entry[:2],
    )
    for (start, end, work), (later, until, other) in pairwise(spans):
        if later < end:
            text = (
                f"{quoted(work.task.title)} and {quoted(other.task.title)} are locked to the same time: "
                f"{in_words(later, case.problem)} lies within both."
            )
            return Cause("locked", text, (work.task.id, other.task.id), Span(max(start, later), min(end, until)))
    return None


def _outside(case: Case) -> Cause | None:
    start, end = case.problem.start.astimezone(UTC), case.problem.end.astimezone(UTC)
    for work in case.locked:
        for span in work.task.locked:
            if span.start.astimezone(UTC) < start or span.end.astimezone(UTC) > end:
                text = (
                    f"{quoted(work.task.title)} is locked at {in_words(span.start, case.problem)}, outside the planned "
                    f"time from {in_words(start, case.problem)} to {in_words(end, case.problem)}."
                )
                return Cause("locked", text, (work.task.id,), span)
    return None


def _link(case: Case) -> Cause | None:
    for arc in fixed_arcs(case):
        first, second = case.works[arc.before], case.works[arc.after]
        apart = locked_end(second, arc.after_end) - locked_end(first, arc.before_end)
        if apart < arc.minutes:
            a, b = (second, first) if arc.is_maximum else (first, second)
            limit = f"at most {-arc.minutes}" if arc.is_maximum else f"at least {arc.minutes}"
            text = (
                f"{quoted(a.task.title)} and {quoted(b.task.title)} are both locked, but not as their link wants it: "
                f"{abs(apart)} minutes lie between, {limit} are needed."
            )
            return Cause("locked", text, (a.task.id, b.task.id), None, abs(arc.minutes), apart)
    return None


# More work than time: tasks that all have to lie in a stretch which is too short for them together.

MOST_STRETCHES = 60_000
"""Stretches that are looked at; of more earliest starts, an even choice: what is found stays a proof."""


def find_demand(case: Case, bounds: Bounds, spaces: Spaces) -> Cause | None:
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
            if end > first and spaces.overfull(first, end, amount, count):
                return _cause(case, spaces, inside, first, end)
    return None


def _cause(case: Case, spaces: Spaces, inside: list[Work], first: int, end: int) -> Cause:
    needed = sum(work.slots for work in inside) * GRID_MINUTES
    space = spaces.space(first, end) * GRID_MINUTES
    titles = [work.task.title for work in inside]
    words = f"{listed(titles)} have to be done between {case.when(first)} and {case.when(end)}"
    if needed > space:
        text = f"{words} and take {lasting(needed)} together, but there is time for {lasting(space)}."
    else:
        space = case.axis.between(first, end) * GRID_MINUTES
        # What the stretches' own ends save of the breaks is no part of the work.
        saved = spaces.stretched(first, end) * GRID_MINUTES - space
        with_breaks = needed + len(inside) * case.rest * GRID_MINUTES - saved
        if with_breaks > space:
            needed = with_breaks
            text = (
                f"{words} and take {lasting(needed)} with the breaks between them, but only {lasting(space)} are free."
            )
        else:
            text = f"{words}: {len(inside)} tasks are more than the limit of tasks per day allows."
    return Cause("demand", text, tuple(work.task.id for work in inside), case.span(first, end), needed, space)


def explain(problem: Problem) -> Cause | None:
    """Look for a proof that the problem has no schedule, in milliseconds.

    Returns:
        A cause that is proved, or None: then there may be a schedule or not.

    Raises:
        InvalidInput: the problem itself is malformed.
    """
    case = build_case(problem)
    return explain_case(case, compute_bounds(case))


def explain_case(case: Case, bounds: Bounds) -> Cause | None:
    """The same for a problem that is already on its axis."""
    if case.problem.mode == "manual":
        return find_locked_conflict(case)
    spaces = Spaces(case)
    checks: list[Callable[[], Cause | None]] = [
        lambda: find_cycle(case),
        lambda: find_window(case, spaces),
        lambda: find_chain(case, bounds, spaces),
        lambda: find_demand(case, bounds, spaces),
        lambda: find_crowding(case, bounds),
        lambda: find_pair(case, bounds),
        lambda: find_locked_conflict(case),
    ]
    for check in checks:
        cause = check()
        if cause is not None:
            return cause
    return None

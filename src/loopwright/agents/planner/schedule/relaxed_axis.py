"""The time that days and weeks let be worked in, each at its beginning: a relaxation of every schedule.

Whatever a schedule does, the k-th slot that it works in within a week lies no earlier than the k-th slot here. So what
costs least on this axis costs no more than any schedule. A task that may begin in the middle of a limited day or week
may use all of it here, as the slots stand for any of it.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import accumulate, pairwise

from loopwright.agents.planner.schedule.bounds import NEVER, Bounds, placed_start
from loopwright.agents.planner.schedule.case import Arc, Case, Work, slots_up
from loopwright.agents.planner.schedule.problem import Slots

WEEK_SLOTS = 7 * 96
CLOCK_CHANGE = 8
"""Slots by which a week may be shorter, at most, as clocks change."""


class RelaxedAxis:
    """Of each day and week the first free slots, as many as it takes."""

    def __init__(self, case: Case, *, limits: bool = True, confined: Iterable[tuple[Work, int, int]] = ()) -> None:
        """Count them.

        Args:
            case: the problem.
            limits: whether those of days and weeks count; without them all free time does.
            confined: work that is not run on this axis, with the first and the last day on which it may lie, by index:
                where these are one day, or in one week, it takes its slots there.
        """
        self.case = case
        axis = case.axis
        free = [axis.between(day.first, day.end) for day in axis.days]
        self.days = [min(size, case.day_space.get(day, size)) if limits else size for day, size in enumerate(free)]
        self.weeks = [sum(self.days[day : day + 7]) for day in range(0, len(free), 7)]
        if limits:
            spaces = (case.week_space.get(day.week, 1 << 40) for day in axis.days[::7])
            self.weeks = [min(pair) for pair in zip(self.weeks, spaces, strict=True)]
        for work, first, last in confined:
            self.weeks[first // 7] = max(0, self.weeks[first // 7] - work.slots)
            if first == last:
                self.days[first] = max(0, self.days[first] - work.slots)
        short = [space < sum(self.days[7 * week : 7 * week + 7]) for week, space in enumerate(self.weeks)]
        self.limited = any(short) or self.days != free
        self._begins = [
            axis.days[day // 7 * 7].first if short[day // 7] else axis.days[day].first if space < free[day] else None
            for day, space in enumerate(self.days)
        ]
        self.stretches = list(self._stretches())
        self._firsts = [first for first, _ in self.stretches]
        self._before = [0, *accumulate(end - first for first, end in self.stretches)]
        self._night = self._shortest_night()
        self._halves: dict[int, float] = {}

    def _stretches(self) -> Iterator[Slots]:
        days, weeks = list(self.days), list(self.weeks)
        for first, end in self.case.axis.free:
            for day, share in self.case.axis.shares(first, end):
                low = max(first, self.case.axis.days[day].first)
                size = min(share, days[day], weeks[day // 7])
                days[day] -= size
                weeks[day // 7] -= size
                if size:
                    yield low, low + size

    def release(self, slot: int) -> int:
        """From which slot on a task may use this axis that may start at a slot."""
        begins = self._begins[self.case.axis.day_of(slot)]
        return slot if begins is None else min(slot, begins)

    def position(self, slot: int) -> int:
        """How many slots lie before a slot."""
        index = bisect_right(self._firsts, slot) - 1
        if index < 0:
            return 0
        first, end = self.stretches[index]
        return self._before[index] + min(slot, end) - first

    def slot(self, position: int) -> int | None:
        """The slot at a position, or None where there are not so many."""
        if not 0 <= position < self._before[-1]:
            return None
        index = bisect_right(self._before, position) - 1
        return self._firsts[index] + position - self._before[index]

    def half_length(self, work: Work) -> float:
        """How far the mean of a task's slots lies before its end, at least, in slots.

        Half its length in one piece; more where days and weeks do not hold it at once.
        """
        if work.whole:
            return work.slots / 2
        per_day, per_week = max(self.days, default=0) or 1, max(self.weeks, default=0) or 1
        if work.slots in self._halves:
            return self._halves[work.slots]
        night = self._night
        total = 0.0
        for back in range(work.slots):
            apart = back + back // per_day * night
            if back // per_week > 1:
                apart = max(apart, (back // per_week - 1) * WEEK_SLOTS - CLOCK_CHANGE)
            total += apart + 0.5
        self._halves[work.slots] = total / work.slots
        return self._halves[work.slots]

    def _shortest_night(self) -> int:
        axis = self.case.axis
        return min((b[0] - a[1] for a, b in pairwise(axis.free) if axis.day_of(a[0]) != axis.day_of(b[0])), default=0)


def confined_works(case: Case, bounds: Bounds, works: Iterable[Work]) -> dict[int, tuple[Work, int, int]]:
    """The tasks that cannot leave their week, by index, each with the first and the last day on which it may lie."""
    found = {}
    for work in works:
        first = case.axis.day_of(bounds.start_from[work.index])
        last = case.axis.day_of(bounds.end_until[work.index] - 1)
        if first // 7 == last // 7:
            found[work.index] = (work, first, last)
    return found


# Earliest times that also count the work before: what a task waits for takes its time on the one machine.

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


# What every schedule costs at least.

EFFORT = 12_000
"""Tasks times turns of the subgradient method, about: a tenth of a second."""
MOST_TURNS = 120


@dataclass(frozen=True)
class _Order:
    """One task after another: the means of their slots lie at least `apart`."""

    before: int
    after: int
    apart: float


def least_cost(case: Case, bounds: Bounds, known: int | None = None) -> int:
    """A lower bound of `objective.cost`.

    Args:
        case: the problem.
        bounds: of its tasks.
        known: the cost of some schedule, where there is one: it tells how far to go.
    """
    works = [work for work in case.moving if not work.task.previous]
    if not works or any(bounds.end_from[work.index] >= NEVER for work in works):
        return 0
    best = 0.0
    confined = confined_works(case, bounds, works)
    for limits, apart in ((True, confined), (True, {}), (False, {})):
        best = max(best, _bound(case, bounds, works, limits, apart, best, known))
    return max(0, int(best - 1e-6 * abs(best)))


def _bound(
    case: Case,
    bounds: Bounds,
    works: list[Work],
    limits: bool,
    apart: dict[int, tuple[Work, int, int]],
    best: float,
    known: int | None,
) -> float:
    """The bound of one axis; what lies `apart` takes its time there, and ends as early as it can by itself."""
    origin = case.axis.ceil(case.problem.start)
    axis = RelaxedAxis(case, limits=limits, confined=apart.values())
    heads = capacity_heads(case, bounds, axis, apart)
    alone = {work.index: work.weight * (heads.end_from[work.index] - origin) for work in works}
    most = float(sum(alone.values()))
    machine = _Machine([work for work in works if work.index not in apart], heads, axis, origin)
    rest = sum(alone[index] for index in apart)
    shared = rest + machine.bound([])
    # The multipliers cost time, and they help little where waiting for the work before already tells more.
    if shared >= max(best, most):
        shared = max(shared, rest + _with_links(case, machine, None if known is None else known - rest))
    return max(most, shared)


class _Machine:
    """One machine on which every slot counts by itself."""

    def __init__(self, works: list[Work], heads: Bounds, axis: RelaxedAxis, origin: int) -> None:
        self.works, self.axis, self.origin = works, axis, origin
        self.release = {work.index: axis.release(heads.start_from[work.index]) for work in works}
        self.arrivals = sorted(works, key=lambda work: self.release[work.index])
        self.rest = sum(work.weight * axis.half_length(work) for work in works)

    def bound(self, orders_: list[tuple[_Order, float]]) -> float:
        """The bound without links, or with multipliers of some."""
        return self.solve(orders_)[0]

    def solve(self, orders_: list[tuple[_Order, float]]) -> tuple[float, dict[int, float]]:
        """The bound with multipliers, and the mean busy times (slots after the origin) that lead to it."""
        weights = {work.index: float(work.weight) for work in self.works}
        constant = self.rest
        for order, value in orders_:
            weights[order.before] += value
            weights[order.after] -= value
            constant += value * order.apart
        busy = self._busy(weights)
        return constant + sum(weights[index] * mean for index, mean in busy.items()), busy

    def _busy(self, weights: dict[int, float]) -> dict[int, float]:
        left = {work.index: work.slots for work in self.works}
        sums = dict.fromkeys(left, 0.0)
        slots = {work.index: work.slots for work in self.works}
        waiting: list[tuple[float, int]] = []
        number, count = 0, len(self.arrivals)
        for first, end in self.axis.stretches:
            slot = first
            while slot < end:
                while number < count and self.release[self.arrivals[number].index] <= slot:
                    index = self.arrivals[number].index
                    heappush(waiting, (-weights[index] / slots[index], index))
                    number += 1
                following = self.release[self.arrivals[number].index] if number < count else NEVER
                if not waiting:
                    if number == count:
                        return {index: total / slots[index] for index, total in sums.items()}
                    slot = max(slot + 1, min(end, following))
                    continue
                index = waiting[0][1]
                size = min(left[index], end - slot, following - slot)
                sums[index] += size * (slot + size / 2 - self.origin)
                left[index] -= size
                slot += size
                if left[index] == 0:
                    heappop(waiting)
        return {index: total / slots[index] for index, total in sums.items()}


def _with_links(case: Case, machine: _Machine, known: int | None) -> float:
    inside = {work.index for work in machine.works}
    half = {work.index: machine.axis.half_length(work) for work in machine.works}
    found = [
        _Order(arc.before, arc.after, half[arc.before] + case.works[arc.after].slots / 2 + slots_up(arc.minutes))
        for arc in orders(case)
        if {arc.before, arc.after} <= inside
    ]
    if not found:
        return 0.0
    values = [0.0] * len(found)
    best, scale = 0.0, 1.0
    for _ in range(max(8, min(MOST_TURNS, EFFORT // len(machine.works)))):
        bound, busy = machine.solve(list(zip(found, values, strict=True)))
        if bound <= best:
            scale *= 0.85
        best = max(best, bound)
        slopes = [order.apart + busy[order.before] - busy[order.after] for order in found]
        norm = sum(slope * slope for slope, value in zip(slopes, values, strict=True) if slope > 0 or value > 0)
        target = max(known if known is not None else 1.3 * best, 1.02 * best)
        if norm <= 0:
            break
        step = scale * (target - bound) / norm
        values = [max(0.0, value + step * slope) for value, slope in zip(values, slopes, strict=True)]
        _keep_weights(case, found, values)
    return best


def _keep_weights(case: Case, found: list[_Order], values: list[float]) -> None:
    """Lower multipliers where a task's weight would fall below nothing; later tasks first."""
    arriving: dict[int, list[int]] = {}
    leaving: dict[int, list[int]] = {}
    for number, order in enumerate(found):
        arriving.setdefault(order.after, []).append(number)
        leaving.setdefault(order.before, []).append(number)
    for index in reversed(_topological(found)):
        coming = sum(values[number] for number in arriving.get(index, ()))
        most = case.works[index].weight + sum(values[number] for number in leaving.get(index, ()))
        if coming > most:
            for number in arriving[index]:
                values[number] *= most / coming


def _topological(found: list[_Order]) -> list[int]:
    after: dict[int, list[int]] = {}
    count: dict[int, int] = {}
    for order in found:
        after.setdefault(order.before, []).append(order.after)
        count[order.after] = count.get(order.after, 0) + 1
        count.setdefault(order.before, 0)
    listed = [index for index, number in count.items() if number == 0]
    for index in listed:
        for other in after.get(index, ()):
            count[other] -= 1
            if count[other] == 0:
                listed.append(other)
    return listed

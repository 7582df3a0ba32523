"""What every schedule costs at least.

Three relaxations, of which the best counts: each task at its earliest end; all tasks on one machine that may break off
at any slot, the dearest work per slot first (mean busy times: Goemans et al. 2002); and that with the links between the
tasks put into the costs by multipliers, which a subgradient method chooses (Hoogeveen and van de Velde 1995). Any
multipliers give a bound: there is no need for the best ones.
"""

from dataclasses import dataclass
from heapq import heappop, heappush

from loopwright.agents.planner.schedule.bounds import NEVER, Bounds
from loopwright.agents.planner.schedule.case import Case, Work, slots_up
from loopwright.agents.planner.schedule.heads import capacity_heads, orders
from loopwright.agents.planner.schedule.relaxed_axis import RelaxedAxis, confined_works

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

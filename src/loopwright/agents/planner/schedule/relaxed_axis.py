"""The time that days and weeks let be worked in, each at its beginning: a relaxation of every schedule.

Whatever a schedule does, the k-th slot that it works in within a week lies no earlier than the k-th slot here. So what
costs least on this axis costs no more than any schedule. A task that may begin in the middle of a limited day or week
may use all of it here, as the slots stand for any of it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise

from loopwright.agents.planner.schedule.axis import Slots
from loopwright.agents.planner.schedule.bounds import Bounds
from loopwright.agents.planner.schedule.case import Case, Work

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
        self.days = [min(size, case.day_room.get(day, size)) if limits else size for day, size in enumerate(free)]
        self.weeks = [sum(self.days[day : day + 7]) for day in range(0, len(free), 7)]
        if limits:
            rooms = (case.week_room.get(day.week, 1 << 40) for day in axis.days[::7])
            self.weeks = [min(pair) for pair in zip(self.weeks, rooms, strict=True)]
        for work, first, last in confined:
            self.weeks[first // 7] = max(0, self.weeks[first // 7] - work.slots)
            if first == last:
                self.days[first] = max(0, self.days[first] - work.slots)
        short = [room < sum(self.days[7 * week : 7 * week + 7]) for week, room in enumerate(self.weeks)]
        self.limited = any(short) or self.days != free
        self._begins = [
            axis.days[day // 7 * 7].first if short[day // 7] else axis.days[day].first if room < free[day] else None
            for day, room in enumerate(self.days)
        ]
        self.stretches = list(self._stretches())
        self._firsts = [first for first, _ in self.stretches]
        self._before = [0, *accumulate(end - first for first, end in self.stretches)]

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
        night = self._shortest_night()
        total = 0.0
        for back in range(work.slots):
            apart = back + back // per_day * night
            if back // per_week > 1:
                apart = max(apart, (back // per_week - 1) * WEEK_SLOTS - CLOCK_CHANGE)
            total += apart + 0.5
        return total / work.slots

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

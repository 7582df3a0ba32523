"""How much work fits between two slots, whatever else: free time, the limits of days and weeks, the breaks."""

from bisect import bisect_left
from itertools import accumulate, pairwise

from loopwright.agents.planner.schedule.case import Case


class Rooms:
    """What fits between two slots, from sums over whole days and weeks."""

    def __init__(self, case: Case) -> None:
        self.case = case
        axis = case.axis
        self.days = [
            min(axis.between(day.first, day.end), case.day_room.get(number, 1 << 40))
            if case.day_tasks.get(number, 1) > 0
            else 0
            for number, day in enumerate(axis.days)
        ]
        self.day_sums = [0, *accumulate(self.days)]
        self.task_sums = [
            0,
            *accumulate(case.day_tasks.get(n, 1 << 20) if room else 0 for n, room in enumerate(self.days)),
        ]
        # The days are those of whole weeks: seven each.
        self.weeks = [
            min(sum(self.days[n : n + 7]), case.week_room.get(axis.days[n].week, 1 << 40))
            for n in range(0, len(self.days), 7)
        ]
        self.week_sums = [0, *accumulate(self.weeks)]
        extras = [min(case.rest, b[0] - a[1]) for a, b in pairwise(axis.free)] + [case.rest]
        self.with_breaks = [0, *accumulate(b - a + extra for (a, b), extra in zip(axis.free, extras, strict=False))]
        self.firsts = [a for a, _ in axis.free]
        self.extras = extras

    def overfull(self, first: int, end: int, amount: int, count: int) -> bool:
        """Whether so many slots of so many tasks are too much."""
        if amount > self.room(first, end):
            return True
        low, high = self.case.axis.day_of(first), self.case.axis.day_of(end - 1)
        if count > self.task_sums[high + 1] - self.task_sums[low]:
            return True
        return amount + count * self.case.rest > self.stretched(first, end)

    def room(self, first: int, end: int) -> int:
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
        return min(total, case.week_room.get(axis.days[low].week, total))

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

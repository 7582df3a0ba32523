"""What is still free while tasks are placed one after the other, and taken away again."""

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict

from loopwright.agents.planner.schedule.case import Case, Work, joined
from loopwright.agents.planner.schedule.problem import Slots, without

Places = dict[int, list[Slots]]
"""Where tasks that are not locked lie, by their index."""
UNLIMITED = 1 << 40


class Table:
    """The free stretches of an axis, and what days and weeks still take.

    Work is kept apart by the break, or by one slot where breaks have no length but work may not go on for ever: that is
    more than has to be, so a task that finds no place here may still have one.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self.places: Places = {}
        self.margin = case.rest or (1 if case.pause_after is not None else 0)
        days = range(len(case.axis.days))
        self.day_space = [case.day_space.get(day, UNLIMITED) for day in days]
        # The days are those of whole weeks: seven each.
        self.week_space = [case.week_space.get(case.axis.days[day].week, UNLIMITED) for day in days[::7]]
        self.day_tasks = [case.day_tasks.get(day, UNLIMITED) for day in days]
        self.on_day: dict[int, Counter[int]] = defaultdict(Counter)
        self.free = case.axis.free
        if not case.rest:
            self.free = without(self.free, [(a - self.margin, b + self.margin) for a, b in case.locked_slots])
        self._open = list(self.free)
        self._taken: list[tuple[int, int, int]] = []
        self._full: dict[int, int] = {}
        self._longest = [-1] * len(self.day_space)
        self._midnight = any(case.axis.day_of(a) != case.axis.day_of(b - 1) for a, b in self.free)

    def space(self, index: int, day: int) -> int:
        """How many slots of a task the day still takes."""
        if self.day_tasks[day] <= 0 and index not in self.on_day[day]:
            return 0
        return min(self.day_space[day], self.week_space[day // 7])

    def next_day(self, day: int, least: int) -> int:
        """The first day from this one on that takes so many slots of one more task; one too far where none does."""
        least = 1 if self._midnight else least
        # Until something is taken away days only become fuller: what lies before need not be looked at again.
        self._full[least] = self._next(self._full.get(least, 0), least)
        return self._next(max(day, self._full[least]), least)

    def _next(self, day: int, least: int) -> int:
        day_space, week_space, day_tasks = self.day_space, self.week_space, self.day_tasks
        while day < len(day_space) and (
            day_space[day] < least
            or week_space[day // 7] < least
            or day_tasks[day] <= 0
            or (least > 1 and self._longest_on(day) < least)
        ):
            day += 1
        return day

    def _longest_on(self, day: int) -> int:
        """The longest free stretch of a day, kept until something changes there."""
        if self._longest[day] < 0:
            first, end = self.case.axis.days[day].first, self.case.axis.days[day].end
            at, longest = self.open_from(first), 0
            while at < len(self._open) and self._open[at][0] < end:
                longest = max(longest, min(end, self._open[at][1]) - max(first, self._open[at][0]))
                at += 1
            self._longest[day] = longest
        return self._longest[day]

    def _changed(self, low: int, high: int) -> None:
        for day in range(self.case.axis.day_of(low), self.case.axis.day_of(high) + 1):
            self._longest[day] = -1

    def take(self, index: int, pieces: list[Slots]) -> None:
        """Give stretches to a task, with the breaks around them."""
        self.places[index] = joined(pieces)
        for first, end in self.places[index]:
            self._count(index, first, end, 1)
            insort(self._taken, (first, end, index))
            self._cut(first - self.margin, end + self.margin)

    def release(self, index: int) -> list[Slots]:
        """Take a task away again; returns where it lay."""
        pieces = self.places.pop(index)
        # Its week takes more again.
        week = self.case.axis.day_of(pieces[0][0]) // 7 * 7
        self._full = {least: min(day, week) for least, day in self._full.items()}
        for first, end in pieces:
            self._count(index, first, end, -1)
            at = bisect_left(self._taken, (first, end, index))
            del self._taken[at]
            low = self._taken[at - 1][1] + self.margin if at else self.free[0][0]
            high = self._taken[at][0] - self.margin if at < len(self._taken) else self.free[-1][1]
            self._restore(low, high)
        return pieces

    def fits(self, index: int, pieces: list[Slots]) -> bool:
        """Whether a task can lie there now."""
        used: Counter[int] = Counter()
        weeks: Counter[int] = Counter()
        for first, end in pieces:
            at = bisect_right(self._open, (first, UNLIMITED)) - 1
            if at < 0 or self._open[at][1] < end:
                return False
            for day, share in self.case.axis.shares(first, end):
                used[day] += share
                weeks[day // 7] += share
        enough = all(self.space(index, day) >= share for day, share in used.items())
        return enough and all(self.week_space[week] >= share for week, share in weeks.items())

    def open_from(self, slot: int) -> int:
        """The number of the first free stretch that ends after a slot."""
        return bisect_right(self._open, slot, key=lambda piece: piece[1])

    @property
    def open(self) -> list[Slots]:
        """The free stretches that are left, in order."""
        return self._open

    def lying(self, first: int, end: int) -> list[int]:
        """The tasks of which something lies between two slots, in the order of time."""
        low = bisect_left(self._taken, (first, 0, 0))
        while low and self._taken[low - 1][1] > first:
            low -= 1
        found = []
        for begins, _, index in self._taken[low:]:
            if begins >= end:
                break
            found.append(index)
        return list(dict.fromkeys(found))

    def _count(self, index: int, first: int, end: int, sign: int) -> None:
        for day, share in self.case.axis.shares(first, end):
            self.day_space[day] -= sign * share
            self.week_space[day // 7] -= sign * share
            tasks = self.on_day[day]
            before = index in tasks
            tasks[index] += sign
            if not tasks[index]:
                del tasks[index]
            if before != (index in tasks):
                self.day_tasks[day] -= sign

    def _cut(self, low: int, high: int) -> None:
        at = self.open_from(low)
        until = at
        while until < len(self._open) and self._open[until][0] < high:
            until += 1
        if at == until:
            return
        self._changed(low, high)
        ends = [(self._open[at][0], low), (high, self._open[until - 1][1])]
        self._open[at:until] = [piece for piece in ends if piece[0] < piece[1]]

    def _restore(self, low: int, high: int) -> None:
        """Between two slots nothing is taken any more."""
        at = self.open_from(low)
        until = at
        while until < len(self._open) and self._open[until][0] < high:
            until += 1
        first = bisect_right(self.free, low, key=lambda piece: piece[1])
        found = []
        while first < len(self.free) and self.free[first][0] < high:
            found.append((max(low, self.free[first][0]), min(high, self.free[first][1])))
            first += 1
        self._changed(low, high)
        self._open[at:until] = [piece for piece in found if piece[0] < piece[1]]


# What a schedule costs.

MOVED = 4_096
"""What it costs that a block of an earlier schedule does not stay."""
DISTANCE = 64
"""What each slot costs by which a block's start or end moves."""


def earlier_place(case: Case, work: Work) -> list[Slots]:
    """Where the task lay before, on the grid; nothing where it did not."""
    axis = case.axis
    return joined((axis.floor(span.start), axis.ceil(span.end)) for span in work.task.previous)


def cost(case: Case, places: Places) -> int:
    """The cost of a whole schedule."""
    return sum(task_cost(case, work, joined(places[work.index])) for work in case.moving)


def task_cost(case: Case, work: Work, pieces: list[Slots]) -> int:
    """What the place of one task costs; `pieces` in order, none touching another."""
    earlier = earlier_place(case, work)
    if earlier:
        return move_cost(pieces, earlier)
    return work.weight * (pieces[-1][1] - case.axis.ceil(case.problem.start))


def move_cost(pieces: list[Slots], earlier: list[Slots]) -> int:
    """The cost of moving blocks, compared one by one; one that is gone counts as moved to the task's end."""
    total = MOVED * max(0, len(pieces) - len(earlier))
    for number, then in enumerate(earlier):
        now = pieces[number] if number < len(pieces) else (pieces[-1][1], pieces[-1][1])
        distance = abs(now[0] - then[0]) + abs(now[1] - then[1])
        total += DISTANCE * distance + (MOVED if distance else 0)
    return total

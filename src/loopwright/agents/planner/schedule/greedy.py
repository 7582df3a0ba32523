"""The first answer: list scheduling. Each task is placed as early as what lies before it allows."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

from loopwright.agents.planner.schedule.bounds import Bounds, locked_end
from loopwright.agents.planner.schedule.case import Arc, Case, Work, slots_up
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Slots
from loopwright.agents.planner.schedule.table import Table, earlier_place


class Placer:
    """Places tasks on a table, where their links to what lies there and their bounds allow it."""

    def __init__(self, case: Case, bounds: Bounds) -> None:
        self.case, self.bounds = case, bounds
        self.table = Table(case)
        self.week_spaces = list(self.table.week_space)
        self.earlier = {work.index: pieces for work in case.moving if (pieces := _kept(case, work))}
        self.arriving: dict[int, list[Arc]] = defaultdict(list)
        self.leaving: dict[int, list[Arc]] = defaultdict(list)
        for arc in case.arcs:
            self.arriving[arc.after].append(arc)
            self.leaving[arc.before].append(arc)

    def place(self, index: int, within: Slots | None = None) -> bool:
        """Place a task as early as it fits, `within` two slots where given; False where it finds no place."""
        pieces = self.found(index, within)
        if pieces is not None:
            self.table.take(index, pieces)
        return pieces is not None

    def found(self, index: int, within: Slots | None = None) -> list[Slots] | None:
        """The first place at which a task fits now, or None; preferably where it lay earlier, or soon after that."""
        work = self.case.works[index]
        start, end, last, due = self.window(index)
        if within is not None:
            start, due = max(start, within[0]), min(due, within[1])
        look = _whole if work.whole else _split
        earlier = self.earlier.get(index)
        if earlier is None:
            return look(self.table, work, start, end, last, due)
        if start <= earlier[0][0] and earlier[-1][1] <= due and self.allows(index, earlier):
            return earlier
        later = look(self.table, work, max(start, earlier[0][0]), end, last, due)
        return later or look(self.table, work, start, end, last, due)

    def allows(self, index: int, pieces: list[Slots]) -> bool:
        """Whether a task can lie there now."""
        start, end, last, due = self.window(index)
        first, until = pieces[0][0], pieces[-1][1]
        return start <= first <= last and end <= until <= due and self.table.fits(index, pieces)

    def window(self, index: int) -> tuple[int, int, int, int]:
        """First start, first end, last start and last end that the task's links to placed tasks leave."""
        low = [self.bounds.start_from[index], self.bounds.end_from[index]]
        high = [self.bounds.start_until[index], self.bounds.end_until[index]]
        for arc in self.arriving[index]:
            if (minutes := self._place(arc.before, arc.before_end)) is not None:
                low[arc.after_end] = max(low[arc.after_end], slots_up(minutes + arc.minutes))
        for arc in self.leaving[index]:
            if (minutes := self._place(arc.after, arc.after_end)) is not None:
                high[arc.before_end] = min(high[arc.before_end], (minutes - arc.minutes) // GRID_MINUTES)
        return low[0], low[1], high[0], high[1]

    def _place(self, index: int, end: bool) -> int | None:
        work = self.case.works[index]
        if work.lock is not None:
            return locked_end(work, end)
        pieces = self.table.places.get(index)
        return None if pieces is None else (pieces[-1][1] if end else pieces[0][0]) * GRID_MINUTES


def place_all(placer: Placer, keys: Sequence[float], most_missing: int | None = None) -> list[int]:
    """Place all tasks; returns those without a place, and stops where these are more than `most_missing`.

    What can stay where it lay in an earlier schedule comes first, then the smallest key among those whose predecessors
    lie.
    """
    for index, pieces in sorted(placer.earlier.items(), key=lambda each: each[1]):
        if placer.allows(index, pieces):
            placer.table.take(index, pieces)
    left = (index for index in order(placer.case, keys) if index not in placer.table.places)
    missing: list[int] = []
    for index in left:
        if not placer.place(index):
            missing.append(index)
            if most_missing is not None and len(missing) > most_missing:
                break
    return missing


def _kept(case: Case, work: Work) -> list[Slots]:
    """Where a task lay in an earlier schedule, if that is a right place for it by itself; else nothing."""
    pieces = earlier_place(case, work)
    sizes = [end - first for first, end in pieces]
    right = sum(sizes) == work.slots and all(size <= work.longest for size in sizes)
    if work.whole:
        return pieces if right and len(pieces) == 1 else []
    return pieces if right and all(size >= work.shortest for size in sizes[:-1]) else []


def order(case: Case, keys: Sequence[float]) -> list[int]:
    """Predecessors first; where links go round in a circle, the smallest key breaks it."""
    before: dict[int, set[int]] = defaultdict(set)
    after: dict[int, set[int]] = defaultdict(set)
    moving = {work.index for work in case.moving}
    for arc in case.arcs:
        if not arc.is_maximum and {arc.before, arc.after} <= moving and arc.before != arc.after:
            before[arc.after].add(arc.before)
            after[arc.before].add(arc.after)
    ready = [(keys[index], index) for index in moving if not before[index]]
    heapify(ready)
    listed: list[int] = []
    done: set[int] = set()
    while len(listed) < len(moving):
        index = heappop(ready)[1] if ready else min(moving - done, key=lambda i: (keys[i], i))
        if index in done:
            continue
        done.add(index)
        listed.append(index)
        for other in after[index]:
            before[other].discard(index)
            if not before[other] and other not in done:
                heappush(ready, (keys[other], other))
    return listed


def _whole(table: Table, work: Work, start: int, end: int, last: int, due: int) -> list[Slots] | None:
    first = max(start, end - work.slots)
    last = min(last, due - work.slots)
    if work.slots > work.longest:
        return None
    axis = table.case.axis
    while first <= last:
        day = axis.day_of(first)
        if (free_day := table.next_day(day, work.slots)) > day:
            if free_day >= len(axis.days):
                return None
            first = axis.days[free_day].first
        at = table.open_from(first)
        if at >= len(table.open):
            return None
        low, high = max(first, table.open[at][0]), table.open[at][1]
        if low > last:
            return None
        if high - low < work.slots:
            first = high
        elif low > first and axis.day_of(low) > axis.day_of(first):
            first = low
        else:
            shares = axis.shares(low, low + work.slots)
            full = [day for day, share in shares if table.space(work.index, day) < share]
            if not full:
                return [(low, low + work.slots)]
            first = axis.days[full[-1]].end if len(shares) == 1 else low + 1
    return None


def _split(table: Table, work: Work, start: int, end: int, last: int, due: int) -> list[Slots] | None:
    tries: list[Callable[[], int]] = [lambda: start, lambda: max(start, min(last, end - work.slots))]
    for first in dict.fromkeys(begin() for begin in tries):
        pieces = _fill(table, work, first, due)
        if pieces and pieces[0][0] <= last and pieces[-1][1] >= end:
            return pieces
    return None


def _fill(table: Table, work: Work, first: int, due: int) -> list[Slots] | None:
    """Pieces from `first` on, as early as they fit."""
    left, pieces = work.slots, []
    used: dict[int, int] = defaultdict(int)
    weeks: dict[int, int] = defaultdict(int)
    days = table.case.axis.days
    day = table.case.axis.day_of(first)
    if (free_day := table.next_day(day, min(left, work.shortest))) > day:
        if free_day >= len(days):
            return None
        first = days[free_day].first
    at = table.open_from(first)
    while left > 0 and at < len(table.open) and table.open[at][0] < due:
        low, high = max(first, table.open[at][0]), min(due, table.open[at][1])
        if low >= due:
            break  # what is free reaches beyond the last moment, and so does where we look
        day = table.case.axis.day_of(low)
        week = day // 7
        space = min(table.space(work.index, day) - used[day], table.week_space[week] - weeks[week])
        size = min(left, work.longest, high - low, days[day].end - low, space)
        # What is left for the last block is not too little: this one leaves it some.
        size -= max(0, work.last - (left - size)) if size < left else 0
        if size < min(left, work.shortest):
            full = space < min(left, work.shortest)
            first = days[table.next_day(day + 1, 1) - 1].end if full else min(high, days[day].end)
        else:
            pieces.append((low, low + size))
            left -= size
            used[day] += size
            weeks[week] += size
            first = low + size + table.margin
        at = table.open_from(first)
    return pieces if left == 0 else None

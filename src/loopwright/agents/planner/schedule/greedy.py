"""The first answer: list scheduling. Each task is placed as early as what lies before it allows."""

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from loopwright.agents.planner.schedule.axis import Slots
from loopwright.agents.planner.schedule.bounds import Bounds, locked_end
from loopwright.agents.planner.schedule.case import Arc, Case, Work, joined, slots_up
from loopwright.agents.planner.schedule.problem import GRID_MINUTES

Places = dict[int, list[Slots]]
"""Where tasks that are not locked lie, by their index."""


@dataclass
class _Table:
    """What is still free while tasks are placed."""

    case: Case
    free: list[Slots]
    day_room: dict[int, int]
    week_room: dict[tuple[int, int], int]
    day_tasks: dict[int, int]
    on_day: dict[int, set[int]]
    smallest: int

    @classmethod
    def of(cls, case: Case) -> "_Table":
        smallest = min((min(work.slots, work.shortest) for work in case.moving), default=1)
        rooms = dict(case.day_room), dict(case.week_room), dict(case.day_tasks)
        smallest = 1 if any(not work.whole for work in case.moving) else smallest
        return cls(case, list(case.axis.free), *rooms, defaultdict(set), smallest)

    def room(self, index: int, day: int) -> int:
        """How many slots of a task the day still takes."""
        if self.day_tasks.get(day, 1) <= 0 and index not in self.on_day[day]:
            return 0
        most = self.day_room.get(day, 1 << 40)
        return min(most, self.week_room.get(self.case.axis.days[day].week, 1 << 40))

    def take(self, index: int, first: int, end: int) -> None:
        """Give a stretch to a task, with the breaks around it."""
        for day, share in self.case.axis.shares(first, end):
            week = self.case.axis.days[day].week
            if day in self.day_room:
                self.day_room[day] -= share
            if week in self.week_room:
                self.week_room[week] -= share
            if index not in self.on_day[day]:
                self.on_day[day].add(index)
                if day in self.day_tasks:
                    self.day_tasks[day] -= 1
        margin = self.case.rest or (1 if self.case.pause_after is not None else 0)
        low, high = first - margin, end + margin
        at = bisect_right(self.free, low, key=lambda piece: piece[1])
        while at < len(self.free) and self.free[at][0] < high:
            start, stop = self.free.pop(at)
            for piece in ((start, low), (high, stop)):
                if piece[1] - piece[0] >= self.smallest:
                    insort(self.free, piece)
                    at += piece[1] <= low


def place_all(case: Case, bounds: Bounds, keys: Sequence[float]) -> Places | None:
    """Place all tasks, the smallest key first among those whose predecessors lie; None where one finds no place."""
    table = _Table.of(case)
    arriving: dict[int, list[Arc]] = defaultdict(list)
    leaving: dict[int, list[Arc]] = defaultdict(list)
    for arc in case.arcs:
        arriving[arc.after].append(arc)
        leaving[arc.before].append(arc)
    places: Places = {}
    for index in _order(case, keys):
        work = case.works[index]
        window = _window(case, work, bounds, places, arriving[index], leaving[index])
        pieces = _whole(table, work, *window) if work.whole else _split(table, work, *window)
        if pieces is None:
            return None
        for first, end in pieces:
            table.take(index, first, end)
        places[index] = joined(pieces)
    return places


def _order(case: Case, keys: Sequence[float]) -> list[int]:
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
    order: list[int] = []
    done: set[int] = set()
    while len(order) < len(moving):
        index = heappop(ready)[1] if ready else min(moving - done, key=lambda i: (keys[i], i))
        if index in done:
            continue
        done.add(index)
        order.append(index)
        for other in after[index]:
            before[other].discard(index)
            if not before[other] and other not in done:
                heappush(ready, (keys[other], other))
    return order


def _window(
    case: Case, work: Work, bounds: Bounds, places: Places, arriving: list[Arc], leaving: list[Arc]
) -> tuple[int, int, int, int]:
    """First start, first end, last start and last end that links to placed tasks leave."""
    low = [bounds.start_from[work.index], bounds.end_from[work.index]]
    high = [bounds.start_until[work.index], bounds.end_until[work.index]]
    for arc in arriving:
        if (minutes := _place(case, arc.before, arc.before_end, places)) is not None:
            low[arc.after_end] = max(low[arc.after_end], slots_up(minutes + arc.minutes))
    for arc in leaving:
        if (minutes := _place(case, arc.after, arc.after_end, places)) is not None:
            high[arc.before_end] = min(high[arc.before_end], (minutes - arc.minutes) // GRID_MINUTES)
    return low[0], low[1], high[0], high[1]


def _place(case: Case, index: int, end: bool, places: Places) -> int | None:
    work = case.works[index]
    if work.lock is not None:
        return locked_end(work, end)
    pieces = places.get(index)
    return None if pieces is None else (pieces[-1][1] if end else pieces[0][0]) * GRID_MINUTES


def _whole(table: _Table, work: Work, start: int, end: int, last: int, due: int) -> list[Slots] | None:
    first = max(start, end - work.slots)
    last = min(last, due - work.slots)
    if work.slots > work.longest:
        return None
    at = bisect_right(table.free, first, key=lambda piece: piece[1])
    while at < len(table.free) and table.free[at][0] <= last:
        low = max(first, table.free[at][0])
        if table.free[at][1] - low < work.slots or low > last:
            at += 1
            continue
        shares = table.case.axis.shares(low, low + work.slots)
        full = [day for day, share in shares if table.room(work.index, day) < share]
        if not full:
            return [(low, low + work.slots)]
        first = table.case.axis.days[full[-1]].end if len(shares) == 1 else low + 1
        at = bisect_right(table.free, first, key=lambda piece: piece[1])
    return None


def _split(table: _Table, work: Work, start: int, end: int, last: int, due: int) -> list[Slots] | None:
    tries: list[Callable[[], int]] = [lambda: start, lambda: max(start, min(last, end - work.slots))]
    for first in dict.fromkeys(begin() for begin in tries):
        pieces = _fill(table, work, first, due)
        if pieces and pieces[0][0] <= last and pieces[-1][1] >= end:
            return pieces
    return None


def _fill(table: _Table, work: Work, first: int, due: int) -> list[Slots] | None:
    """Pieces from `first` on, as early as they fit."""
    left, pieces = work.slots, []
    margin = table.case.rest or (1 if table.case.pause_after is not None else 0)
    used: dict[int, int] = defaultdict(int)
    weeks: dict[tuple[int, int], int] = defaultdict(int)
    days = table.case.axis.days
    at = bisect_right(table.free, first, key=lambda piece: piece[1])
    while left > 0 and at < len(table.free) and table.free[at][0] < due:
        low, high = max(first, table.free[at][0]), min(due, table.free[at][1])
        if low >= due:
            break  # what is free reaches beyond the last moment, and so does where we look
        day = table.case.axis.day_of(low)
        week = days[day].week
        room = min(table.room(work.index, day) - used[day], table.week_room.get(week, 1 << 40) - weeks[week])
        size = min(left, work.longest, high - low, days[day].end - low, room)
        if size < min(left, work.shortest):
            first = days[day].end if high > days[day].end or room < min(left, work.shortest) else high
        else:
            pieces.append((low, low + size))
            left -= size
            used[day] += size
            weeks[week] += size
            first = low + size + margin
        at = bisect_right(table.free, first, key=lambda piece: piece[1])
    return pieces if left == 0 else None

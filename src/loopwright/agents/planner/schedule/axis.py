"""Working time as whole quarters of an hour: every slot that may be worked in, numbered on one axis.

A slot is a quarter of an hour of real time, counted from the axis's origin in UTC, so that lags (elapsed time) are
plain differences. Beside its number each free slot has a *dense* number, which counts free slots only: durations,
capacity and demand are differences of those. `dense` and `at` go from one to the other.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Span

Slots = tuple[int, int]
"""From the first slot to the one after the last."""
QUARTER = timedelta(minutes=GRID_MINUTES)


@dataclass(frozen=True)
class Day:
    """A local date on the axis; `week` is its ISO year and week."""

    date: date
    week: tuple[int, int]
    first: int
    end: int


def local_days(zone: ZoneInfo, origin: datetime, start: datetime, end: datetime) -> list[Day]:
    """The local dates of the weeks that `start` to `end` (aware) touch, on an axis that begins at `origin` (UTC)."""
    first, last = start.astimezone(zone).date(), end.astimezone(zone).date()
    first -= timedelta(days=first.weekday())
    last += timedelta(days=7 - last.weekday())
    dates = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    edges = [(datetime.combine(day, time(), zone).astimezone(UTC) - origin) // QUARTER for day in dates]
    return [
        Day(day, day.isocalendar()[:2], begins, ends)
        for (day, begins), (_, ends) in pairwise(zip(dates, edges, strict=True))
    ]


class Axis:
    """Free slots, in order, as stretches that do not touch each other.

    Args:
        origin: when slot 0 begins, in UTC, on a quarter of an hour.
        free: the stretches of free slots, in order.
        days: the local dates around them, in order, without gaps.
    """

    def __init__(self, origin: datetime, free: list[Slots], days: list[Day]) -> None:
        self.origin = origin
        self.free = free
        self.days = days
        self._firsts = [first for first, _ in free]
        self._ends = [end for _, end in free]
        self._before = [0]
        for first, end in free:
            self._before.append(self._before[-1] + end - first)
        self._day_firsts = [day.first for day in days]

    @property
    def size(self) -> int:
        """How many free slots there are."""
        return self._before[-1]

    def moment(self, slot: int) -> datetime:
        """When a slot begins, in UTC."""
        return self.origin + slot * QUARTER

    def floor(self, moment: datetime) -> int:
        """The slot in which a moment lies."""
        return (moment.astimezone(UTC) - self.origin) // QUARTER

    def ceil(self, moment: datetime) -> int:
        """The first slot that begins at a moment or after it."""
        return -((self.origin - moment.astimezone(UTC)) // QUARTER)

    def dense(self, slot: int) -> int:
        """How many free slots lie before a slot."""
        index = bisect_right(self._firsts, slot) - 1
        return 0 if index < 0 else self._before[index] + min(slot, self._ends[index]) - self._firsts[index]

    def at(self, dense: int) -> int | None:
        """The slot with a dense number, or None where there are not so many."""
        if not 0 <= dense < self.size:
            return None
        index = bisect_right(self._before, dense) - 1
        return self._firsts[index] + dense - self._before[index]

    def between(self, first: int, end: int) -> int:
        """How many free slots lie between two slots."""
        return max(0, self.dense(end) - self.dense(first))

    def stretches(self, first: int, end: int) -> list[Slots]:
        """The free stretches between two slots, cut at both."""
        return list(self.walk(first, end))

    def walk(self, first: int, end: int) -> Iterator[Slots]:
        """The same, one after the other."""
        for index in range(bisect_right(self._ends, first), bisect_left(self._firsts, end)):
            yield max(first, self._firsts[index]), min(end, self._ends[index])

    def starts(self, length: int, first: int, end: int) -> list[Slots]:
        """Where work of `length` slots in one piece may start, between two slots; the last start is included."""
        return [(low, high - length) for low, high in self.stretches(first, end) if high - low >= length]

    def earliest_start(self, length: int, first: int) -> int | None:
        """The first start at `first` or later of work in one piece."""
        for index in range(bisect_right(self._ends, first), len(self.free)):
            low = max(first, self._firsts[index])
            if self._ends[index] - low >= length:
                return low
        return None

    def latest_end(self, length: int, end: int) -> int | None:
        """The last end at `end` or earlier of work in one piece."""
        for index in range(bisect_left(self._firsts, end) - 1, -1, -1):
            high = min(end, self._ends[index])
            if high - self._firsts[index] >= length:
                return high
        return None

    def earliest_end(self, amount: int, first: int) -> int | None:
        """When `amount` slots are done at the earliest if nothing else is done from `first` on."""
        last = self.at(self.dense(first) + amount - 1)
        return None if last is None else last + 1

    def latest_start(self, amount: int, end: int) -> int | None:
        """When work of `amount` slots has to begin at the latest to be done by `end`."""
        return self.at(self.dense(end) - amount)

    def day_of(self, slot: int) -> int:
        """The index of the local date on which a slot lies."""
        return max(0, bisect_right(self._day_firsts, slot) - 1)

    def shares(self, first: int, end: int) -> list[tuple[int, int]]:
        """The local dates (by index) between two slots with the slots on each."""
        found = []
        index = self.day_of(first)
        while index < len(self.days) and self.days[index].first < end:
            share = min(end, self.days[index].end) - max(first, self.days[index].first)
            if share > 0:
                found.append((index, share))
            index += 1
        return found


def on_grid(spans: list[Span], origin: datetime) -> list[Slots]:
    """Free time as whole slots: what is no whole slot is left out."""
    found: list[Slots] = []
    for span in spans:
        first, end = -((origin - span.start.astimezone(UTC)) // QUARTER), (span.end.astimezone(UTC) - origin) // QUARTER
        if first < end:
            # Two spans that meet within a slot are one stretch only if they truly touch; the calendar joins those.
            found.append((first, end))
    return found


def without(free: list[Slots], taken: list[Slots]) -> list[Slots]:
    """Free stretches from which others, in any order, are cut out."""
    holes: list[Slots] = []
    for first, end in sorted(taken):
        if holes and first <= holes[-1][1]:
            holes[-1] = (holes[-1][0], max(end, holes[-1][1]))
        else:
            holes.append((first, end))
    found: list[Slots] = []
    for low, high in free:
        start = low
        for index in range(bisect_right(holes, low, key=lambda hole: hole[1]), len(holes)):
            first, end = holes[index]
            if first >= high:
                break
            if first > start:
                found.append((start, first))
            start = max(start, end)
        if start < high:
            found.append((start, high))
    return found

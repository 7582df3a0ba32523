"""A scheduling problem in wall-clock terms, and its answer. All times are aware."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Any, Literal
from zoneinfo import ZoneInfo

from loopwright.kernel.errors import InvalidInput

LinkType = Literal["finish_to_start", "start_to_start", "finish_to_finish", "start_to_finish"]
Aim = Literal["whole", "even_weeks", "even_days", "early"]
"""What a schedule should be where there is a choice: sessions whole; the busiest week light; few and short sessions on
each day, with free days between them; early."""
LIMITS = ("minutes_per_week", "tasks_per_day", "minutes_per_day")
"""The calendar's limits that an even spread makes tighter."""
GRID_MINUTES = 15
"""Blocks begin and end on quarters of an hour; durations are rounded up to them."""


@dataclass(frozen=True)
class Span:
    """A stretch of time, the end not included."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class Window:
    """Working hours on one weekday, 0 is Monday; `end` 00:00 is midnight of the same day."""

    weekday: int
    start: time
    end: time


@dataclass(frozen=True)
class WorkingCalendar:
    """When work may be done, in one zone; wall-clock hours stay the same across changes of summer time.

    `exceptions` replace a date's windows (none: a day off). `blackouts` and `busy` are times that are taken.
    Capacities are minutes of work; None is no limit. `break_minutes` lie between two blocks of different tasks, and
    after `max_consecutive_minutes` of work.
    """

    zone: ZoneInfo
    windows: tuple[Window, ...]
    exceptions: dict[date, tuple[tuple[time, time], ...]] = field(default_factory=dict)
    blackouts: tuple[Span, ...] = ()
    busy: tuple[Span, ...] = ()
    minutes_per_day: int | None = 480
    minutes_per_week: int | None = 2_400
    tasks_per_day: int | None = 10
    break_minutes: int = 15
    max_consecutive_minutes: int | None = 240


@dataclass(frozen=True)
class Task:
    """One piece of work. Recurring work is unrolled into one task for each occurrence before it comes here.

    `priority` 1 is the most important, 5 the least. A splittable task is done in blocks of at least
    `min_block_minutes` (the last one may be what is left, at least `min_last_minutes`). A locked task lies where
    `locked` says, whatever else.
    """

    id: str
    title: str
    minutes: int
    priority: int = 3
    earliest: datetime | None = None
    latest: datetime | None = None
    splittable: bool = False
    min_block_minutes: int = 30
    min_last_minutes: int = GRID_MINUTES
    locked: tuple[Span, ...] = ()
    previous: tuple[Span, ...] = ()
    """Where the task lay in an earlier schedule: replanning moves as little as possible."""


@dataclass(frozen=True)
class Link:
    """`after` depends on `before`.

    `lag_minutes` of elapsed time lie at least between the two named ends, at most `max_lag_minutes` where given; a
    negative lag is a lead.
    """

    before: str
    after: str
    type: LinkType = "finish_to_start"
    lag_minutes: int = 0
    max_lag_minutes: int | None = None


@dataclass(frozen=True)
class Problem:
    """What is to be scheduled between `start` and `end`, by one person."""

    tasks: tuple[Task, ...]
    links: tuple[Link, ...]
    calendar: WorkingCalendar
    start: datetime
    end: datetime
    mode: Literal["push", "relax", "hybrid", "manual"] = "hybrid"
    aims: tuple[Aim, ...] = ("early",)
    """The objective, the most important aim first; what stands after `early` has no say."""
    events: tuple[datetime, ...] = ()
    """When the days begin on which that takes place for which the work is done: no way out ends after its event."""


@dataclass(frozen=True)
class Block:
    """A stretch in which a task is worked on."""

    task_id: str
    start: datetime
    end: datetime


@dataclass(frozen=True)
class Cause:
    """Why there is no schedule, so that a person understands it.

    `kind`: `cycle`, `window` (a task longer than all time it may take), `demand` (more work than time in a span),
    `chain` (a chain of tasks longer than its span), `pair` (two tasks exclude each other), `core` (a minimal set),
    `unproved` (tasks that found no place in the time there was: there may be a schedule).
    """

    kind: Literal["cycle", "window", "demand", "chain", "pair", "locked", "core", "unproved"]
    text: str
    task_ids: tuple[str, ...] = ()
    span: Span | None = None
    needed_minutes: int | None = None
    available_minutes: int | None = None
    found_before_solver: bool = True


@dataclass(frozen=True)
class Relaxation:
    """A change of the problem with which there is a schedule: solved, not guessed. Cheaper ones come first."""

    text: str
    kind: str
    cost: float
    change: dict[str, object]


@dataclass(frozen=True)
class Answer:
    """What the solver says. `bound` is proved: no schedule has a smaller objective; `gap` is relative to it."""

    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    blocks: tuple[Block, ...] = ()
    objective: float | None = None
    bound: float | None = None
    gap: float | None = None
    seconds: float = 0.0
    cause: Cause | None = None
    relaxations: tuple[Relaxation, ...] = ()
    terms: dict[str, float] = field(default_factory=dict)
    """What the schedule is worth by each aim, by its name; the limits that an even spread set end in `_limit`."""


# Changes of a problem as data, so that they can be stored, shown and applied later.

Change = dict[str, Any]
MIDNIGHT = 24 * 60


def apply_relaxation(problem: Problem, relaxation: Relaxation) -> Problem:
    """The problem with the change of a relaxation.

    Raises:
        InvalidInput: the change is of an unknown kind, or names a task that the problem does not have.
    """
    change = relaxation.change
    apply = CHANGES.get(str(change.get("set")))
    if apply is None:
        raise InvalidInput(
            f"There is no change {change.get('set')!r}.", hint=f"There are {', '.join(sorted(CHANGES))}."
        )
    if "task" in change and all(task.id != change["task"] for task in problem.tasks):
        raise InvalidInput(f"The problem has no task {change['task']!r}.")
    return apply(problem, change)


def _task(problem: Problem, change: Change, **values: Any) -> Problem:
    tasks = tuple(replace(task, **values) if task.id == change["task"] else task for task in problem.tasks)
    return replace(problem, tasks=tasks)


def _all(problem: Problem, change: Change) -> Problem:
    for part in change["changes"]:
        problem = apply_relaxation(problem, Relaxation("", "", 0.0, part))
    return problem


def _latest(problem: Problem, change: Change) -> Problem:
    moment = datetime.fromisoformat(change["to"])
    return replace(_task(problem, change, latest=moment), end=max(problem.end, moment))


def _earliest(problem: Problem, change: Change) -> Problem:
    return _task(problem, change, earliest=datetime.fromisoformat(change["to"]))


def _end(problem: Problem, change: Change) -> Problem:
    """A later end for all; deadlines at the old end or after it move along."""
    moment, old = datetime.fromisoformat(change["to"]), problem.end

    def later(task: Task) -> Task:
        return replace(task, latest=moment) if task.latest is not None and task.latest >= old else task

    return replace(problem, end=moment, tasks=tuple(map(later, problem.tasks)))


def _limit(name: str) -> Callable[[Problem, Change], Problem]:
    def apply(problem: Problem, change: Change) -> Problem:
        return replace(problem, calendar=replace(problem.calendar, **{name: change["to"]}))

    return apply


def _splittable(problem: Problem, change: Change) -> Problem:
    return _task(problem, change, splittable=True)


def _minutes(problem: Problem, change: Change) -> Problem:
    return _task(problem, change, minutes=int(change["to"]))


def _drop(problem: Problem, change: Change) -> Problem:
    gone = change["task"]
    tasks = tuple(task for task in problem.tasks if task.id != gone)
    links = tuple(link for link in problem.links if gone not in {link.before, link.after})
    return replace(problem, tasks=tasks, links=links)


def _unlock(problem: Problem, change: Change) -> Problem:
    return _task(problem, change, locked=())


def _hours(problem: Problem, change: Change) -> Problem:
    hours = tuple((time.fromisoformat(start), time.fromisoformat(end)) for start, end in change["to"])
    exceptions = {**problem.calendar.exceptions, date.fromisoformat(change["date"]): hours}
    return replace(problem, calendar=replace(problem.calendar, exceptions=exceptions))


def _unblock(problem: Problem, change: Change) -> Problem:
    start, end = (datetime.fromisoformat(change[key]) for key in ("start", "end"))
    kept = tuple(span for span in problem.calendar.blackouts if (span.start, span.end) != (start, end))
    return replace(problem, calendar=replace(problem.calendar, blackouts=kept))


def _longer_hours(problem: Problem, change: Change) -> Problem:
    """The last hours of each weekday end so many minutes later, at midnight at most."""
    latest = {window.weekday: window.start for window in sorted(problem.calendar.windows, key=lambda w: w.start)}

    def longer(window: Window) -> Window:
        if window.start != latest[window.weekday] or window.end == time():
            return window
        end = window.end.hour * 60 + window.end.minute + int(change["minutes"])
        return replace(window, end=time() if end >= MIDNIGHT else time(end // 60, end % 60))

    windows = tuple(longer(window) for window in problem.calendar.windows)
    return replace(problem, calendar=replace(problem.calendar, windows=windows))


def _unlink(problem: Problem, change: Change) -> Problem:
    wanted = (change["before"], change["after"], change["type"])
    links = tuple(link for link in problem.links if (link.before, link.after, link.type) != wanted)
    return replace(problem, links=links)


CHANGES: dict[str, Callable[[Problem, Change], Problem]] = {
    "all": _all,
    "latest": _latest,
    "earliest": _earliest,
    "end": _end,
    "minutes_per_day": _limit("minutes_per_day"),
    "minutes_per_week": _limit("minutes_per_week"),
    "tasks_per_day": _limit("tasks_per_day"),
    "max_consecutive_minutes": _limit("max_consecutive_minutes"),
    "splittable": _splittable,
    "minutes": _minutes,
    "drop": _drop,
    "unlock": _unlock,
    "hours": _hours,
    "unlink": _unlink,
    "unblock": _unblock,
    "longer_hours": _longer_hours,
}


# Working time as whole quarters of an hour: every slot that may be worked in, numbered on one axis.

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

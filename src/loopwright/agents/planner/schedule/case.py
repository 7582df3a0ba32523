"""A problem in slots: what solver, bounds and certificates share."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from loopwright.agents.planner.schedule.calendar import working_spans
from loopwright.agents.planner.schedule.problem import (
    GRID_MINUTES,
    QUARTER,
    Axis,
    Block,
    Link,
    Problem,
    Slots,
    Span,
    Task,
    local_days,
    on_grid,
    without,
)
from loopwright.kernel.errors import InvalidInput

# Locked work where breaks have no length: what lies right next to it goes on with its stretch of work.


@dataclass(frozen=True)
class LockedRun:
    """Locked blocks without a gap between them, as slots of a stretch of work.

    `joins_before` and `joins_after` tell whether a slot before or after goes on with it: only where it begins or ends
    on the grid. One that ends off the grid is as long as is needed to leave others what may still be worked.
    """

    first: int
    end: int
    joins_before: bool
    joins_after: bool


def locked_runs(locks: Iterable[Span], origin: datetime, most_minutes: int) -> tuple[list[LockedRun], list[Slots]]:
    """The runs that work may lie next to, and the slots that have to stay idle around the others.

    Args:
        locks: locked blocks.
        origin: when slot 0 begins, in UTC.
        most_minutes: that may be worked without a pause.
    """
    most = most_minutes // GRID_MINUTES
    runs: list[LockedRun] = []
    idle: list[Slots] = []
    for begin, until in _chains(locks):
        first, first_rest = divmod(begin - origin, QUARTER)
        end, end_rest = divmod(until - origin, QUARTER)
        spare = (most_minutes * 60 - (until - begin).total_seconds()) // (GRID_MINUTES * 60)
        if spare < 1:
            idle += [(first - 1, first)] if not first_rest else []
            idle += [(end, end + 1)] if not end_rest else []
        elif not first_rest and not end_rest:
            runs.append(LockedRun(first, end, joins_before=True, joins_after=True))
        elif not first_rest:
            runs.append(LockedRun(first, first + most - int(spare), joins_before=True, joins_after=False))
        elif not end_rest:
            runs.append(LockedRun(end - most + int(spare), end, joins_before=False, joins_after=True))
    return runs, idle


def _chains(locks: Iterable[Span]) -> list[tuple[datetime, datetime]]:
    found: list[tuple[datetime, datetime]] = []
    for begin, end in sorted((span.start.astimezone(UTC), span.end.astimezone(UTC)) for span in locks):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


MINUTE = timedelta(minutes=1)
WEIGHTS = {1: 16, 2: 8, 3: 4, 4: 2, 5: 1}
"""What a slot of waiting costs by priority: one step of priority counts double."""


@dataclass(frozen=True)
class Work:
    """A task in slots. `release` and `due` are its own bounds; `lock`, in minutes of the axis, is where it must lie."""

    index: int
    task: Task
    slots: int
    shortest: int
    longest: int
    release: int
    due: int
    weight: int
    lock: Slots | None = None
    last: int = 1
    """How long the last block of a split task is at least."""

    @property
    def whole(self) -> bool:
        """Whether it is done in one piece."""
        return not self.task.splittable or self.slots <= self.shortest


@dataclass(frozen=True)
class Arc:
    """One end of `after` lies at least `minutes` after one end of `before`; a maximal lag is an arc backwards."""

    before: int
    before_end: bool
    after: int
    after_end: bool
    minutes: int
    link: Link
    is_maximum: bool = False


@dataclass(frozen=True)
class Case:
    """The problem on its axis. `axis` holds the time that is free for tasks that are not locked.

    `day_space`, `week_space` and `day_tasks` are what the calendar's limits leave for them, by the index of the day and
    by the week; what is missing has no limit. `rest` is the break between two tasks, in slots.
    """

    problem: Problem
    axis: Axis
    works: list[Work]
    arcs: list[Arc]
    rest: int
    day_space: dict[int, int]
    week_space: dict[tuple[int, int], int]
    day_tasks: dict[int, int]
    pause_after: int | None = None
    """Where breaks have no length, this many slots of work need any pause after them."""
    locked_runs: tuple[LockedRun, ...] = ()
    """Then, the locked work whose stretch others may go on with."""

    @property
    def moving(self) -> list[Work]:
        """The tasks that are not locked."""
        return [work for work in self.works if work.lock is None]

    @property
    def locked(self) -> list[Work]:
        """The tasks that are."""
        return [work for work in self.works if work.lock is not None]

    @property
    def locked_slots(self) -> list[Slots]:
        """The slots that locked blocks touch."""
        origin = self.axis.origin
        spans = [span for work in self.locked for span in work.task.locked]
        return [_touched(span, origin) for span in spans]

    def when(self, slot: int) -> str:
        """A slot's beginning in words, in the calendar's zone."""
        return in_words(self.axis.moment(slot), self.problem)

    def span(self, first: int, end: int) -> Span:
        """Two slots as times, in UTC."""
        return Span(self.axis.moment(first), self.axis.moment(end))

    def blocks(self, places: dict[int, list[Slots]]) -> tuple[Block, ...]:
        """Places of tasks (by index) and the locked tasks, as blocks in order of time, in the calendar's zone."""
        zone = self.problem.calendar.zone
        found = [
            Block(self.works[index].task.id, self.axis.moment(a).astimezone(zone), self.axis.moment(b).astimezone(zone))
            for index, pieces in places.items()
            for a, b in joined(pieces)
        ]
        for work in self.locked:
            spans = work.task.locked
            found += [Block(work.task.id, span.start.astimezone(zone), span.end.astimezone(zone)) for span in spans]
        return tuple(sorted(found, key=lambda block: (block.start.astimezone(UTC), block.task_id)))


def joined(pieces: Iterable[Slots]) -> list[Slots]:
    """Pieces of one task, where those that touch become one."""
    found: list[Slots] = []
    for first, end in sorted(pieces):
        if found and found[-1][1] == first:
            found[-1] = (found[-1][0], end)
        else:
            found.append((first, end))
    return found


def in_words(moment: datetime, problem: Problem) -> str:
    """A time as people say it, in the calendar's zone: Mon 1 Jun 2026 09:00."""
    local = moment.astimezone(problem.calendar.zone)
    return f"{local:%a} {local.day} {local:%b %Y %H:%M}"


def slots_up(minutes: int) -> int:
    """Minutes as slots, rounded up."""
    return -(-minutes // GRID_MINUTES)


def build_case(problem: Problem) -> Case:
    """Lay a problem on its axis.

    Args:
        problem: what is to be scheduled.

    Raises:
        InvalidInput: a duration is not positive, an id is used twice, or a link names an unknown task.
    """
    refuse(problem)
    calendar = problem.calendar
    start = problem.start.astimezone(UTC)
    origin = start.replace(minute=start.minute // GRID_MINUTES * GRID_MINUTES, second=0, microsecond=0)
    locks = [span for task in problem.tasks for span in task.locked]
    first = min([problem.start, *(span.start for span in locks)], key=_utc)
    last = max([problem.end, *(span.end for span in locks)], key=_utc)
    rest = slots_up(calendar.break_minutes)
    most = None if calendar.max_consecutive_minutes is None else calendar.max_consecutive_minutes // GRID_MINUTES
    pause_after = most if rest == 0 else None
    spans = on_grid(working_spans(calendar, problem.start, problem.end), origin)
    touched = [_touched(span, origin) for span in locks]
    runs, idle = locked_runs(locks, origin, calendar.max_consecutive_minutes or 0) if pause_after else ([], [])
    free = without(spans, [*((low - rest, high + rest) for low, high in touched), *idle])
    axis = Axis(origin, free, local_days(calendar.zone, origin, first, last))
    works = [_work(index, task, problem, axis, most) for index, task in enumerate(problem.tasks)]
    spaces = _spaces(problem, axis, works)
    return Case(problem, axis, works, _arcs(problem), rest, *spaces, pause_after, tuple(runs))


def _touched(span: Span, origin: datetime) -> Slots:
    return (span.start.astimezone(UTC) - origin) // QUARTER, -((origin - span.end.astimezone(UTC)) // QUARTER)


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def refuse(problem: Problem) -> None:
    """Raise `InvalidInput` for a duration that is not positive, an id used twice, a link to an unknown task."""
    ids = {task.id for task in problem.tasks}
    if len(ids) != len(problem.tasks):
        raise InvalidInput("Two tasks have the same id.", hint="Give each task an id of its own.")
    for task in problem.tasks:
        if task.minutes <= 0:
            raise InvalidInput(f"{task.title!r} takes {task.minutes} minutes.", hint="Durations are positive.")
    for link in problem.links:
        if missing := {link.before, link.after} - ids:
            raise InvalidInput(f"A link names the unknown task {min(missing)!r}.", hint="Link tasks of the problem.")


def _work(index: int, task: Task, problem: Problem, axis: Axis, most: int | None) -> Work:
    lock = None
    if task.locked:
        low = min(span.start.astimezone(UTC) for span in task.locked) - axis.origin
        high = max(span.end.astimezone(UTC) for span in task.locked) - axis.origin
        lock = (low // MINUTE, high // MINUTE)
    release, due = axis.ceil(problem.start), axis.floor(problem.end)
    if task.earliest is not None:
        release = max(release, axis.ceil(task.earliest))
    if task.latest is not None:
        due = min(due, axis.floor(task.latest))
    slots = slots_up(task.minutes)
    shortest = max(1, slots_up(task.min_block_minutes)) if task.splittable else slots
    longest = slots if most is None else min(slots, most)
    weight = WEIGHTS[min(5, max(1, task.priority))]
    last = min(shortest, slots_up(task.min_last_minutes))
    return Work(index, task, slots, shortest, longest, release, due, weight, lock, last)


def _arcs(problem: Problem) -> list[Arc]:
    index = {task.id: number for number, task in enumerate(problem.tasks)}
    arcs = []
    for link in problem.links:
        a, b = index[link.before], index[link.after]
        a_end = link.type in {"finish_to_start", "finish_to_finish"}
        b_end = link.type in {"finish_to_finish", "start_to_finish"}
        arcs.append(Arc(a, a_end, b, b_end, link.lag_minutes, link))
        if link.max_lag_minutes is not None:
            arcs.append(Arc(b, b_end, a, a_end, -link.max_lag_minutes, link, is_maximum=True))
    return arcs


def _spaces(
    problem: Problem, axis: Axis, works: list[Work]
) -> tuple[dict[int, int], dict[tuple[int, int], int], dict[int, int]]:
    calendar = problem.calendar
    minutes: dict[int, int] = defaultdict(int)
    tasks: dict[int, set[int]] = defaultdict(set)
    for work in works:
        for span in work.task.locked:
            first = (span.start.astimezone(UTC) - axis.origin) // MINUTE
            end = (span.end.astimezone(UTC) - axis.origin) // MINUTE
            for number, taken in _minute_shares(axis, first, end):
                minutes[number] += taken
                tasks[number].add(work.index)
    day_space, day_tasks = {}, {}
    week_space: dict[tuple[int, int], int] = {}
    for number, day in enumerate(axis.days):
        if calendar.minutes_per_day is not None:
            day_space[number] = max(0, calendar.minutes_per_day - minutes[number]) // GRID_MINUTES
        if calendar.minutes_per_week is not None:
            week_space[day.week] = week_space.get(day.week, calendar.minutes_per_week) - minutes[number]
        if calendar.tasks_per_day is not None:
            day_tasks[number] = max(0, calendar.tasks_per_day - len(tasks[number]))
    return day_space, {week: max(0, space) // GRID_MINUTES for week, space in week_space.items()}, day_tasks


def _minute_shares(axis: Axis, first: int, end: int) -> list[tuple[int, int]]:
    """The days of a stretch in minutes, with the minutes on each."""
    found = []
    number = axis.day_of(first // GRID_MINUTES)
    while number < len(axis.days) and axis.days[number].first * GRID_MINUTES < end:
        day = axis.days[number]
        share = min(end, day.end * GRID_MINUTES) - max(first, day.first * GRID_MINUTES)
        if share > 0:
            found.append((number, share))
        number += 1
    return found

"""Is this a right schedule? Every schedule passes here before anyone sees it.

Written against the words of `problem.py` alone: it shares no code with the solver, its axis or the calendar's spans,
and asks the clock on the wall about every minute of work, so that an error there is found here.

What is locked lies where it is locked, whatever else: locked blocks are not asked about hours, busy times, capacity or
breaks, but they take time that others cannot have, count against the day for others, and links hold for them too.
In mode `manual` only locked tasks have to be placed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Block, Link, Problem, Span, Task, WorkingCalendar

# The checker's own clock: blocks in seconds since 1970, and what the wall clock shows then.

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE = 60
SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Piece:
    """A block as the checker sees it; `start` and `end` in seconds since 1970, the end not included."""

    task_id: str
    title: str
    start: float
    end: float
    locked: bool

    @classmethod
    def of(cls, block: Block, task: Task) -> "Piece":
        """The piece for a block of a task."""
        return cls(task.id, task.title, seconds(block.start), seconds(block.end), bool(task.locked))

    @property
    def span(self) -> Span:
        """When it lies, in UTC."""
        return Span(clock_time(self.start), clock_time(self.end))


def seconds(moment: datetime) -> float:
    """Seconds since 1970 of an aware time.

    Subtracting two times of one zone would subtract what their wall clocks show: the epoch is in UTC for this reason.
    """
    return (moment - EPOCH).total_seconds()


def clock_time(moment: float) -> datetime:
    """The time in UTC."""
    return EPOCH + moment * SECOND


def wall_time(moment: float, zone: ZoneInfo) -> datetime:
    """What the clock on the zone's walls shows."""
    return clock_time(moment).astimezone(zone)


# What is wrong with a schedule.

Rule = Literal[
    "naive_time",
    "empty_block",
    "unknown_task",
    "locked",
    "unscheduled",
    "minutes",
    "in_one_piece",
    "min_block",
    "grid",
    "working_hours",
    "blackout",
    "busy",
    "overlap",
    "horizon",
    "earliest",
    "latest",
    "day_capacity",
    "week_capacity",
    "tasks_per_day",
    "break",
    "max_consecutive",
    "finish_to_start",
    "start_to_start",
    "finish_to_finish",
    "start_to_finish",
    "max_lag",
]


@dataclass(frozen=True)
class Violation:
    """One broken rule: `text` tells a person, `task_ids` whose blocks break it, `span` where."""

    rule: Rule
    text: str
    task_ids: tuple[str, ...] = ()
    span: Span | None = None


# The checker's rules for one task and for one block.

QUARTER = GRID_MINUTES * MINUTE


def placing_violations(problem: Problem, task: Task, pieces: list[Piece]) -> Iterator[Violation]:
    """Whether a task lies where and as long as it should; `pieces` are its own, in order."""
    runs = _runs((piece.start, piece.end) for piece in pieces)
    if task.locked:
        if runs != _runs(sorted((seconds(span.start), seconds(span.end)) for span in task.locked)):
            yield Violation("locked", f"{task.title!r} does not lie where it is locked.", (task.id,))
        return
    if not pieces:
        if problem.mode != "manual":
            yield Violation("unscheduled", f"{task.title!r} has no block.", (task.id,))
        return
    wanted = -(-task.minutes // GRID_MINUTES) * GRID_MINUTES
    given = sum(piece.end - piece.start for piece in pieces) / MINUTE
    if given != wanted:
        yield Violation("minutes", f"{task.title!r} has {given:g} minutes instead of {wanted}.", (task.id,))
    if not task.splittable and len(runs) > 1:
        yield Violation("in_one_piece", f"{task.title!r} is cut into {len(runs)} blocks.", (task.id,))
    if task.splittable and any(end - start < task.min_block_minutes * MINUTE for start, end in runs[:-1]):
        text = f"A block of {task.title!r}, not the last one, is shorter than {task.min_block_minutes} minutes."
        yield Violation("min_block", text, (task.id,))
    if task.earliest is not None and pieces[0].start < seconds(task.earliest):
        text = f"{task.title!r} starts before {task.earliest.isoformat()}."
        yield Violation("earliest", text, (task.id,), pieces[0].span)
    if task.latest is not None and pieces[-1].end > seconds(task.latest):
        text = f"{task.title!r} ends after {task.latest.isoformat()}."
        yield Violation("latest", text, (task.id,), pieces[-1].span)


def block_violations(problem: Problem, pieces: list[Piece]) -> Iterator[Violation]:
    """Whether each block lies in time that may be used."""
    calendar = problem.calendar
    taken: list[tuple[Rule, Span]] = [("blackout", span) for span in calendar.blackouts]
    taken += [("busy", span) for span in calendar.busy]
    holes = sorted((seconds(span.start), seconds(span.end), rule) for rule, span in taken)
    exact = _on_quarters(calendar)
    for piece in pieces:
        if piece.start < seconds(problem.start) or piece.end > seconds(problem.end):
            yield _broken("horizon", piece, "lies outside the time that is planned")
        if piece.locked:
            continue
        if piece.start % QUARTER or piece.end % QUARTER:
            yield _broken("grid", piece, "does not lie on quarters of an hour")
        if not _in_working_hours(calendar, piece, exact):
            yield _broken("working_hours", piece, "lies outside the working hours")
        for start, end, rule in holes:
            if start >= piece.end:
                break
            if end > piece.start and end > start:
                yield _broken(rule, piece, f"lies in a {rule} time")


def _broken(rule: Rule, piece: Piece, what: str) -> Violation:
    return Violation(rule, f"A block of {piece.title!r} {what}.", (piece.task_id,), piece.span)


def _runs(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans in order, where those that touch count as one; those that overlap stay apart."""
    runs: list[tuple[float, float]] = []
    for start, end in spans:
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


def _on_quarters(calendar: WorkingCalendar) -> bool:
    """Whether all hours begin and end on quarters: then a quarter of an hour is wholly within them or wholly not."""
    ends = [end for window in calendar.windows for end in (window.start, window.end)]
    ends += [end for hours in calendar.exceptions.values() for pair in hours for end in pair]
    return all(not (end.minute % GRID_MINUTES or end.second or end.microsecond) for end in ends)


def _in_working_hours(calendar: WorkingCalendar, piece: Piece, exact: bool) -> bool:
    """Look at the wall clock at each minute of the block, or at each quarter where that says the same."""
    quarters = exact and not piece.start % QUARTER
    step = QUARTER if quarters else MINUTE
    moment = piece.start
    while moment < piece.end:
        if not _open_at(calendar, wall_time(moment, calendar.zone)):
            return False
        moment += step
    return True


def _open_at(calendar: WorkingCalendar, wall: datetime) -> bool:
    shown = wall.time()
    hours: Iterable[tuple[time, time]]
    if wall.date() in calendar.exceptions:
        hours = calendar.exceptions[wall.date()]
    else:
        hours = [(window.start, window.end) for window in calendar.windows if window.weekday == wall.weekday()]
    return any(opens <= shown and (shown < closes or closes == time.min) for opens, closes in hours)


# The checker's rules for a day, a week, and the rest between blocks.


@dataclass
class _Load:
    """What lies on a day or in a week. `free_ids` are of the tasks that could lie elsewhere."""

    minutes: float = 0
    ids: list[str] = field(default_factory=list)
    free_ids: set[str] = field(default_factory=set)

    def add(self, piece: Piece, share: float) -> None:
        """Count a share, in seconds, of a block."""
        self.minutes += share / MINUTE
        if piece.task_id not in self.ids:
            self.ids.append(piece.task_id)
        if not piece.locked:
            self.free_ids.add(piece.task_id)


def day_violations(problem: Problem, pieces: list[Piece]) -> Iterator[Violation]:
    """Whether a day or a week, by the local date, holds more than it may."""
    calendar = problem.calendar
    days: dict[date, _Load] = defaultdict(_Load)
    weeks: dict[tuple[int, int], _Load] = defaultdict(_Load)
    for piece in pieces:
        for day, share in _shares(piece, calendar.zone):
            days[day].add(piece, share)
            weeks[day.isocalendar()[:2]].add(piece, share)
    most = calendar.minutes_per_day
    for day, load in sorted(days.items()):
        if most is not None and load.free_ids and load.minutes > most:
            text = f"{day.isoformat()} holds {load.minutes:g} minutes of work, at most {most} are allowed."
            yield Violation("day_capacity", text, tuple(load.ids))
        if calendar.tasks_per_day is not None and load.free_ids and len(load.ids) > calendar.tasks_per_day:
            text = f"{day.isoformat()} holds {len(load.ids)} tasks, at most {calendar.tasks_per_day} are allowed."
            yield Violation("tasks_per_day", text, tuple(load.ids))
    most = calendar.minutes_per_week
    for (year, week), load in sorted(weeks.items()):
        if most is not None and load.free_ids and load.minutes > most:
            text = f"Week {week} of {year} holds {load.minutes:g} minutes of work, at most {most} are allowed."
            yield Violation("week_capacity", text, tuple(load.ids))


def rest_violations(problem: Problem, pieces: list[Piece]) -> Iterator[Violation]:
    """Whether there is a break between two tasks, and after long work; `pieces` are in order.

    A stretch of work goes on until a pause as long as a break (or any pause, where breaks have no length).
    """
    pause = problem.calendar.break_minutes * MINUTE
    most = problem.calendar.max_consecutive_minutes
    stretch: list[Piece] = []
    for piece in pieces:
        gap = piece.start - stretch[-1].end if stretch else None
        if gap is None or (gap >= pause and gap > 0):
            yield from _too_long(stretch, most)
            stretch = [piece]
            continue
        last = stretch[-1]
        if 0 <= gap < pause and piece.task_id != last.task_id and not (piece.locked and last.locked):
            text = f"Between {last.title!r} and {piece.title!r} lie less than {problem.calendar.break_minutes} minutes."
            yield Violation("break", text, (last.task_id, piece.task_id), Span(last.span.start, piece.span.end))
        stretch.append(piece)
    yield from _too_long(stretch, most)


def _too_long(stretch: list[Piece], most: int | None) -> Iterator[Violation]:
    worked = sum(piece.end - piece.start for piece in stretch) / MINUTE
    if most is not None and worked > most and not all(piece.locked for piece in stretch):
        text = f"{worked:g} minutes of work follow each other without a break, at most {most} are allowed."
        ids = tuple(dict.fromkeys(piece.task_id for piece in stretch))
        yield Violation("max_consecutive", text, ids, Span(stretch[0].span.start, clock_time(stretch[-1].end)))


def _shares(piece: Piece, zone: ZoneInfo) -> list[tuple[date, float]]:
    """The local dates of a block with the seconds on each, by asking the wall clock at each minute of it."""
    first, last = wall_time(piece.start, zone).date(), wall_time(piece.end - 1, zone).date()
    if first == last:
        return [(first, piece.end - piece.start)]
    shares: dict[date, float] = defaultdict(float)
    moment = piece.start
    while moment < piece.end:
        step = min(MINUTE, piece.end - moment)
        shares[wall_time(moment, zone).date()] += step
        moment += step
    return list(shares.items())


# The checker's rules for dependencies.


def link_violations(problem: Problem, by_task: Mapping[str, list[Piece]]) -> Iterator[Violation]:
    """Whether the named ends of linked tasks are as far apart as they should be, in elapsed time.

    Tasks that are not placed are told elsewhere.
    """
    for link in problem.links:
        before, after = by_task.get(link.before), by_task.get(link.after)
        if not before or not after:
            continue
        apart = (_second_end(link, after) - _first_end(link, before)) / MINUTE
        pair = (link.before, link.after)
        words = f"{after[0].title!r} depends on {before[0].title!r} ({link.type.replace('_', ' ')})"
        if apart < link.lag_minutes:
            text = f"{words}: {apart:g} minutes lie between, at least {link.lag_minutes} are needed."
            yield Violation(link.type, text, pair)
        if link.max_lag_minutes is not None and apart > link.max_lag_minutes:
            text = f"{words}: {apart:g} minutes lie between, at most {link.max_lag_minutes} are allowed."
            yield Violation("max_lag", text, pair)


def _first_end(link: Link, pieces: list[Piece]) -> float:
    """The instant of the task that comes first which the link names."""
    if link.type in {"finish_to_start", "finish_to_finish"}:
        return max(piece.end for piece in pieces)
    return min(piece.start for piece in pieces)


def _second_end(link: Link, pieces: list[Piece]) -> float:
    """The instant of the dependent task which the link names."""
    if link.type in {"finish_to_finish", "start_to_finish"}:
        return max(piece.end for piece in pieces)
    return min(piece.start for piece in pieces)


def check_schedule(problem: Problem, blocks: Iterable[Block]) -> list[Violation]:
    """Hold blocks against every rule of the problem.

    Args:
        problem: what was to be scheduled; its own times are aware.
        blocks: where the tasks lie, in any order.

    Returns:
        Every violation found, in the order of the rules; none for a right schedule.
    """
    found: list[Violation] = []
    pieces = _pieces(problem, blocks, found)
    by_task: dict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        by_task[piece.task_id].append(piece)
    for task in problem.tasks:
        found += placing_violations(problem, task, by_task.get(task.id, []))
    found += block_violations(problem, pieces)
    found += _overlaps(pieces)
    found += day_violations(problem, pieces)
    found += rest_violations(problem, pieces)
    found += link_violations(problem, by_task)
    return found


def _pieces(problem: Problem, blocks: Iterable[Block], found: list[Violation]) -> list[Piece]:
    """The blocks that can be reasoned about, in order; the others are told at once."""
    tasks = {task.id: task for task in problem.tasks}
    pieces = []
    for block in blocks:
        task = tasks.get(block.task_id)
        if task is None:
            found.append(Violation("unknown_task", f"There is no task {block.task_id!r}.", (block.task_id,)))
        elif block.start.utcoffset() is None or block.end.utcoffset() is None:
            text = f"A block of {task.title!r} has a time without a zone."
            found.append(Violation("naive_time", text, (task.id,)))
        else:
            piece = Piece.of(block, task)
            if piece.end > piece.start:
                pieces.append(piece)
            else:
                text = f"A block of {task.title!r} does not end after it starts."
                found.append(Violation("empty_block", text, (task.id,)))
    return sorted(pieces, key=lambda piece: (piece.start, piece.end, piece.task_id))


def _overlaps(pieces: list[Piece]) -> list[Violation]:
    """Two things at once; `pieces` are in order of their start."""
    found = []
    latest: Piece | None = None
    for piece in pieces:
        if latest is not None and piece.start < latest.end:
            shared = Span(clock_time(piece.start), clock_time(min(piece.end, latest.end)))
            text = f"{latest.title!r} and {piece.title!r} lie at the same time."
            found.append(Violation("overlap", text, (latest.task_id, piece.task_id), shared))
        if latest is None or piece.end > latest.end:
            latest = piece
    return found

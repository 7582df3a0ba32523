"""Problems that nobody could schedule as they are written: refused before any work, with what would help.

Cycles and other conflicts between right parts are not refused here: they have causes and relaxations of their own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from loopwright.agents.planner.schedule.problem import Link, Problem, Span, Task, WorkingCalendar
from loopwright.kernel.errors import InvalidInput

MOST_TASKS = 5_000
MOST_LINKS = 20_000
MOST_MINUTES = 60 * 24 * 366
MOST_LAG_MINUTES = 60 * 24 * 60
"""Sixty days, as in the contract for dependencies."""
LONGEST_HORIZON = timedelta(days=20 * 366)
YEARS = range(1971, 2200)
SHOWN = 60


def check_problem(problem: Problem, *, now: datetime | None = None) -> None:
    """Refuse a problem that cannot be meant.

    Args:
        problem: what is to be scheduled.
        now: aware; deadlines before it are in the past. Without it only the plan's start counts.

    Raises:
        InvalidInput: the first thing that is wrong, and in the hint what would help.
    """
    _check_horizon(problem, now)
    _check_calendar(problem.calendar)
    if len(problem.tasks) > MOST_TASKS:
        raise InvalidInput(
            f"There are {len(problem.tasks):,} tasks to schedule, at most {MOST_TASKS:,} are planned at once.",
            hint="Plan a shorter time, fewer occurrences of recurring work, or one phase after the other.",
        )
    twice = [name for name, times in Counter(task.id for task in problem.tasks).items() if times > 1]
    if twice:
        raise InvalidInput(f"The task id {twice[0]!r} is used twice.", hint="Give each task an id of its own.")
    for task in problem.tasks:
        _check_task(task, problem)
    if len(problem.links) > MOST_LINKS:
        raise InvalidInput(f"There are more than {MOST_LINKS:,} dependencies.", hint="Link phases, not each task.")
    _check_links(problem.links, {task.id: task for task in problem.tasks})


def load_zone(name: str) -> ZoneInfo:
    """The zone of an IANA name.

    Raises:
        InvalidInput: there is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput(
            f"There is no time zone {name[:SHOWN]!r}.",
            hint="Use an IANA name such as Europe/Berlin, America/New_York or UTC.",
        ) from None


def _check_horizon(problem: Problem, now: datetime | None) -> None:
    for name, moment in (("start", problem.start), ("end", problem.end)):
        _check_aware(moment, f"The plan's {name}")
    if _span_is_empty(Span(problem.start, problem.end)):
        raise InvalidInput(
            f"The plan ends ({problem.end.isoformat()}) before it starts ({problem.start.isoformat()}).",
            hint="Set a deadline after the start.",
        )
    if _length(Span(problem.start, problem.end)) > LONGEST_HORIZON:
        raise InvalidInput("The plan spans more than twenty years.", hint="Set a closer deadline.")
    if now is not None and _span_is_empty(Span(now, problem.end)):
        raise InvalidInput(
            f"The deadline {problem.end.isoformat()} is in the past.", hint="Set a deadline that is still to come."
        )


def _check_calendar(calendar: WorkingCalendar) -> None:
    for window in calendar.windows:
        if window.weekday not in range(7):
            raise InvalidInput(f"There is no weekday {window.weekday}.", hint="0 is Monday, 6 is Sunday.")
        _check_hours(window.start, window.end, f"weekday {window.weekday}")
    for day, hours in calendar.exceptions.items():
        for start, end in hours:
            _check_hours(start, end, day.isoformat())
    if not calendar.windows and not any(calendar.exceptions.values()):
        raise InvalidInput("The calendar has no working hours.", hint="Give some, such as 'Mon–Fri 18:00–21:00'.")
    for name, spans in (("blackout", calendar.blackouts), ("busy time", calendar.busy)):
        for span in spans:
            _check_span(span, f"A {name}")
    limits = {
        "minutes_per_day": calendar.minutes_per_day,
        "minutes_per_week": calendar.minutes_per_week,
        "tasks_per_day": calendar.tasks_per_day,
        "max_consecutive_minutes": calendar.max_consecutive_minutes,
    }
    for name, limit in limits.items():
        if limit is not None and limit <= 0:
            raise InvalidInput(
                f"The capacity {name} is {limit}: nothing can be done.", hint=f"Raise {name}, or leave it out."
            )
    if calendar.break_minutes < 0:
        raise InvalidInput("Breaks cannot be shorter than nothing.", hint="Set break_minutes to 0 or more.")


def _check_task(task: Task, problem: Problem) -> None:
    title = f"{task.title[:SHOWN]!r}"
    if task.minutes <= 0:
        raise InvalidInput(f"{title} takes {task.minutes} minutes.", hint="Estimate at least one minute.")
    if task.minutes > MOST_MINUTES:
        raise InvalidInput(f"{title} takes more than a year of work.", hint="Divide it into smaller tasks.")
    if task.priority not in range(1, 6):
        raise InvalidInput(f"{title} has priority {task.priority}.", hint="1 is the most important, 5 the least.")
    if task.min_block_minutes <= 0:
        raise InvalidInput(f"{title} has blocks of {task.min_block_minutes} minutes.", hint="Use 15 or more.")
    for name, moment in (("earliest", task.earliest), ("latest", task.latest)):
        if moment is not None:
            _check_aware(moment, f"The {name} time of {title}")
    for span in (*task.locked, *task.previous):
        _check_span(span, f"A time of {title}")
    for span in task.locked:
        if not _span_is_empty(Span(span.start, problem.start)) or not _span_is_empty(Span(problem.end, span.end)):
            raise InvalidInput(
                f"{title} is locked at {span.start.isoformat()}, outside the plan's time.",
                hint="Unlock it, or move the plan's start or deadline.",
            )
    if task.locked or task.latest is None:
        return
    if _span_is_empty(Span(problem.start, task.latest)):
        raise InvalidInput(
            f"{title} must end by {task.latest.isoformat()}, before the plan starts.",
            hint="Move this deadline, or let the plan start earlier.",
        )
    if task.earliest is not None and _span_is_empty(Span(task.earliest, task.latest)):
        raise InvalidInput(f"{title} must end before it may begin.", hint="Move its earliest or its latest time.")


def _check_links(links: Iterable[Link], tasks: dict[str, Task]) -> None:
    for link in links:
        for name in (link.before, link.after):
            if name not in tasks:
                raise InvalidInput(
                    f"A dependency names the task {name[:SHOWN]!r}, which does not exist.",
                    hint="Use the id of a task of this plan, or leave the dependency out.",
                )
        pair = f"{tasks[link.after].title[:SHOWN]!r} after {tasks[link.before].title[:SHOWN]!r}"
        if any(abs(lag) > MOST_LAG_MINUTES for lag in _lags(link)):
            raise InvalidInput(f"The lag of {pair} is beyond sixty days.", hint="Use a date for the second task.")
        if link.max_lag_minutes is not None and link.max_lag_minutes < link.lag_minutes:
            raise InvalidInput(
                f"The most time between, {pair}, is less than the least.", hint="Raise max_lag or lower lag."
            )


def _lags(link: Link) -> Iterator[int]:
    yield link.lag_minutes
    if link.max_lag_minutes is not None:
        yield link.max_lag_minutes


def _check_hours(start: time, end: time, where: str) -> None:
    if any(moment.second or moment.microsecond or moment.tzinfo for moment in (start, end)):
        raise InvalidInput(f"The hours of {where} have seconds or a zone.", hint="Use whole minutes by the wall clock.")
    if end <= start and end != time():
        raise InvalidInput(
            f"The hours of {where}, {start:%H:%M}–{end:%H:%M}, end before they start.",
            hint="Divide hours past midnight into two windows: the end 00:00 is midnight.",
        )


def _check_span(span: Span, what: str) -> None:
    _check_aware(span.start, what)
    _check_aware(span.end, what)
    if _length(span) < timedelta():
        raise InvalidInput(f"{what} ends before it starts, at {span.start.isoformat()}.", hint="Swap its ends.")


def _check_aware(moment: datetime, what: str) -> None:
    if moment.utcoffset() is None:
        raise InvalidInput(f"{what} ({moment.isoformat()}) has no time zone.", hint="Write it with offset or zone.")
    if moment.year not in YEARS:
        raise InvalidInput(f"{what} lies in the year {moment.year}.", hint="Check the dates.")


def _length(span: Span) -> timedelta:
    """Elapsed time; two times of one zone would be subtracted by what their wall clocks show."""
    return span.end.astimezone(UTC) - span.start.astimezone(UTC)


def _span_is_empty(span: Span) -> bool:
    return _length(span) <= timedelta()

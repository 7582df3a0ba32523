"""Problems that cannot be meant are refused, with what would help."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from loopwright.agents.planner.schedule.problem import Link, Problem, Span, Task, Window, WorkingCalendar
from loopwright.agents.planner.schedule.problem_checks import MOST_TASKS, check_problem, load_zone
from loopwright.kernel.errors import InvalidInput

START = datetime(2027, 3, 1, tzinfo=UTC)
NAIVE = START.replace(tzinfo=None)
CALENDAR = WorkingCalendar(ZoneInfo("Europe/Berlin"), (Window(0, time(9), time()),))
PROBLEM = Problem(
    tasks=(Task("a", "Read", 60), Task("b", "Write", 60)),
    links=(Link("a", "b", lag_minutes=-86_400, max_lag_minutes=86_400),),
    calendar=CALENDAR,
    start=START,
    end=START + timedelta(days=30),
)


def task(**changes) -> Problem:
    return replace(PROBLEM, tasks=(replace(PROBLEM.tasks[0], **changes), PROBLEM.tasks[1]))


def calendar(**changes) -> Problem:
    return replace(PROBLEM, calendar=replace(CALENDAR, **changes))


def link(**changes) -> Problem:
    return replace(PROBLEM, links=(replace(PROBLEM.links[0], **changes),))


def span(first: int, last: int) -> Span:
    """Hours from the start."""
    return Span(START + timedelta(hours=first), START + timedelta(hours=last))


def test_a_problem_that_can_be_meant_passes():
    check_problem(PROBLEM, now=START)
    check_problem(task(locked=(span(0, 1), span(30 * 24 - 1, 30 * 24))))
    check_problem(
        calendar(minutes_per_day=None, minutes_per_week=None, break_minutes=0, exceptions={date(2027, 3, 1): ()})
    )
    check_problem(replace(PROBLEM, tasks=tuple(Task(str(n), "Task", 5) for n in range(MOST_TASKS)), links=()))


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (replace(PROBLEM, end=START), "ends .* before it starts"),
        (replace(PROBLEM, end=START - timedelta(days=1)), "before it starts"),
        (replace(PROBLEM, start=NAIVE), "no time zone"),
        (replace(PROBLEM, end=NAIVE + timedelta(days=1)), "no time zone"),
        (replace(PROBLEM, end=START.replace(year=9999)), "year 9999"),
        (replace(PROBLEM, end=START.replace(year=2060)), "twenty years"),
        (replace(PROBLEM, tasks=tuple(Task(str(n), "Task", 5) for n in range(MOST_TASKS + 1))), "5,001 tasks"),
        (replace(PROBLEM, tasks=PROBLEM.tasks * 2), "used twice"),
        (task(minutes=0), "takes 0 minutes"),
        (task(minutes=-15), "takes -15 minutes"),
        (task(minutes=10**9), "more than a year"),
        (task(priority=0), "priority 0"),
        (task(min_block_minutes=0), "blocks of 0"),
        (task(earliest=NAIVE), "no time zone"),
        (task(latest=START), "before the plan starts"),
        (task(earliest=START + timedelta(days=2), latest=START + timedelta(days=1)), "end before it may begin"),
        (task(locked=(span(-2, -1),)), "outside the plan"),
        (task(locked=(span(30 * 24, 30 * 24 + 1),)), "outside the plan"),
        (task(locked=(Span(NAIVE, NAIVE),)), "no time zone"),
        (task(locked=(span(2, 1),)), "ends before it starts"),
        (task(previous=(Span(NAIVE, NAIVE),)), "no time zone"),
        (link(before="z"), "'z', which does not exist"),
        (link(after="z"), "'z', which does not exist"),
        (link(lag_minutes=86_401), "beyond sixty days"),
        (link(lag_minutes=-86_401), "beyond sixty days"),
        (link(max_lag_minutes=86_401), "beyond sixty days"),
        (link(lag_minutes=10, max_lag_minutes=9), "less than the least"),
        (replace(PROBLEM, links=PROBLEM.links * 20_001), "dependencies"),
        (calendar(windows=()), "no working hours"),
        (calendar(windows=(), exceptions={date(2027, 3, 1): ()}), "no working hours"),
        (calendar(windows=(Window(7, time(9), time(10)),)), "no weekday 7"),
        (calendar(windows=(Window(0, time(22), time(2)),)), "end before they start"),
        (calendar(windows=(Window(0, time(9), time(9)),)), "end before they start"),
        (calendar(windows=(Window(0, time(9), time(10, 0, 1)),)), "seconds"),
        (calendar(exceptions={date(2027, 3, 1): ((time(10), time(9)),)}), "2027-03-01"),
        (calendar(blackouts=(Span(NAIVE, NAIVE),)), "blackout .* no time zone"),
        (calendar(busy=(span(2, 1),)), "busy time ends before"),
        (calendar(minutes_per_day=0), "minutes_per_day is 0"),
        (calendar(minutes_per_week=-5), "minutes_per_week is -5"),
        (calendar(tasks_per_day=0), "tasks_per_day is 0"),
        (calendar(max_consecutive_minutes=0), "max_consecutive_minutes is 0"),
        (calendar(break_minutes=-1), "shorter than nothing"),
    ],
)
def test_a_problem_that_cannot_be_meant_is_refused(problem, why):
    with pytest.raises(InvalidInput, match=why) as refusal:
        check_problem(problem)
    assert refusal.value.hint


def test_a_deadline_in_the_past_is_refused():
    with pytest.raises(InvalidInput, match="in the past"):
        check_problem(PROBLEM, now=PROBLEM.end)


def test_the_end_is_compared_by_elapsed_time():
    """On the night of the change to winter time, 02:30 comes again an hour later."""
    first = datetime(2027, 10, 31, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    check_problem(replace(PROBLEM, start=first, end=first.replace(fold=1)))
    with pytest.raises(InvalidInput, match="before it starts"):
        check_problem(replace(PROBLEM, start=first.replace(fold=1), end=first))


@pytest.mark.parametrize(
    "name", ["Mars/Olympus", "", "../../etc/passwd", "/etc/passwd", "Europe/Berlin\0", "x" * 5_000, "Europe"]
)
def test_an_unknown_zone_is_refused(name):
    with pytest.raises(InvalidInput, match="no time zone") as refusal:
        load_zone(name)
    assert "Europe/Berlin" in refusal.value.hint


def test_a_known_zone_is_found():
    assert load_zone("Asia/Kathmandu").key == "Asia/Kathmandu"

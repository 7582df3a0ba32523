"""The independent checker: right schedules pass, and each kind of mutant is rejected by its rule."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Block, Link, Problem, Span, Task, Window, WorkingCalendar

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = date(2027, 3, 22)
"""The week ends with the change to summer time, on Sunday the 28th."""


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """A wall-clock time in Berlin, `day` days after the Monday."""
    return datetime.combine(MONDAY + timedelta(days=day), time(hour, minute), tzinfo=BERLIN)


def block(task: str, day: int, first: tuple[int, int], last: tuple[int, int]) -> Block:
    return Block(task, at(day, *first), at(day, *last))


CALENDAR = WorkingCalendar(
    zone=BERLIN,
    windows=(*(Window(weekday, time(9), time(17)) for weekday in range(5)), Window(6, time(1), time(4))),
    exceptions={MONDAY + timedelta(days=2): ((time(13), time(20)),)},
    blackouts=(Span(at(3, 9), at(3, 11)),),
    busy=(Span(at(4, 12), at(4, 12, 50)),),
    minutes_per_day=300,
    minutes_per_week=960,
    tasks_per_day=3,
    break_minutes=15,
    max_consecutive_minutes=120,
)
PROBLEM = Problem(
    tasks=(
        Task("a", "Read", 50),
        Task("b", "Write", 210, splittable=True, min_block_minutes=60),
        Task("c", "Meet", 90, locked=(Span(at(2, 8), at(2, 9, 20)),)),
        Task("d", "Paint", 60, earliest=at(1, 10), latest=at(4, 16)),
        Task("e", "Dry", 60),
        Task("f", "Early", 120),
        Task("g", "Night", 120),
    ),
    links=(
        Link("a", "b"),
        Link("d", "e", "finish_to_start", lag_minutes=60, max_lag_minutes=26 * 60),
        Link("a", "d", "start_to_start", lag_minutes=120),
        Link("b", "e", "finish_to_finish", lag_minutes=-60),
        Link("d", "f", "start_to_finish", lag_minutes=30),
    ),
    calendar=CALENDAR,
    start=at(0, 0),
    end=at(7, 0),
)
RIGHT = (
    block("a", 0, (9, 0), (10, 0)),
    block("b", 0, (10, 15), (12, 15)),
    block("b", 0, (12, 30), (14, 0)),
    block("c", 2, (8, 0), (9, 20)),
    block("d", 2, (13, 0), (14, 0)),
    block("e", 3, (11, 0), (12, 0)),
    block("f", 4, (9, 0), (11, 0)),
    block("g", 6, (1, 0), (4, 0)),  # three hours by the wall clock, two by the sun
)


def rules(blocks, problem: Problem = PROBLEM) -> set[str]:
    return {violation.rule for violation in check_schedule(problem, blocks)}


def moved(index: int, *new: Block) -> tuple[Block, ...]:
    return RIGHT[:index] + new + RIGHT[index + 1 :]


def with_calendar(**changes) -> Problem:
    return replace(PROBLEM, calendar=replace(CALENDAR, **changes))


def with_task(index: int, **changes) -> Problem:
    tasks = list(PROBLEM.tasks)
    tasks[index] = replace(tasks[index], **changes)
    return replace(PROBLEM, tasks=tuple(tasks))


def with_link(index: int, **changes) -> Problem:
    links = list(PROBLEM.links)
    links[index] = replace(links[index], **changes)
    return replace(PROBLEM, links=tuple(links))


def test_the_right_schedule_passes_in_any_order_and_in_any_zone():
    assert check_schedule(PROBLEM, RIGHT) == []
    elsewhere = [Block(b.task_id, b.start.astimezone(UTC), b.end.astimezone(ZoneInfo("Asia/Tokyo"))) for b in RIGHT]
    assert check_schedule(PROBLEM, reversed(elsewhere)) == []


def test_blocks_that_touch_are_one_piece():
    halves = (block("f", 4, (9, 0), (9, 15)), block("f", 4, (9, 15), (11, 0)))
    assert rules(moved(6, *halves)) == set()
    halves = (block("b", 0, (10, 15), (10, 45)), block("b", 0, (10, 45), (12, 15)))
    assert rules(moved(1, *halves)) == set()


MUTANTS: dict[str, tuple[tuple[Block, ...], str]] = {
    "a task is missing": (RIGHT[:3] + RIGHT[4:], "locked"),
    "an unlocked task is missing": (RIGHT[:-1], "unscheduled"),
    "a block is missing": (RIGHT[:2] + RIGHT[3:], "minutes"),
    "an unknown task": ((*RIGHT, block("z", 1, (9, 0), (10, 0))), "unknown_task"),
    "a time without zone": (
        moved(0, Block("a", at(0, 9).replace(tzinfo=None), at(0, 10).replace(tzinfo=None))),
        "naive_time",
    ),
    "a block that ends as it starts": ((*RIGHT, block("a", 1, (9, 0), (9, 0))), "empty_block"),
    "a block twice": ((*RIGHT, RIGHT[4]), "overlap"),
    "too short": (moved(0, block("a", 0, (9, 0), (9, 45))), "minutes"),
    "not rounded up": (moved(0, block("a", 0, (9, 0), (9, 50))), "minutes"),
    "too long": (moved(0, block("a", 1, (9, 0), (10, 15))), "minutes"),
    "cut though it may not be": (
        moved(6, block("f", 4, (9, 0), (10, 0)), block("f", 4, (11, 0), (12, 0))),
        "in_one_piece",
    ),
    "a short block before a long one": (
        moved(1, block("b", 0, (10, 15), (10, 45)), block("b", 1, (9, 0), (10, 30))),
        "min_block",
    ),
    "off the grid": (moved(0, block("a", 0, (9, 5), (10, 5))), "grid"),
    "before the window opens": (moved(0, block("a", 0, (8, 45), (9, 45))), "working_hours"),
    "after it closes": (moved(6, block("f", 4, (15, 15), (17, 15))), "working_hours"),
    "on a day without hours": (moved(6, block("f", 5, (9, 0), (11, 0))), "working_hours"),
    "in hours that an exception replaces": (moved(4, block("d", 2, (11, 0), (12, 0))), "working_hours"),
    "across the hour that summer time skips": (
        moved(7, Block("g", datetime(2027, 3, 28, 0, 45, tzinfo=UTC), datetime(2027, 3, 28, 2, 45, tzinfo=UTC))),
        "working_hours",
    ),
    "in a blackout": (moved(5, block("e", 3, (10, 45), (11, 45))), "blackout"),
    "in a busy time": (moved(6, block("f", 4, (12, 45), (14, 45))), "busy"),
    "two at once": (moved(6, block("f", 2, (13, 30), (15, 30))), "overlap"),
    "over a locked one": (moved(6, block("f", 2, (9, 0), (11, 0))), "overlap"),
    "a locked one moved": (moved(3, block("c", 2, (8, 15), (9, 35))), "locked"),
    "a locked one cut short": (moved(3, block("c", 2, (8, 0), (9, 0))), "locked"),
    "before the horizon": (moved(0, block("a", -3, (9, 0), (10, 0))), "horizon"),
    "after the horizon": (moved(6, block("f", 7, (9, 0), (11, 0))), "horizon"),
    "too early": (moved(4, block("d", 1, (9, 0), (10, 0))), "earliest"),
    "too late": (moved(4, block("d", 4, (15, 15), (16, 15))), "latest"),
    "before its predecessor ends": (moved(0, block("a", 0, (12, 15), (13, 15))), "finish_to_start"),
    "too soon after its predecessor": (moved(5, block("e", 2, (14, 30), (15, 30))), "finish_to_start"),
    "starts too soon after the other starts": (moved(4, block("d", 0, (10, 45), (11, 45))), "start_to_start"),
    "ends too soon after the other ends": (moved(2, block("b", 3, (12, 15), (13, 45))), "finish_to_finish"),
    "ends before the other starts": (moved(6, block("f", 1, (9, 0), (11, 0))), "start_to_finish"),
    "too long after its predecessor": (moved(5, block("e", 4, (15, 0), (16, 0))), "max_lag"),
    "no break": (moved(1, block("b", 0, (10, 0), (12, 0))), "break"),
    "no rest after long work": (moved(2, block("b", 0, (12, 15), (13, 45))), "max_consecutive"),
    "too short a rest after long work": (
        moved(1, block("b", 0, (10, 15), (11, 15)), block("b", 0, (11, 20), (12, 20))),
        "max_consecutive",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_rejected_by_its_rule(name):
    blocks, rule = MUTANTS[name]
    assert rule in rules(blocks)


TIGHTER: dict[str, tuple[Problem, str]] = {
    "less time a day": (with_calendar(minutes_per_day=255), "day_capacity"),
    "less time a week": (with_calendar(minutes_per_week=600), "week_capacity"),
    "fewer tasks a day": (with_calendar(tasks_per_day=1), "tasks_per_day"),
    "longer breaks": (with_calendar(break_minutes=30, max_consecutive_minutes=None), "break"),
    "shorter stretches": (with_calendar(max_consecutive_minutes=105), "max_consecutive"),
    "an earlier evening": (with_calendar(windows=(Window(0, time(9), time(13)),)), "working_hours"),
    "a day off": (with_calendar(exceptions={MONDAY: ()}), "working_hours"),
    "a blackout": (with_calendar(blackouts=(Span(at(4, 10, 50), at(4, 11)),)), "blackout"),
    "someone else's meeting": (with_calendar(busy=(Span(at(0, 8), at(0, 9, 1)),)), "busy"),
    "longer work": (with_task(0, minutes=61), "minutes"),
    "in one piece": (with_task(1, splittable=False), "in_one_piece"),
    "longer pieces": (with_task(1, min_block_minutes=135), "min_block"),
    "later": (with_task(0, earliest=at(0, 9, 15)), "earliest"),
    "sooner": (with_task(0, latest=at(0, 9, 45)), "latest"),
    "locked": (with_task(0, locked=(Span(at(0, 9), at(0, 9, 45)),)), "locked"),
    "a longer lag": (with_link(1, lag_minutes=21 * 60 + 1), "finish_to_start"),
    "a shorter time to wait": (with_link(1, max_lag_minutes=21 * 60 - 1), "max_lag"),
    "a shorter lead": (with_link(3, lag_minutes=3 * 24 * 60), "finish_to_finish"),
    "a longer lag between starts": (with_link(2, lag_minutes=52 * 60 + 1), "start_to_start"),
    "a longer lag from start to finish": (with_link(4, lag_minutes=46 * 60 + 1), "start_to_finish"),
    "a later start": (replace(PROBLEM, start=at(0, 10)), "horizon"),
    "an earlier end": (replace(PROBLEM, end=at(6, 3)), "horizon"),
}


@pytest.mark.parametrize("name", TIGHTER)
def test_a_schedule_for_a_looser_problem_is_rejected_by_the_rule_that_became_tighter(name):
    problem, rule = TIGHTER[name]
    assert rules(RIGHT, problem) == {rule}


def test_limits_that_are_just_kept_are_kept():
    exact = with_calendar(minutes_per_day=270, minutes_per_week=810, tasks_per_day=2, max_consecutive_minutes=120)
    assert rules(RIGHT, exact) == set()
    assert rules(RIGHT, with_link(1, lag_minutes=21 * 60, max_lag_minutes=21 * 60)) == set()
    none = with_calendar(minutes_per_day=None, minutes_per_week=None, tasks_per_day=None, max_consecutive_minutes=None)
    assert rules(RIGHT, none) == set()


def test_a_lead_lets_the_next_begin_before_the_last_has_ended():
    parallel = replace(PROBLEM, links=(Link("a", "b", lag_minutes=-30),))
    assert "finish_to_start" in rules(moved(0, block("a", 0, (10, 0), (11, 0))), parallel)
    assert "finish_to_start" not in rules(moved(0, block("a", 0, (9, 45), (10, 45))), parallel)


def test_what_is_locked_may_break_the_rules_but_not_for_others():
    """Two locked tasks that touch, in the night, longer than a day may be: nobody could do otherwise."""
    locks = {"x": Span(at(1, 0), at(1, 8)), "y": Span(at(1, 8), at(1, 16, 5))}
    tasks = tuple(Task(name, name, 30, latest=at(0, 1), locked=(span,)) for name, span in locks.items())
    problem = replace(PROBLEM, tasks=tasks, links=())
    blocks = [Block(name, span.start, span.end) for name, span in locks.items()]
    assert rules(blocks, problem) == set()
    assert rules(blocks, replace(problem, links=(Link("y", "x"),))) == {"finish_to_start"}
    other = replace(problem, tasks=(*tasks, Task("z", "z", 15)))
    assert rules([*blocks, block("z", 1, (16, 15), (16, 30))], other) == {
        "break",
        "day_capacity",
        "max_consecutive",
        "week_capacity",
    }


def test_in_manual_mode_only_locked_tasks_must_be_placed():
    manual = replace(PROBLEM, mode="manual")
    assert rules([RIGHT[3]], manual) == set()
    assert rules([], manual) == {"locked"}
    assert rules([RIGHT[3], block("a", 0, (9, 0), (9, 45))], manual) == {"minutes"}


def test_work_past_midnight_counts_for_each_of_its_days():
    calendar = replace(
        CALENDAR,
        windows=tuple(Window(weekday, time(), time()) for weekday in range(7)),
        exceptions={},
        minutes_per_day=60,
        blackouts=(),
    )
    problem = replace(PROBLEM, tasks=(Task("n", "Night shift", 120),), links=(), calendar=calendar)
    assert rules([Block("n", at(1, 23), at(2, 1))], problem) == set()
    assert rules([Block("n", at(1, 22, 45), at(2, 0, 45))], problem) == {"day_capacity"}
    assert rules([Block("n", at(2, 1), at(2, 3))], problem) == {"day_capacity"}


def test_a_violation_tells_which_tasks_and_where():
    """The text is for people: it names titles, not ids."""
    found = check_schedule(PROBLEM, moved(6, block("f", 2, (13, 30), (15, 30))))
    overlap = next(violation for violation in found if violation.rule == "overlap")
    assert overlap.task_ids == ("d", "f")
    assert overlap.span == Span(at(2, 13, 30).astimezone(UTC), at(2, 14).astimezone(UTC))
    assert overlap.text == "'Paint' and 'Early' lie at the same time."


@pytest.mark.parametrize("index", range(len(RIGHT)))
@pytest.mark.parametrize("minutes", [-24 * 60, -15, -7, 7, 15, 24 * 60])
def test_stretching_or_shrinking_a_block_is_never_right(index, minutes):
    old = RIGHT[index]
    assert rules(moved(index, replace(old, end=old.end.astimezone(UTC) + timedelta(minutes=minutes))))


def test_five_thousand_tasks_are_checked_within_seconds():
    """A checker that is too slow gets skipped."""
    calendar = WorkingCalendar(
        ZoneInfo("Europe/Berlin"),
        tuple(Window(weekday, time(), time()) for weekday in range(7)),
        minutes_per_day=None,
        minutes_per_week=None,
        tasks_per_day=None,
        max_consecutive_minutes=None,
        break_minutes=0,
        busy=tuple(Span(at(day, 12), at(day, 12)) for day in range(100)),
    )
    start = at(0, 0).astimezone(UTC)
    hour = timedelta(hours=1)
    tasks = tuple(Task(str(index), f"Task {index}", 60) for index in range(5_000))
    links = tuple(Link(str(index), str(index + 1)) for index in range(4_999))
    blocks = [Block(str(index), start + index * hour, start + (index + 1) * hour) for index in range(5_000)]
    problem = Problem(tasks, links, calendar, start, start + 5_000 * hour)
    begun = datetime.now(UTC)
    assert check_schedule(problem, blocks) == []
    assert (datetime.now(UTC) - begun) < timedelta(seconds=5)

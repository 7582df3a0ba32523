"""Random small plans: the checker accepts every schedule of the solver and rejects every mutant of it."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Block, Link, Problem, Span, Task, Window, WorkingCalendar
from loopwright.agents.planner.schedule.problem_checks import check_problem
from loopwright.agents.planner.schedule.solver import solve

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "UTC",
)
STARTS = (
    datetime(2027, 3, 26, 5, tzinfo=UTC),  # summer time begins in Europe
    datetime(2027, 10, 29, 5, tzinfo=UTC),  # and ends
    datetime(2027, 3, 12, 5, tzinfo=UTC),  # summer time begins in America
    datetime(2028, 2, 27, 5, tzinfo=UTC),  # a leap day
    datetime(2027, 12, 29, 5, tzinfo=UTC),  # a year ends
)
LINK_TYPES = ("finish_to_start", "start_to_start", "finish_to_finish", "start_to_finish")


def hours_after(start: datetime, most: int) -> st.SearchStrategy[datetime]:
    return st.integers(0, most * 2).map(lambda halves: start + halves * 30 * MINUTE)


@st.composite
def calendars(draw, start: datetime) -> WorkingCalendar:
    opens, length = draw(st.integers(0, 20)), draw(st.integers(2, 12))
    closes = min(24, opens + length) % 24
    days = draw(st.sets(st.integers(0, 6), min_size=3))
    holes = [
        Span(first, first + draw(st.integers(1, 5)) * 20 * MINUTE)
        for first in draw(st.lists(hours_after(start, 90), max_size=3))
    ]
    return WorkingCalendar(
        ZoneInfo(draw(st.sampled_from(ZONES))),
        tuple(Window(day, time(opens), time(closes)) for day in sorted(days)),
        exceptions=draw(st.sampled_from([{}, {(start + 24 * HOUR).date(): ((time(1), time(5)), (time(13), time()))}])),
        blackouts=tuple(holes[:1]),
        busy=tuple(holes[1:]),
        minutes_per_day=draw(st.sampled_from([None, 120, 240, 480])),
        minutes_per_week=draw(st.sampled_from([None, 600, 2400])),
        tasks_per_day=draw(st.sampled_from([None, 2, 10])),
        break_minutes=draw(st.sampled_from([0, 15, 20, 30])),
        max_consecutive_minutes=draw(st.sampled_from([None, 90, 240])),
    )


@st.composite
def tasks(draw, name: str, start: datetime) -> Task:
    locked: tuple[Span, ...] = ()
    if draw(st.integers(0, 9)) == 0:
        first = draw(hours_after(start, 69)) + draw(st.sampled_from([0, 0, 7])) * MINUTE
        locked = (Span(first, first + draw(st.integers(1, 6)) * 20 * MINUTE),)
    earliest = draw(st.none() | st.none() | hours_after(start, 60))
    return Task(
        name,
        f"Task {name}",
        draw(st.sampled_from([10, 15, 30, 50, 60, 90, 150, 300])),
        priority=draw(st.integers(1, 5)),
        earliest=earliest,
        latest=None if earliest is None or draw(st.booleans()) else earliest + draw(st.integers(10, 60)) * HOUR,
        splittable=draw(st.booleans()),
        min_block_minutes=draw(st.sampled_from([15, 20, 30, 60])),
        locked=locked,
    )


@st.composite
def problems(draw) -> Problem:
    start = draw(st.sampled_from(STARTS))
    names = "abcdef"[: draw(st.integers(1, 6))]
    pairs = [(first, second) for first in names for second in names if first < second]
    links = [
        Link(first, second, draw(st.sampled_from(LINK_TYPES)), lag, draw(st.sampled_from([None, None, lag + 2_000])))
        for first, second in (draw(st.lists(st.sampled_from(pairs), max_size=4, unique=True)) if pairs else [])
        for lag in [draw(st.sampled_from([0, 0, 15, 45, 600, -60, -600]))]
    ]
    return Problem(
        tuple(draw(tasks(name, start)) for name in names),
        tuple(links),
        draw(calendars(start)),
        start,
        start + draw(st.integers(3, 10)) * 24 * HOUR,
        mode=draw(st.sampled_from(["push", "relax", "hybrid", "manual"])),
    )


def mutants(problem: Problem, blocks: tuple[Block, ...]) -> list[tuple[str, tuple[Block, ...]]]:
    """Changes after which no schedule can be right, whatever the problem."""
    found = [("an unknown task", (*blocks, replace(blocks[0], task_id="?")))]
    for index, block in enumerate(blocks):
        rest = blocks[:index] + blocks[index + 1 :]
        name = f"block {index}"
        found += [
            (f"{name} is missing", rest),
            (f"{name} is there twice", (*blocks, block)),
            (f"{name} is longer", (*rest, replace(block, end=block.end + 15 * MINUTE))),
            (f"{name} is shorter", (*rest, replace(block, end=block.end - 1 * MINUTE))),
            (f"{name} is off the grid", (*rest, replace(block, start=block.start + MINUTE, end=block.end + MINUTE))),
            (f"{name} lies before the plan", (*rest, Block(block.task_id, *before(problem, block)))),
        ]
        found += [
            (
                f"{name} lies upon another",
                (*rest, Block(block.task_id, other.start, other.start + (block.end - block.start))),
            )
            for other in rest
            if other.task_id != block.task_id
        ][:1]
    return found


def before(problem: Problem, block: Block) -> tuple[datetime, datetime]:
    return problem.start - (block.end - block.start), problem.start


def law_of_solver_and_checker(problem: Problem) -> None:
    check_problem(problem)
    answer = solve(problem, seconds=0.5)
    event(answer.status)
    if answer.status in {"infeasible", "unknown"}:
        assert answer.cause is not None or answer.status == "unknown"
        return
    assert check_schedule(problem, answer.blocks) == []
    if not answer.blocks:
        return
    in_utc = tuple(Block(b.task_id, b.start.astimezone(UTC), b.end.astimezone(UTC)) for b in answer.blocks)
    for name, blocks in mutants(problem, in_utc):
        assert check_schedule(problem, blocks), name


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_the_checker_accepts_what_the_solver_gives_and_rejects_its_mutants(problem):
    law_of_solver_and_checker(problem)


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_ten_thousand_random_plans(problem):
    law_of_solver_and_checker(problem)

"""Breaks without length: work next to locked work counts as one stretch, and nothing possible is called impossible."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.schedule.certificates import explain
from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Problem, Span
from loopwright.agents.planner.schedule.solver import solve
from tests.agents.planner.schedule.plans import at, every_schedule, hours, plan, span, task

MINUTE = timedelta(minutes=1)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """One day of three hours or so, one or two locked blocks, one or two tasks, a limit of work without a pause."""
    items = []
    for number in range(draw(st.integers(1, 2))):
        first = at(0, 9) + draw(st.integers(0, 10)) * 15 * MINUTE + draw(st.sampled_from([0, 0, 0, 7])) * MINUTE
        last = first + draw(st.sampled_from([15, 30, 30, 45, 37, 90])) * MINUTE
        items.append(task(f"lock{number}", 30, locked=(Span(first, last),)))
    for number in range(draw(st.integers(1, 2))):
        latest = draw(st.sampled_from([None, None, at(0, 10, 30)]))
        items.append(task(str(number), draw(st.sampled_from([15, 30, 45, 60])), latest=latest))
    most = draw(st.sampled_from([30, 45, 50, 60, 75]))
    return plan(items, calendar=hours((9, draw(st.sampled_from([11, 12]))), max_consecutive_minutes=most), days=1)


def law_of_pauses(problem: Problem) -> None:
    answer = solve(problem, seconds=60.0)
    event(answer.status)
    possible = next(every_schedule(problem), None) is not None
    assert (answer.status == "optimal") == possible, answer.cause
    assert (answer.status == "infeasible") == (not possible)
    if possible:
        assert explain(problem) is None
        assert check_schedule(problem, answer.blocks) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_what_enumeration_finds_is_not_called_impossible(problem):
    law_of_pauses(problem)


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@settings(max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_in_two_thousand_plans_either(problem):
    law_of_pauses(problem)


def test_work_may_follow_locked_work_up_to_the_limit():
    """A quarter of an hour between two locked halves of one: an hour and a quarter is allowed, an hour is not."""
    tasks = [task("a", 15), task("x", 30, locked=(at_half(9),)), task("y", 30, locked=(at_half(10, -15),))]
    for most, possible in ((75, True), (60, False)):
        problem = plan(tasks, calendar=hours((9, 11), max_consecutive_minutes=most), days=1)
        narrow = Problem(problem.tasks, (), problem.calendar, at(0, 9), at(0, 10, 15))
        assert (solve(narrow, seconds=60.0).status == "optimal") == possible


def at_half(hour: int, shift: int = 0) -> Span:
    return Span(at(0, hour) + shift * MINUTE, at(0, hour, 30) + shift * MINUTE)


def test_nothing_touches_locked_work_that_is_too_long_by_itself():
    """Two locked hours, one allowed: a pause has to lie around them."""
    problem = plan(
        [task("a", 15), task("x", 30, locked=(span(0, 9, 11),))],
        calendar=hours((9, 12), max_consecutive_minutes=60),
        days=1,
    )
    answer = solve(problem, seconds=60.0)
    assert [block.start for block in answer.blocks if block.task_id == "a"] == [at(0, 11, 15)]

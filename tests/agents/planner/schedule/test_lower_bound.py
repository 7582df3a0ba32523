"""Bounds: never above what a schedule costs, and close where work waits for work or comes back."""

import random

import pytest
from hypothesis import HealthCheck, assume, given, settings

from loopwright.agents.planner.schedule.bounds import compute_bounds
from loopwright.agents.planner.schedule.case import build_case
from loopwright.agents.planner.schedule.certificates import explain_case
from loopwright.agents.planner.schedule.problem import Problem
from loopwright.agents.planner.schedule.relaxed_axis import least_cost
from loopwright.agents.planner.schedule.solver import solve
from loopwright.agents.planner.schedule.solver_search import attempt, search
from loopwright.agents.planner.schedule.table import cost
from tests.agents.planner.schedule.plans import after, hours, plan, task
from tests.agents.planner.schedule.test_random_plans import problems


def law_of_bounds(problem: Problem, seconds: float) -> None:
    case = build_case(problem)
    bounds = compute_bounds(case)
    assume(case.moving and explain_case(case, bounds) is None)
    found = search(case, bounds, None, seconds, 0)
    assume(found.places is not None)
    price = cost(case, found.places)
    assert least_cost(case, bounds) <= price
    assert least_cost(case, bounds, price) <= price


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(problems())
def test_no_schedule_costs_less_than_the_bound(problem):
    law_of_bounds(problem, 0.5)


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@settings(max_examples=1_500, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(problems())
def test_no_schedule_of_many_costs_less(problem):
    law_of_bounds(problem, 1.0)


def test_a_chain_is_bounded_by_its_links():
    """The last task is the dearest: without links it would come first, and the bound would be far too low."""
    tasks = [task(str(number), 60, priority=5 - number // 3) for number in range(12)]
    links = [after(str(number), str(number + 1)) for number in range(11)]
    answer = solve(plan(tasks, links), seconds=60.0)
    assert answer.gap == 0
    case = build_case(plan(tasks, links))
    assert least_cost(case, compute_bounds(case), int(answer.objective)) >= 0.95 * answer.objective


def test_the_gap_of_a_large_linked_plan_is_small():
    """Five hours a week: weeks are what binds, not days."""
    chance = random.Random(3)
    tasks = [task(str(n), chance.choice([30, 60, 90, 120]), priority=chance.randint(2, 4)) for n in range(160)]
    links = [after(str(n - 4), str(n)) for n in range(4, 160)]
    problem = plan(tasks, links, hours((9, 17), minutes_per_week=300, break_minutes=15), days=7 * 60)
    answer = solve(problem, seconds=1.0)
    assert answer.gap < 0.2
    assert attempt(problem, 1.0).status == "feasible"

"""Plans full of work that comes back: a schedule at once, or the cause, or the honest word that neither was found."""

import random
from dataclasses import replace

import pytest

from loopwright.agents.planner.schedule.certificates import explain
from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Answer, Problem, Span, apply_relaxation
from loopwright.agents.planner.schedule.relaxing import relax
from loopwright.agents.planner.schedule.solver import solve
from loopwright.agents.planner.schedule.solver_search import attempt
from tests.agents.planner.schedule.plans import after, at, hours, plan, task


def crowded(seed: int, weeks: int) -> Problem:
    """Work due each day and each week, and single work in a chain, for which just enough is left."""
    chance = random.Random(seed)
    tasks = [
        task(f"daily#{day}", 30, earliest=at(day, 0), latest=at(day + 1, 0), priority=chance.randint(1, 5))
        for day in range(7 * weeks)
    ]
    for week in range(weeks):
        for name in "ab":
            limits = {"earliest": at(7 * week, 0), "latest": at(7 * week + 7, 0)}
            tasks.append(task(f"{name}#{week}", chance.choice([30, 45]), **limits))
    links = []
    for number in range(weeks // 3):
        tasks.append(task(f"single{number}", 45, splittable=True, min_block_minutes=15))
        if number:
            links.append(after(f"single{number - 1}", f"single{number}"))
    calendar = hours((17, 21), days=7, minutes_per_day=75, minutes_per_week=45 * 7, break_minutes=15)
    return plan(tasks, links, calendar, days=7 * weeks)


class Enough(Exception):
    """Ends a search from its callback."""


def first_answer(problem: Problem) -> Answer:
    """The first schedule that is told; the search ends with it."""
    told: list[Answer] = []

    def stop(answer: Answer) -> None:
        told.append(answer)
        raise Enough

    with pytest.raises(Enough):
        solve(problem, seconds=60.0, on_answer=stop)
    return told[0]


@pytest.mark.parametrize("seed", range(6))
def test_a_year_of_crowded_weeks_has_a_schedule_at_once(seed):
    """More than four hundred tasks: the first answer does not wait for the solver."""
    problem = crowded(seed, weeks=52)
    assert check_schedule(problem, first_answer(problem).blocks) == []


DAILY = [task(f"daily#{day}", 30, earliest=at(day, 0), latest=at(day + 1, 0)) for day in range(5)]


def test_work_that_daily_work_leaves_no_room_for_is_named():
    """An hour in one piece, of which each day has half a one left."""
    problem = plan([*DAILY, task("once", 60)], calendar=hours((17, 21), minutes_per_day=60))
    cause = explain(problem)
    assert (cause.kind, cause.needed_minutes, cause.available_minutes) == ("demand", 60, 30)
    assert set(cause.task_ids) == {"once", *(item.id for item in DAILY)}
    assert "“Task once” takes 1 h in one piece" in cause.text
    assert "of any day" in cause.text
    assert explain(plan([*DAILY, task("once", 30)], calendar=hours((17, 21), minutes_per_day=60))) is None


def test_what_weeks_leave_counts_too():
    """Three hours in pieces, of which the week has two and a half left."""
    calendar = hours((17, 21), minutes_per_week=300)
    cause = explain(plan([*DAILY, task("once", 180, splittable=True)], calendar=calendar, days=7))
    assert (cause.kind, cause.needed_minutes, cause.available_minutes) in {
        ("window", 180, 150),
        ("demand", 180, 150),
        ("demand", 330, 300),
    }


def test_crowded_plans_have_ways_out():
    """More time, less of what comes back, pieces: each one is tried."""
    problem = plan([*DAILY, task("once", 60)], calendar=hours((17, 21), minutes_per_day=60))
    found = relax(problem, explain(problem), seconds=60, most=12)
    assert {"split", "capacity", "fewer"} <= {item.kind for item in found}
    assert all(attempt(apply_relaxation(problem, item), 1.0).status == "feasible" for item in found)


def test_both_limits_are_raised_where_neither_helps_alone():
    """The day's and the week's are equally full."""
    calendar = hours((17, 21), minutes_per_day=30, minutes_per_week=150)
    problem = plan([*DAILY, task("once", 60)], calendar=calendar, days=5)
    texts = [item.text for item in relax(problem, explain(problem), seconds=60, most=12)]
    assert any("minutes a day and" in text for text in texts)


def test_hours_may_be_longer_and_blocked_times_free():
    """Three hours where two are open; a blocked morning."""
    problem = plan([task("a", 180)], calendar=hours((18, 20)), days=5)
    found = {item.kind: item for item in relax(problem, explain(problem), seconds=60, most=12)}
    assert found["hours"].change == {"set": "longer_hours", "minutes": 60}
    blocked = hours((9, 12), days=1)
    problem = plan(
        [task("a", 180)], calendar=type(blocked)(**{**vars(blocked), "blackouts": (Span(at(0, 9), at(0, 11)),)})
    )
    found = {item.kind: item for item in relax(problem, explain(problem), seconds=60, most=12)}
    assert found["blackout"].change["set"] == "unblock"


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_five_thousand_linked_tasks_get_an_answer():
    """As many as are taken at once, over five years."""
    chance = random.Random(1)
    tasks = [task(str(n), chance.choice([30, 60, 90, 120]), priority=chance.randint(1, 5)) for n in range(5_000)]
    links = [after(str(chance.randrange(max(0, n - 50), n)), str(n)) for n in range(1, 5_000, 2)]
    limits = {"minutes_per_week": 2_400, "tasks_per_day": 10, "break_minutes": 15, "max_consecutive_minutes": 240}
    problem = plan(tasks, links, hours((9, 17), **limits), days=7 * 260)
    answer = solve(problem, seconds=10.0)
    assert answer.status == "feasible"
    assert check_schedule(problem, answer.blocks) == []


def test_a_lost_day_moves_little_of_a_large_plan():
    """What lay on it moves, and hardly anything else."""
    problem = crowded(1, weeks=30)
    problem = replace(problem, calendar=replace(problem.calendar, minutes_per_day=120, minutes_per_week=None))
    first = first_answer(problem)
    lay: dict[str, list[Span]] = {}
    for block in first.blocks:
        lay.setdefault(block.task_id, []).append(Span(block.start, block.end))
    lost = Span(at(30, 0), at(31, 0))
    tasks = tuple(
        replace(item, previous=tuple(lay[item.id]), latest=None if item.id == "daily#30" else item.latest)
        for item in problem.tasks
    )
    changed = replace(problem, tasks=tasks, calendar=replace(problem.calendar, blackouts=(lost,)))
    again = first_answer(changed)
    assert check_schedule(changed, again.blocks) == []
    before = {(block.task_id, block.start, block.end) for block in first.blocks}
    moved = {block.task_id for block in again.blocks if (block.task_id, block.start, block.end) not in before}
    on_day = {block.task_id for block in first.blocks if lost.start <= block.start < lost.end}
    assert on_day <= moved
    assert len(moved) <= len(on_day) + 3

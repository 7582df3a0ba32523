"""The solver: right answers, good ones, honest ones; against enumeration where the plan is small enough."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Problem
from loopwright.agents.planner.schedule.solver import solve
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.schedule.plans import MONDAY, after, at, every_schedule, hours, plan, span, task


def starts(answer) -> dict[str, object]:
    """First block of each task."""
    return {block.task_id: block.start for block in reversed(answer.blocks)}


def solved(problem: Problem, **more):
    """A schedule that the checker accepts."""
    answer = solve(problem, seconds=30.0, **more)
    assert answer.status in {"optimal", "feasible"}, answer
    assert check_schedule(problem, answer.blocks) == []
    return answer


def test_important_and_short_work_comes_first():
    """Smith's rule: weight by length."""
    problem = plan([task("low", 60, priority=5), task("high", 60, priority=1), task("long", 240, priority=1)])
    answer = solved(problem)
    assert answer.status == "optimal"
    assert starts(answer) == {"high": at(0, 9), "long": at(0, 10), "low": at(0, 14)}
    assert answer.gap == 0
    assert answer.bound == answer.objective


@pytest.mark.parametrize(
    ("kind", "lag", "expected"),
    [
        ("finish_to_start", 0, at(0, 11)),
        ("finish_to_start", 60, at(0, 12)),
        ("start_to_start", 180, at(0, 12)),
        ("finish_to_finish", 120, at(0, 12)),
        ("start_to_finish", 300, at(0, 13)),
        ("finish_to_start", 24 * 60, at(1, 11)),
    ],
)
def test_links_count_elapsed_time(kind, lag, expected):
    """The dependent task starts as early as its link and the calendar allow."""
    problem = plan([task("a", 120, priority=1), task("b", 60)], [after("a", "b", type=kind, lag_minutes=lag)])
    assert starts(solved(problem)) == {"a": at(0, 9), "b": expected}


def test_a_lead_lets_the_next_task_overlap_only_with_free_time():
    """One person: a negative lag does not let two tasks lie at once."""
    problem = plan([task("a", 120, priority=1), task("b", 60)], [after("a", "b", lag_minutes=-60)])
    assert starts(solved(problem))["b"] == at(0, 11)


def test_a_maximal_lag_keeps_tasks_close():
    """The important filler would come between them, if it could."""
    tasks = [task("a", 60, priority=1), task("filler", 120, priority=1), task("b", 60, priority=5)]
    answer = solved(plan(tasks, [after("a", "b", max_lag_minutes=30)]))
    assert starts(answer)["b"] - starts(answer)["a"] <= timedelta(minutes=90)


def test_a_split_task_fills_gaps_in_blocks_that_are_long_enough():
    """The lunch hour and a busy morning cut it; no block but the last is shorter than an hour."""
    calendar = replace(hours((9, 12), (13, 17)), busy=(span(0, 9, 11),))
    answer = solved(plan([task("a", 450, splittable=True, min_block_minutes=90)], calendar=calendar))
    assert answer.status == "optimal"
    assert [(block.start, block.end) for block in answer.blocks] == [
        (at(0, 13), at(0, 17)),
        (at(1, 9), at(1, 12)),
        (at(1, 13), at(1, 13, 30)),
    ]


def test_limits_of_days_and_weeks_and_breaks_hold():
    """The checker watches; the last task ends in the second week."""
    calendar = hours((8, 18), minutes_per_day=240, minutes_per_week=600, tasks_per_day=2, break_minutes=30)
    problem = plan([task(str(number), 120, priority=1 + number % 5) for number in range(6)], calendar=calendar, days=12)
    assert max(block.end for block in solved(problem).blocks) > at(7, 0)


def test_work_pauses_where_breaks_have_no_length():
    """Four hours at most without any pause, across tasks."""
    calendar = hours((9, 17), max_consecutive_minutes=240)
    answer = solved(plan([task(str(number), 120) for number in range(3)], calendar=calendar))
    assert max(block.end for block in answer.blocks) == at(0, 15, 15)


def test_locked_work_stays_and_others_keep_away():
    """Also where it lies at night."""
    tasks = [task("locked", 120, locked=(span(0, 10, 12),)), task("night", 60, locked=(span(1, 2, 3),)), task("a", 45)]
    answer = solved(plan([*tasks, task("b", 90)], calendar=hours((9, 17), break_minutes=15)))
    assert starts(answer)["locked"] == at(0, 10)
    assert starts(answer)["b"] == at(0, 12, 15)


def test_a_lost_day_moves_only_what_lay_on_it():
    """Replanning: what can stay stays, even though it could be earlier."""
    old = {str(day): (span(day, 10, 13),) for day in range(5)}
    tasks = [task(name, 180, previous=where) for name, where in old.items()]
    answer = solved(plan(tasks, calendar=replace(hours((9, 17)), blackouts=(span(1, 0, 24),))))
    moved = [name for name, where in old.items() if starts(answer)[name] != where[0].start]
    assert moved == ["1"]


def test_what_is_wanted_before_early_work_decides_how_full_days_are():
    """Early alone fills the first day; even days come first where they are asked for; manual places what is locked."""
    tasks = [task(str(number), 60) for number in range(8)]
    early = plan(tasks)
    answers = {aims: solved(replace(early, aims=aims)) for aims in (("early",), ("even_days", "early"))}
    on_monday = [sum(block.start < at(1, 0) for block in answer.blocks) for answer in answers.values()]
    assert on_monday == [8, 2]
    assert [answer.terms["most_tasks_on_a_day"] for answer in answers.values()] == [8, 2]
    manual = solve(plan([*tasks, task("x", 60, locked=(span(2, 9, 10),))], mode="manual"))
    assert [block.task_id for block in manual.blocks] == ["x"]


def test_better_answers_are_told_as_they_come():
    """The first one within the time of a keystroke, each cheaper than the one before, the last one the best."""
    rng = random.Random(5)
    tasks = [task(str(number), rng.choice([45, 90, 150]), priority=rng.randint(1, 5)) for number in range(12)]
    links = [after(str(number), str(number + 3)) for number in range(0, 9, 2)]
    told = []
    answer = solve(plan(tasks, links), seconds=1.5, on_answer=told.append)
    assert told[0].seconds < 1
    objectives = [better.objective for better in told]
    assert objectives == sorted(set(objectives), reverse=True)
    assert answer.objective == objectives[-1]
    assert all(0 <= better.gap <= 1 and better.bound <= answer.objective for better in told)


def test_the_same_seed_gives_the_same_optimum():
    """Where the time is long enough."""
    problem = plan([task(str(number), 60, priority=1 + number) for number in range(4)])
    assert solve(problem, seed=3).blocks == solve(problem, seed=3).blocks


def test_three_hundred_tasks_get_an_answer_in_time():
    """Too many for one model: placed one after the other, improved in windows, with a gap above nothing."""
    rng = random.Random(7)
    tasks = [task(str(n), rng.choice([30, 60, 90, 120]), priority=rng.randint(1, 5)) for n in range(300)]
    links = [after(str(rng.randrange(n)), str(n)) for n in range(1, 300, 2)]
    problem = plan(tasks, links, hours((9, 17), break_minutes=15), days=120)
    answer = solve(problem, seconds=1.5)
    assert answer.status == "feasible"
    assert check_schedule(problem, answer.blocks) == []
    assert 0 < answer.gap < 1
    assert answer.seconds < 6


@pytest.mark.parametrize(
    ("tasks", "links"),
    [([task("a", 0)], ()), ([task("a", 60), task("a", 60)], ()), ([task("a", 60)], [after("a", "b")])],
)
def test_malformed_problems_are_refused(tasks, links):
    """Not solved, and not called infeasible."""
    with pytest.raises(InvalidInput):
        solve(plan(tasks, links))


def tiny(rng: random.Random) -> Problem:
    """Two or three tasks in one piece in a morning or two: tight enough to be infeasible now and then."""
    calendar = hours(
        (9, rng.choice([10, 11])),
        (13, 14),
        break_minutes=rng.choice([0, 15, 30]),
        max_consecutive_minutes=rng.choice([None, 45, 60]),
        minutes_per_day=rng.choice([None, 75, 90]),
        tasks_per_day=rng.choice([None, 1, 2]),
    )
    tasks = []
    for number in range(rng.randint(2, 3)):
        more = {}
        if rng.random() < 0.25:
            more["earliest"] = MONDAY + timedelta(minutes=15 * rng.randint(36, 52))
        if rng.random() < 0.25:
            more["latest"] = MONDAY + timedelta(minutes=15 * rng.randint(42, 120))
        if rng.random() < 0.15:
            more["locked"] = (span(0, 9, 10),) if not tasks else ()
        tasks.append(task(str(number), rng.choice([15, 30, 45, 60]), priority=rng.randint(1, 5), **more))
    links = []
    for _ in range(rng.randint(0, 2)):
        a, b = rng.sample(range(len(tasks)), 2)
        kind = rng.choice(["finish_to_start", "start_to_start", "finish_to_finish", "start_to_finish"])
        links.append(
            after(
                str(a),
                str(b),
                type=kind,
                lag_minutes=rng.choice([0, 30, -30]),
                max_lag_minutes=rng.choice([None, 60, 45]),
            )
        )
    return plan(tasks, links, calendar, days=rng.choice([1, 2]))


def law_of_tiny_plans(seed: int) -> str:
    """What enumeration finds is found; what is called infeasible has no schedule; an optimum is one."""
    problem = tiny(random.Random(seed))
    answer = solve(problem, seconds=60.0)
    weights = {1: 16, 2: 8, 3: 4, 4: 2, 5: 1}
    costs = []
    for blocks in every_schedule(problem):
        priorities = {item.id: item.priority for item in problem.tasks}
        costs.append(sum(weights[priorities[b.task_id]] * ((b.end - MONDAY) / timedelta(minutes=15)) for b in blocks))
    if not costs:
        assert answer.status == "infeasible", seed
        assert answer.cause is not None
    else:
        assert answer.status == "optimal", (seed, answer.cause)
        assert answer.objective == min(costs), seed
        assert check_schedule(problem, answer.blocks) == [], seed
    return answer.status


def test_tiny_plans_agree_with_enumeration():
    """Both kinds of answers occur."""
    assert {law_of_tiny_plans(seed) for seed in range(10)} == {"optimal", "infeasible"}


@pytest.mark.soak
@pytest.mark.parametrize("block", range(10))
def test_many_tiny_plans_agree_with_enumeration(block):
    """A thousand of them."""
    for seed in range(1_000 + 100 * block, 1_100 + 100 * block):
        law_of_tiny_plans(seed)

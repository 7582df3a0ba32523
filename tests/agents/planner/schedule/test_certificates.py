"""Causes: the right kind, figures that are true, words that a person understands; and never one without need."""

import random
from dataclasses import replace

import pytest

from loopwright.agents.planner.schedule.certificates import explain
from loopwright.agents.planner.schedule.certificates.core import find_core
from loopwright.agents.planner.schedule.solver import solve
from tests.agents.planner.schedule.plans import after, at, every_schedule, hours, plan, span, task


def test_a_circle_of_links():
    """All its tasks are named, no other."""
    tasks = [task(name, 30) for name in "abcd"]
    cause = explain(plan(tasks, [after("a", "b"), after("b", "c"), after("c", "a"), after("c", "d")]))
    assert cause.kind == "cycle"
    assert set(cause.task_ids) == {"a", "b", "c"}
    assert "circle" in cause.text


def test_a_maximal_lag_against_a_path():
    """A takes an hour, b another one: c cannot begin 90 minutes after a's start."""
    links = [after("a", "b"), after("b", "c"), after("a", "c", type="start_to_start", max_lag_minutes=90)]
    cause = explain(plan([task(name, 60) for name in "abc"], links))
    assert (cause.kind, cause.needed_minutes) == ("cycle", 30)
    assert "contradict" in cause.text


def test_starting_together_is_no_circle():
    """Two start-to-start links both ways are a pair, as one person cannot do both at once."""
    both = [after("a", "b", type="start_to_start"), after("b", "a", type="start_to_start")]
    assert explain(plan([task("a", 60), task("b", 60)], both)).kind == "pair"


@pytest.mark.parametrize(
    ("item", "needed", "available"),
    [
        (task("a", 300, latest=at(0, 12)), 300, 180),
        (task("a", 540), 540, 480),
        (task("a", 300, splittable=True, earliest=at(4, 14)), 300, 180),
        (task("a", 60, earliest=at(2, 12), latest=at(1, 12)), 60, 0),
        (task("a", 60, earliest=at(5, 9), latest=at(5, 17)), 60, 0),
    ],
)
def test_a_task_longer_than_its_window(item, needed, available):
    """The figures are those of the calendar."""
    cause = explain(plan([task("other", 60), item]))
    assert (cause.kind, cause.task_ids) == ("window", ("a",))
    assert (cause.needed_minutes, cause.available_minutes) == (needed, available)
    assert "“Task a”" in cause.text


def test_limits_of_days_count_for_a_window():
    """An hour a day, two days, three hours of work."""
    item = task("a", 180, splittable=True, latest=at(1, 17))
    cause = explain(plan([item], calendar=hours((9, 17), minutes_per_day=60)))
    assert (cause.kind, cause.available_minutes) == ("window", 120)


def test_longer_than_work_may_last():
    """No break can be made in a task in one piece."""
    cause = explain(plan([task("a", 300)], calendar=hours((9, 17), break_minutes=15, max_consecutive_minutes=240)))
    assert (cause.kind, cause.available_minutes) == ("window", 240)


def test_a_chain_longer_than_its_time():
    """Each link alone is fine; nights and lags count."""
    tasks = [task("a", 240), task("b", 240), task("c", 240, latest=at(1, 12))]
    links = [after("a", "b"), after("b", "c")]
    cause = explain(plan(tasks, links))
    assert (cause.kind, cause.task_ids) == ("chain", ("a", "b", "c"))
    assert "Tue 2 Jun 2026 13:00" in cause.text
    assert explain(plan([*tasks[:2], replace(tasks[2], latest=at(1, 13))], links)) is None


def test_more_work_than_time():
    """Nine hours for a day of eight; the tenth task, later, is not blamed."""
    tasks = [task(str(number), 90, latest=at(0, 17)) for number in range(6)]
    cause = explain(plan([*tasks, task("later", 60, earliest=at(2, 9))]))
    assert cause.kind == "demand"
    assert set(cause.task_ids) == {str(number) for number in range(6)}
    assert (cause.needed_minutes, cause.available_minutes) == (540, 480)
    assert cause.span.end == at(0, 17)


def test_breaks_count_as_demand():
    """Eight hours of work fit, the breaks between do not."""
    tasks = [task(str(number), 120, latest=at(0, 17)) for number in range(4)]
    assert explain(plan(tasks)) is None
    cause = explain(plan(tasks, calendar=hours((9, 17), break_minutes=15)))
    assert (cause.kind, cause.needed_minutes, cause.available_minutes) == ("demand", 525, 480)


def test_the_limit_of_tasks_counts_as_demand():
    """Three short tasks for a day that takes two."""
    tasks = [task(str(number), 15, latest=at(0, 17)) for number in range(3)]
    cause = explain(plan(tasks, calendar=hours((9, 17), tasks_per_day=2)))
    assert cause.kind == "demand"
    assert "tasks per day" in cause.text


def test_two_tasks_that_exclude_each_other():
    """Both have to cover noon."""
    tasks = [
        task("a", 180, earliest=at(0, 10), latest=at(0, 14)),
        task("b", 180, earliest=at(0, 11), latest=at(0, 15, 45)),
    ]
    cause = explain(plan(tasks))
    assert cause.kind in {"pair", "demand"}
    assert set(cause.task_ids) == {"a", "b"}


def test_a_pair_that_the_lags_exclude():
    """There is time enough for both: the links want them nearer to each other than they are long."""
    near = after("a", "b", type="start_to_start", lag_minutes=-45, max_lag_minutes=45)
    cause = explain(plan([task("a", 60), task("b", 60)], [near]))
    assert (cause.kind, set(cause.task_ids)) == ("pair", {"a", "b"})


def test_locked_tasks_at_once_or_against_their_link():
    """They are never moved, so they are the cause."""
    a, b = task("a", 120, locked=(span(0, 9, 11),)), task("b", 120, locked=(span(0, 10, 12),))
    assert explain(plan([a, b])).kind == "locked"
    c = task("c", 60, locked=(span(1, 9, 10),))
    assert explain(plan([a, c], [after("c", "a")])).kind == "locked"
    assert explain(plan([a, c], [after("a", "c")])) is None
    assert explain(plan([task("x", 60, locked=(span(9, 9, 10),))])).kind == "locked"


def test_a_locked_task_too_early_for_what_comes_before_it():
    """The chain ends in it."""
    cause = explain(plan([task("a", 240), task("b", 60, locked=(span(0, 11, 12),))], [after("a", "b")]))
    assert (cause.kind, cause.task_ids) == ("locked", ("a", "b"))


def puzzle():
    """A busy hour leaves two halves of 3 h 30 min; three tasks of two hours: the work fits, two never fit into one."""
    calendar = replace(hours((9, 17)), busy=(span(0, 12, 13),))
    calendar = replace(calendar, busy=(*calendar.busy, span(0, 16, 17)))
    tasks = [task(str(number), 105, latest=at(0, 17)) for number in range(3)]
    return plan([*tasks, task("free", 60), task("freer", 60)], [after("free", "freer")], calendar)


def test_a_core_is_minimal_and_says_so():
    """What the quick checks cannot see: only the three tasks, not the others and not their link."""
    problem = puzzle()
    assert explain(problem) is None
    answer = solve(problem, seconds=60)
    assert answer.status == "infeasible"
    assert answer.cause.kind == "core"
    assert not answer.cause.found_before_solver
    assert set(answer.cause.task_ids) == {"0", "1", "2"}
    assert find_core(problem, 60).task_ids == answer.cause.task_ids
    assert "Without any one of them the others fit" in answer.cause.text


def test_a_core_that_there_was_no_time_to_make_small_says_so():
    """It is a proof all the same."""
    cause = find_core(puzzle(), 0)
    assert cause.kind == "core"
    assert {"0", "1", "2"} <= set(cause.task_ids)
    assert "Fewer of them may be enough" in cause.text


def test_manual_plans_only_ask_about_locked_tasks():
    """The others are not placed."""
    assert explain(replace(plan([task("a", 9_000)]), mode="manual")) is None


def law_of_causes(seed: int) -> bool:
    """Whoever names a cause is right: enumeration finds no schedule."""
    from tests.agents.planner.schedule.test_solver import tiny

    problem = tiny(random.Random(seed))
    cause = explain(problem)
    if cause is None:
        return False
    assert next(every_schedule(problem), None) is None, (seed, cause)
    assert set(cause.task_ids) <= {item.id for item in problem.tasks}
    assert cause.text.endswith(".")
    return True


def test_no_feasible_plan_is_refused():
    """A good part of them is infeasible."""
    assert 2 < sum(law_of_causes(seed) for seed in range(300, 320)) < 18


@pytest.mark.soak
def test_no_feasible_plan_of_many_is_refused():
    """Two thousand of them."""
    for seed in range(10_000, 12_000):
        law_of_causes(seed)

"""Ways out: each one works, the smallest step is meant, and changes survive being stored."""

import json
from dataclasses import replace

import pytest

from loopwright.agents.planner.schedule.certificates import explain
from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Relaxation
from loopwright.agents.planner.schedule.relaxing import apply_relaxation, relax
from loopwright.agents.planner.schedule.solver import solve
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.schedule.plans import after, at, hours, plan, span, task

OVERFULL = plan([task(str(n), 120, priority=1 + n, latest=at(0, 17)) for n in range(5)], days=5)
LONG = plan([task("a", 540)], days=5)
CIRCLE = plan([task("a", 60), task("b", 60)], [after("a", "b"), after("b", "a")])
LOCKED = plan([task("a", 60, locked=(span(0, 9, 10),)), task("b", 60, locked=(span(0, 9, 10),))])
WEEKEND = plan([task("a", 300, splittable=True)], calendar=hours((9, 11), days=2), days=3)


@pytest.mark.parametrize("problem", [OVERFULL, LONG, CIRCLE, LOCKED, WEEKEND])
def test_each_relaxation_works(problem):
    """Applied, also after a journey through JSON, it gives a problem with a schedule; cheaper ones come first."""
    cause = explain(problem)
    assert cause is not None
    found = relax(problem, cause, seconds=60, most=4)
    assert found
    assert [item.cost for item in found] == sorted(item.cost for item in found)
    for item in found:
        stored = Relaxation(item.text, item.kind, item.cost, json.loads(json.dumps(item.change)))
        changed = apply_relaxation(problem, stored)
        answer = solve(changed, seconds=1)
        assert answer.status in {"optimal", "feasible"}, item
        assert check_schedule(changed, answer.blocks) == []


def kinds(problem) -> dict[str, Relaxation]:
    """The relaxations by their kinds, the cheapest of each."""
    found = relax(problem, explain(problem), seconds=60, most=12)
    return {item.kind: item for item in reversed(found)}


def test_a_later_deadline_is_the_least_that_works():
    """Two hours do not fit on Monday: the least important task may end on Tuesday at eleven, eighteen hours later."""
    deadline = kinds(OVERFULL)["deadline"]
    assert deadline.change == {"set": "latest", "task": "4", "to": at(1, 11).isoformat()}
    earlier = {**deadline.change, "to": at(1, 10).isoformat()}
    assert solve(apply_relaxation(OVERFULL, replace(deadline, change=earlier)), seconds=1).status == "infeasible"


def test_what_is_dropped_is_the_least_important():
    """Of the tasks that the cause names."""
    assert kinds(OVERFULL)["drop"].change["task"] == "4"


def test_work_is_shortened_no_more_than_it_has_to_be():
    """45 minutes too much: from 105 to 60 is the first step that saves them."""
    problem = plan([task(str(n), 105, latest=at(0, 17)) for n in range(5)])
    shorter = kinds(problem)["shorten"].change
    assert shorter["set"] == "minutes"
    assert shorter["to"] == 60


def test_splitting_is_offered_where_the_piece_is_too_long():
    """It is the cheapest way: nothing is lost."""
    first = relax(LONG, explain(LONG), seconds=60)[0]
    assert (first.kind, first.change) == ("split", {"set": "splittable", "task": "a"})


def test_a_link_or_a_lock_may_go():
    """Where they are the cause."""
    assert "link" in kinds(CIRCLE)
    assert "unlock" in kinds(LOCKED)


def test_a_free_day_may_be_worked_on():
    """Wednesday has no hours in this calendar."""
    change = kinds(WEEKEND)["free_day"].change
    assert change["date"] == "2026-06-03"
    assert change["to"] == [["09:00:00", "11:00:00"]]


def test_two_causes_need_two_changes():
    """No single one helps: what is offered holds both."""
    problem = plan(
        [task("a", 540), task("b", 540), task("c", 60), task("d", 60)],
        [after("c", "d"), after("d", "c")],
    )
    (found,) = relax(problem, explain(problem), seconds=60)
    assert found.kind == "several"
    assert solve(apply_relaxation(problem, found), seconds=1).status in {"optimal", "feasible"}


@pytest.mark.parametrize("change", [{}, {"set": "weather"}, {"set": "drop", "task": "nobody"}])
def test_unknown_changes_are_refused(change):
    """They come from storage: what is not known is said."""
    with pytest.raises(InvalidInput):
        apply_relaxation(LONG, Relaxation("", "", 0.0, change))


def test_no_way_out_ends_after_the_event_that_the_work_is_for():
    """An exam on Saturday: nothing is offered for Sunday, and what is offered holds."""
    exam = at(5, 0)
    calendar = hours((9, 12), days=7)
    tasks = [task(str(number), 180, latest=at(3, 0)) for number in range(4)]
    problem = replace(plan(tasks, calendar=calendar, days=5), events=(exam,))
    found = relax(problem, explain(problem), seconds=60, most=12)
    assert {"deadline", "capacity"} & {each.kind for each in found}
    for each in found:
        changed = apply_relaxation(problem, each)
        answer = solve(changed, seconds=5)
        assert check_schedule(changed, answer.blocks) == []
        assert max(block.end for block in answer.blocks) <= exam
    without = replace(problem, tasks=tuple(task(str(number), 180) for number in range(6)))
    assert {each.kind for each in relax(without, explain(without), seconds=60, most=12)}.isdisjoint({"horizon"})

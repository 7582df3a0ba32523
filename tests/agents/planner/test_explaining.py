"""Why a task lies where it lies, and what the schedule was made for."""

from datetime import date

import pytest

from loopwright.agents.planner.contracts import Roadmap
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.explaining import explain, objective_lines
from loopwright.agents.planner.problem_building import build_for, read_schedule
from loopwright.agents.planner.schedule.solver import solve
from loopwright.agents.planner.terms import read_terms
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.grammar.outlines import node, outline


def planned(**facts: object) -> PlanningState:
    """Four sessions of an hour in two weeks, scheduled."""
    nodes = [node("goal", None, "goal", 1), node("part", "goal", "phase", 2)]
    nodes += [node(f"task {n}", "part", "task", 3, metadata={"estimated_minutes": 60}) for n in range(4)]
    goal = GoalFacts.model_validate(
        {
            "text": "x",
            "today": date(2027, 1, 4),
            "deadline": date(2027, 1, 17),
            "timezone": "Europe/Berlin",
            "facts": facts,
        }
    )
    state = PlanningState(goal=goal, roadmap=Roadmap.model_validate(outline(*nodes)))
    built = build_for(state)
    state.schedule = read_schedule(solve(built.problem, seconds=5.0), built)
    return state


def test_the_aims_are_told_in_their_order_with_what_came_of_them():
    (line,) = objective_lines(planned())
    assert line == (
        "Aims, in this order: your limits, which all hold; whole sessions: no tasks in several blocks; even weeks: at "
        "most 2 h in a week; even days: at most 1 task and 1 h on a day, free days in between; early: a task is done "
        "after 5 days in the mean."
    )


def test_what_an_even_spread_decided_is_said_so():
    state = planned()
    last = max(state.schedule.blocks, key=lambda block: block.start)
    reasons = explain(state, last.title)["reasons"]
    assert "Your limits would allow Tuesday 12 January, 16:00; an even spread keeps that day free." in reasons


def test_the_order_of_the_aims_can_be_set():
    """Early alone: all on the first day."""
    early = planned(aims=["early"])
    assert len({block.start.date() for block in early.schedule.blocks}) == 1
    assert "even" not in objective_lines(early)[0]
    assert planned(mode="push").schedule.objective == early.schedule.objective


def test_aims_that_are_none_are_refused():
    with pytest.raises(InvalidInput, match="aims is a list of whole, even_weeks"):
        read_terms(GoalFacts(text="x", today=date(2027, 1, 4), facts={"aims": ["soon"]}))

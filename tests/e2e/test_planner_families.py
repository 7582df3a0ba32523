"""Goals of all families, on varied terms, become plans that fit without a second question; a few of them each time."""

from pathlib import Path

import pytest

from tests.agents.planner.offline.test_families import GOALS
from tests.e2e.test_planner_words import holds
from tests.support.planning import plan_goal

TERMS = (
    "30 minutes a day",
    "weekends only",
    "not on Tuesdays, after 6pm",
    "3-5 hours a week by Easter",
    "in 10 weeks, no public holidays",
    "only mornings, before the end of next year",
    "2 hours on Saturdays, no hurry",
    "away from 20 December to 3 January, 4 hours a week",
)
VARIED = [f"{goal.partition(',')[0]}, {TERMS[index % len(TERMS)]}" for index, (goal, _) in enumerate(GOALS)]
SAMPLE = [
    "learn to play the piano, half an hour every day",
    "move house on 15 March 2027, weekends only",
    "organise a conference for 200 people in Vienna in October 2027",
]


async def settled_at_once(folder: Path, goal: str) -> None:
    """The goal's plan, which must keep its own terms: nobody wants to be told that they do not fit."""
    planned = await plan_goal(folder, goal)
    asked = [question.question for gate in planned.gates for question in gate.questions]
    assert holds(planned), (goal, planned.line.get("message"))
    assert not [question for question in asked if "may change" in question], (goal, planned.state.cause)
    assert planned.line["blocks"] >= 5
    assert planned.line["gap"] is not None


@pytest.mark.parametrize("goal", SAMPLE)
async def test_a_goal_becomes_a_plan_that_fits(tmp_path: Path, goal: str) -> None:
    await settled_at_once(tmp_path, goal)


@pytest.mark.soak
@pytest.mark.parametrize("goal", [goal for goal, _ in GOALS])
async def test_every_family_becomes_a_plan_that_fits(tmp_path: Path, goal: str) -> None:
    await settled_at_once(tmp_path, goal)


@pytest.mark.soak
@pytest.mark.parametrize("goal", VARIED)
async def test_every_family_fits_on_other_terms(tmp_path: Path, goal: str) -> None:
    await settled_at_once(tmp_path, goal)

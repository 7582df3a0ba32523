"""Terms that cannot hold together: named before any draft, and each way out that is offered ends them."""

import random
from datetime import date
from pathlib import Path

import pytest

from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.changing import apply_answer
from loopwright.agents.planner.facts.contradictions import contradiction_of
from loopwright.agents.planner.stated import with_stated
from loopwright.kernel.gates import Failed, Finished, Waiting
from tests.agents.planner.workflow.playing import Play, context, outline
from tests.agents.planner.workflow.test_changes import small_plan

TODAY = date(2026, 11, 22)
CONTRADICTIONS = (
    ("learn guitar 10 hours a week, only on Saturdays, at most 2 hours a day", "10 hours a week"),
    ("lerne Gitarre, 10 Stunden pro Woche, nur samstags, höchstens 2 Stunden am Tag", "10 Stunden pro Woche"),
    ("学吉他,每周10小时,只在周六,每天最多2小时", "每周10小时"),
    ("60 hours of piano practice in total by January 31 2027, 2 hours a week", "60 hours in total"),
    ("400 hours by March 2027, 2 hours a day on weekdays", "400 hours in total"),
    ("5 runs a week, only on weekends", "5 runs a week"),
    ("ich gehe 4 mal pro Woche schwimmen, nur am Wochenende", "4 mal pro Woche"),
    ("每周跑步五次,只在周末", "5次"),
    ("3 sessions a week of 2 hours, 4 hours a week", "6 hours"),
    ("3 sessions a week of 3 hours, at most 2 hours a day", "180 minutes"),
    ("1 hour every day, 3 hours a week", "7 hours"),
    ("exam on January 29 2027, 12 modules, each needs 3 hours, 2 hours a week", "36 hours"),
    ("Prüfung am 29. Januar 2027, 6 Kapitel, je Kapitel 12 Stunden, 3 Stunden pro Woche", "72 Stunden"),
    ("at least 10 hours a week, at most 6 hours a week", "at least 10 hours a week"),
)
SOUND = (
    "learn Spanish, 30 minutes every day",
    "pass the bar exam on February 23 2027, 15 hours a week, no Sundays, at most 4 hours a day",
    "study 6 hours a week, I'm away until January 10, by June 2027",
    "I work 40 hours a week, learn Greek 5 hours a week",
    "Ich lerne 4 Stunden pro Woche, nicht am Sonntag",
    "exam on May 29 2027, 12 modules, each needs 3 hours, 2 hours a week",
    "train 3 times a week of 45 minutes, never on Fridays",
)
GUITAR = "learn guitar 10 hours a week, only on Saturdays, at most 2 hours a day"
LESSONS = "60 hours of piano practice in total, 2 hours a week"


def goal_of(text: str) -> GoalFacts:
    return with_stated(GoalFacts(text=text, today=TODAY), TODAY)


@pytest.mark.parametrize(("text", "named"), CONTRADICTIONS)
def test_a_contradiction_names_both_sides_and_every_way_out_ends_it(text: str, named: str) -> None:
    found = contradiction_of(goal_of(text))
    assert found is not None
    assert named in found.text
    assert found.ways
    assert found.safe in (None, *found.ways)
    for way in found.ways:
        state = PlanningState(goal=goal_of(text))
        assert apply_answer(state, way, TODAY)
        assert contradiction_of(state.goal) is None, way


@pytest.mark.parametrize("text", SOUND)
def test_what_can_hold_together_is_no_contradiction(text: str) -> None:
    assert contradiction_of(goal_of(text)) is None


async def test_it_is_asked_before_the_model_is(tmp_path: Path) -> None:
    play = Play(tmp_path, [])
    assert isinstance(await play.begin(GUITAR), Waiting)
    assert play.way == ["NEEDS_CLARIFICATION"]
    (question,) = play.gate.questions
    assert "10 hours a week" in question.question
    assert "only on Saturdays" in question.question


async def test_without_an_answer_limits_are_kept_and_that_is_said_first(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(nodes=small_plan(random.Random(1)))])
    ended = await play.answer_all(await play.begin(GUITAR))
    assert isinstance(ended, Finished)
    assert play.state.goal.hours_per_week == 2
    assert "Nobody answered" in ended.text
    assert play.state.schedule is not None
    assert {block.start.weekday() for block in play.state.schedule.blocks} == {5}


async def test_where_no_limit_can_be_kept_nothing_is_done_without_an_answer(tmp_path: Path) -> None:
    play = Play(tmp_path, [])
    ended = await play.answer_all(await play.begin(LESSONS))
    assert isinstance(ended, Failed)
    assert play.state.planning_status == "aborted"
    assert play.state.schedule is None
    assert "60 hours in total" in (play.state.response_text or "")


async def test_own_words_are_an_answer_and_what_says_nothing_is_asked_again(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline()])
    waits = await play.begin(GUITAR)
    for said in ("whatever you like", "3 hours a week, at most 3 hours a day"):
        (question,) = play.gate.questions
        waits = await play.answer({"answers": {question.question: said}})
    assert isinstance(waits, Waiting)
    assert play.gate.kind == "plan"
    assert (play.state.goal.hours_per_week, play.state.goal.facts["minutes_per_day"]) == (3, 180)


@pytest.mark.parametrize("way", [0, 1])
async def test_a_way_out_that_was_chosen_is_said_by_the_user(tmp_path: Path, way: int) -> None:
    """What it takes the place of is superseded; the one that nobody chose, taken by default, is not the user's."""
    play = Play(tmp_path, [*context(), *outline()])
    await play.begin(GUITAR)
    (question,) = play.gate.questions
    chosen = (question.options or [])[way]
    await play.answer({"answers": {question.question: chosen}})
    assert play.run is not None
    assert play.run.state.said == ([GUITAR] if chosen == question.default else [GUITAR, chosen])


def test_an_event_ends_the_later_days_that_are_offered() -> None:
    """Hours that do not fit before an exam: no way out leads past it."""
    found = contradiction_of(goal_of("study 80 hours for the geology exam on January 9 2027, 4 hours a week"))
    assert found is not None
    assert found.ways
    assert not any("by 2027" in way for way in found.ways)

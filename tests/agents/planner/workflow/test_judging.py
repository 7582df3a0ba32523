"""The composite confidence drives the table: on, back, or to the user."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.planner.confidence import Confidence
from loopwright.agents.planner.contracts.plan import Schedule
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.schedule import solver
from loopwright.agents.planner.schedule.problem import Answer, Cause, Problem
from loopwright.agents.planner.scoring import confidence_in, schedule_score
from loopwright.agents.planner.workflow import judging
from loopwright.kernel.gates import Finished, Waiting
from tests.agents.planner.workflow.playing import Play, context, outline

DOUBT, DESPAIR = 0.2, 0.0
"""Self-scores that bring a draft without a flaw below 0.70; only flaws bring it below 0.40."""
LONELY = {
    "root_id": "g",
    "nodes": [
        {"id": "g", "node_type": "goal", "level": 1, "title": "Launch the website"},
        {"id": "p", "parent_id": "g", "node_type": "phase", "level": 2, "title": "Design"},
        {"id": "q", "parent_id": "p", "node_type": "phase", "level": 3, "title": "Dream"},
        {"id": "r", "parent_id": "g", "node_type": "cycle", "level": 2, "title": "Again and again"},
    ],
}


async def test_a_draft_that_one_may_be_sure_of_goes_on_and_the_journal_says_how_sure(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline()])
    outcome = await play.answer_all(await play.begin())
    assert isinstance(outcome, Finished)
    play.model.assert_done()
    judged = play.stored("stage_judged")
    assert [each["stage"] for each in judged] == ["DRAFT_OUTLINE", "DRAFT_ROADMAP", "DRAFT_SCHEDULE"]
    for each in judged:
        own = each["self_score"]
        rules, experience = each["validator"], each["heuristics"]
        weighed = 0.6 * rules + 0.4 * experience if own is None else 0.5 * own + 0.3 * rules + 0.2 * experience
        assert each["confidence"] == pytest.approx(weighed, abs=1e-4)
        assert (each["verdict"], each["signal"]) == ("continue", "success")
    assert play.state.confidence.keys() == {"DRAFT_OUTLINE", "DRAFT_ROADMAP", "DRAFT_SCHEDULE"}
    [completed] = play.stored("run_completed")
    assert "confidence" not in completed["result"], "no data says how often a plan with such a score is right"


async def test_a_doubtful_outline_is_narrowed_once_then_goes_back_then_the_user_is_asked(tmp_path: Path) -> None:
    script = [*context(), *outline(DOUBT), "I leave it.", "Still so.", "And still."]
    play = Play(tmp_path, script)
    outcome = await play.begin()
    assert isinstance(outcome, Waiting)
    play.model.assert_done()
    judged = play.stored("stage_judged")
    assert [each["signal"] for each in judged] == [None, "low_confidence", "needs_clarification"]
    assert {each["verdict"] for each in judged} == {"retry"}
    assert play.way == [
        *("COLLECT_CONTEXT", "DRAFT_OUTLINE", "COLLECT_CONTEXT", "DRAFT_OUTLINE", "NEEDS_CLARIFICATION"),
    ]
    [narrowed] = play.stored("controller_message")
    assert "the model itself doubts it" in narrowed["text"]
    assert play.gate.details["last_line"]["planning_status"] == "needs_clarification"
    assert "the model itself doubts it" in play.gate.questions[0].question
    assert "%" not in play.gate.questions[0].question


async def test_a_repaired_draft_goes_on(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(DOUBT), *outline(0.9)])
    assert isinstance(await play.answer_all(await play.begin()), Finished)
    assert [each["signal"] for each in play.stored("stage_judged")][:2] == [None, "success"]
    play.model.assert_done()


def searched(monkeypatch: pytest.MonkeyPatch, settled: bool) -> list[float]:
    """Let searches end without a proof, all or only the first one; returns the seconds that each was given."""
    given: list[float] = []
    real = solver.solve

    def solve(problem: Problem, *, seconds: float, seed: int) -> Answer:
        given.append(seconds)
        if settled and len(given) > 1:
            return real(problem, seconds=seconds, seed=seed)
        return Answer("unknown", cause=Cause("unproved", "No schedule was found in 5 seconds, and none ruled out."))

    monkeypatch.setattr(solver, "solve", solve)
    return given


async def test_a_search_that_settles_nothing_is_made_once_more_with_more_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = searched(monkeypatch, settled=True)
    play = Play(tmp_path, [*context(), *outline()])
    assert isinstance(await play.answer_all(await play.begin()), Finished)
    assert given[1] > given[0]
    assert play.state.schedule is not None


async def test_the_end_of_the_time_is_not_told_as_a_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searched(monkeypatch, settled=False)
    play = Play(tmp_path, [*context(), *outline()])
    assert isinstance(await play.begin(), Waiting)
    said = " ".join([play.gate.title, play.gate.questions[0].question, str(play.gate.questions[0].context)])
    assert "No schedule was found in" in said
    assert "does not fit" not in said
    assert "There was no schedule" not in said


async def test_no_retries_means_that_the_user_is_asked_at_once(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(DOUBT)], limits={"retries_per_stage": 0})
    assert isinstance(await play.begin(), Waiting)
    assert [each["signal"] for each in play.stored("stage_judged")] == ["needs_clarification"]


async def test_who_has_no_confidence_at_all_is_not_sent_back_but_asked(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(DESPAIR, LONELY), *outline(DESPAIR, LONELY)])
    assert isinstance(await play.begin(), Waiting)
    [flaws] = play.stored("controller_message")
    assert "Again and again" in flaws["text"], "what the grammar finds is told once"
    [judged] = play.stored("stage_judged")
    assert judged["confidence"] < 0.4
    assert (judged["verdict"], judged["signal"]) == ("escalate", "needs_clarification")
    assert play.way[-1] == "NEEDS_CLARIFICATION"


@pytest.mark.parametrize(("said", "end"), [("Go on with it", "complete"), ("Leave it", "aborted")])
async def test_the_user_may_go_on_with_a_doubtful_draft_or_leave_it(tmp_path: Path, said: str, end: str) -> None:
    again = [*context(), *outline(DOUBT)] if end == "complete" else []
    play = Play(tmp_path, [*context(), *outline(DOUBT), *again], limits={"retries_per_stage": 0})
    await play.begin()
    await play.answer_all(await play.answer({"0": said}))
    assert play.way[-1] == end
    play.model.assert_done()


async def test_a_roadmap_that_stays_doubtful_sends_the_model_back_to_its_outline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubts = [Confidence(None, 1.0, 0.0)]

    def doubted_once(state: PlanningState, draft: Any) -> Confidence:
        return doubts.pop() if draft == "roadmap" and doubts else confidence_in(state, draft)

    monkeypatch.setattr(judging, "confidence_in", doubted_once)
    play = Play(tmp_path, [*context(), *outline(), *outline()])
    assert isinstance(await play.answer_all(await play.begin()), Finished)
    play.model.assert_done()
    signals = [(each["stage"], each["signal"]) for each in play.stored("stage_judged")]
    assert signals == [
        ("DRAFT_OUTLINE", "success"),
        ("DRAFT_ROADMAP", "low_confidence"),
        ("DRAFT_OUTLINE", "success"),
        ("DRAFT_ROADMAP", "success"),
        ("DRAFT_SCHEDULE", "success"),
    ]


@pytest.mark.parametrize(("preference", "offered"), [("suggest_when_uncertain", True), ("on_demand", False)])
async def test_ideas_come_with_the_narrowing_where_the_user_likes_them(
    tmp_path: Path, preference: str, offered: bool
) -> None:
    policy = {"probing_depth": 0, "brainstorming_preference": preference}
    play = Play(tmp_path, [*context(), *outline(DOUBT), *outline(0.9)], policy=policy)
    await play.begin()
    [narrowed] = play.stored("controller_message")
    assert ("- none" not in narrowed["text"]) is offered
    assert bool(play.state.ideas) is offered


def test_a_checked_schedule_is_never_escalated() -> None:
    assert schedule_score(Schedule(status="optimal", gap=0.0)) == 1.0
    assert schedule_score(Schedule(gap=0.2)) == pytest.approx(0.9)
    assert schedule_score(Schedule(gap=50.0)) == 0.5


async def test_an_installation_may_ask_for_more_confidence(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(0.9)], settings={"continue_from": 0.99, "retry_from": 0.98})
    assert isinstance(await play.begin(), Waiting)
    [judged] = play.stored("stage_judged")
    assert (judged["confidence"], judged["signal"]) == (0.95, "needs_clarification")

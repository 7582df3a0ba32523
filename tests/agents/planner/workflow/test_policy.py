"""The interaction policy steers whole plans: what is asked, how often, with what beside it, and in which words."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.planner.contracts.state import InteractionPolicy, effective_policy
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import Failed, Finished, Waiting
from tests.agents.planner.tools.session import Memories
from tests.agents.planner.workflow.playing import QUIET, Play, Rooms, context, outline

DRAFTS = [*context(), *outline()]


def test_the_session_wins_over_memory_and_memory_over_the_default() -> None:
    remembered = {"tone": "clinical", "probing_depth": 3}
    policy = effective_policy({"tone": "neutral"}, remembered)
    assert (policy.tone, policy.probing_depth) == ("neutral", 3)
    assert policy.conversation_style == InteractionPolicy().conversation_style


def test_a_field_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(InvalidInput, match="verbosity") as caught:
        effective_policy({"verbosity": 1}, {})
    assert "talkativeness" in caught.value.hint


async def test_a_new_plan_begins_with_what_is_remembered_and_what_it_is_told_wins(tmp_path: Path) -> None:
    rooms = Rooms(plan_memories=Memories({"tone": "clinical", "approval_policy": "single_final"}))
    play = Play(tmp_path, [*context(), *outline()], policy={"approval_policy": "strict_every_step"}, rooms=rooms)
    assert isinstance(await play.begin(), Waiting)
    assert play.gate.details["step"] == "outline", "the session's own cadence, not the remembered one"
    policy = play.state.interaction_policy
    assert (policy.tone, policy.approval_policy) == ("clinical", "strict_every_step")
    assert play.state.session_policy == {"approval_policy": "strict_every_step"}


async def test_a_policy_that_cannot_be_used_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    outcome = await Play(tmp_path, [], policy={"probing_depth": 9}).begin()
    assert isinstance(outcome, Failed)
    assert "probing_depth" in outcome.message


@pytest.mark.parametrize(
    ("policy", "steps"),
    [
        ({}, ["final"]),
        ({"approval_policy": "milestone_approvals"}, ["outline", "final"]),
        ({"approval_policy": "strict_every_step"}, ["outline", "roadmap", "final"]),
        ({"autonomy": "low"}, ["roadmap", "final"]),
    ],
)
async def test_the_cadence_of_approvals(tmp_path: Path, policy: dict[str, Any], steps: list[str]) -> None:
    play = Play(tmp_path, DRAFTS, policy=QUIET | policy)
    assert isinstance(await play.answer_all(await play.begin()), Finished)
    assert [gate["details"]["step"] for gate in play.stored("gate_opened")] == steps
    used = [step["stage"] for step in play.stored("planning_step") if step["tool"] == "approval_handler"]
    assert len(used) == 2 * len(steps), "ApprovalHandler asks, and reads the answer"


@pytest.mark.parametrize(
    ("policy", "variants", "ideas"),
    [
        ({"conversation_style": "concise"}, 2, False),
        ({"talkativeness": 0.1, "brainstorming_preference": "always_offer"}, 2, True),
        ({"conversation_style": "conversational", "brainstorming_preference": "always_offer"}, 3, True),
    ],
)
async def test_what_is_put_beside_an_approval(
    tmp_path: Path, policy: dict[str, Any], variants: int, ideas: bool
) -> None:
    play = Play(tmp_path, [*context(), *outline()], policy=QUIET | {"autonomy": "low"} | policy)
    assert isinstance(await play.begin(), Waiting)
    details = play.gate.details
    assert (len(details["variants"]), bool(details["ideas"])) == (variants, ideas)


async def test_the_last_words_have_the_users_length_and_tone(tmp_path: Path) -> None:
    told = {}
    for name, policy in {
        "short": {"conversation_style": "concise", "talkativeness": 0.0, "tone": "clinical"},
        "long": {"conversation_style": "conversational", "talkativeness": 1.0, "tone": "friendly"},
    }.items():
        play = Play(tmp_path, DRAFTS, policy=QUIET | policy)
        outcome = await play.answer_all(await play.begin())
        assert isinstance(outcome, Finished)
        told[name] = outcome.text
    assert told["long"].startswith("Here is where we are: ")
    assert told["short"].count(". ") == 0 < told["long"].count(". ")
    assert "h in all" in told["short"]
    assert "It begins with" in told["long"]


async def test_the_style_is_asked_for_once_and_remembered_for_later_plans(tmp_path: Path) -> None:
    rooms = Rooms()
    ask: list[Any] = [[("preference_probe", {})]]
    play = Play(tmp_path, [*ask, *ask, *context(), *outline()], policy={}, rooms=rooms)
    assert isinstance(await play.begin(), Waiting)
    await play.answer({"0": "coach"})
    assert rooms.plan_memories.kept == {"conversation_style": "coach"}
    assert play.state.interaction_policy.conversation_style == "coach"
    later = Play(tmp_path, [*ask, *context(), *outline()], policy={}, rooms=Rooms(plan_memories=rooms.plan_memories))
    assert isinstance(await later.begin(), Waiting)
    assert later.gate.details["step"] == "outline", "nobody asks for the style again"
    assert later.state.interaction_policy.conversation_style == "coach"


async def test_no_more_questions_than_the_user_likes_in_a_whole_plan(tmp_path: Path) -> None:
    questions = [{"question": f"Question {number}?", "type": "text"} for number in range(5)]
    ask = [("context_elicitor", {"questions": questions})]
    play = Play(tmp_path, [ask, ask, *context(), *outline()], policy={"probing_depth": 2})
    assert isinstance(await play.begin(), Waiting)
    assert [item.question for item in play.gate.questions] == ["Question 0?", "Question 1?"]
    await play.answer({"0": "yes", "1": "no"})
    assert play.gate.details["step"] == "outline"
    play.model.assert_done()

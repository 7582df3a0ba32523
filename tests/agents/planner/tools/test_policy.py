"""The user's sliders really steer the tools."""

import pytest

from loopwright.agents.planner.contracts.state import InteractionPolicy
from loopwright.agents.planner.tools.summarizer import shortened
from tests.agents.planner.tools.session import Session

QUESTIONS = [{"question": f"Question {number}?", "type": "text"} for number in range(6)]
VARIANTS = [{"title": f"Way {number}", "summary": "Another way to do it."} for number in range(4)]
LONG = "Great, here it is! " + " ".join(f"This is fact {number}." for number in range(20))


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
async def test_no_more_questions_than_the_user_likes(session: Session, depth: int) -> None:
    session.start("learn to juggle", policy={"probing_depth": depth})
    result = await session.call("context_elicitor", questions=QUESTIONS)
    assert len(result.artifacts["data"]["questions"]) == depth
    assert result.signal == ("needs_clarification" if depth else None)
    assert len(session.state.pending_questions) == depth
    session.change(questions_asked=[item["question"] for item in QUESTIONS[:depth]], pending_questions=[])
    again = await session.data("context_elicitor", questions=QUESTIONS)
    assert again["questions"] == []
    assert again["outcome"] == "sufficient_context"


async def test_who_wants_to_be_left_alone_is_not_asked_what_has_a_default(session: Session) -> None:
    session.start("learn to juggle", policy={"probing_depth": 3, "autonomy": "high"})
    data = await session.data("context_elicitor", questions=[{**QUESTIONS[0], "default": "yes"}, QUESTIONS[1]])
    assert [item["question"] for item in data["questions"]] == ["Question 1?"]


@pytest.mark.parametrize(
    ("policy", "count"),
    [
        ({"conversation_style": "concise"}, 2),
        ({"talkativeness": 0.1}, 2),
        ({}, 3),
        ({"conversation_style": "coach"}, 3),
    ],
)
async def test_two_variants_for_the_concise_three_for_others(session: Session, policy: dict, count: int) -> None:
    session.start("learn to juggle", policy=policy)
    data = await session.data("option_crafter", variants=VARIANTS)
    assert data["count"] == len(session.state.variants) == count


async def test_one_variant_is_no_choice(session: Session) -> None:
    session.start("learn to juggle")
    result = await session.call("option_crafter", variants=[VARIANTS[0], VARIANTS[0]])
    assert not result.success


def test_summaries_follow_style_and_tone() -> None:
    concise = shortened(LONG, InteractionPolicy(conversation_style="concise", tone="neutral"))
    standard = shortened(LONG, InteractionPolicy())
    talkative = shortened(LONG, InteractionPolicy(conversation_style="conversational", talkativeness=1.0))
    clinical = shortened(LONG, InteractionPolicy(tone="clinical"))
    coach = shortened(LONG, InteractionPolicy(conversation_style="coach"))
    assert len(concise) < len(standard) < len(talkative) <= len(LONG) + 40
    assert "!" not in clinical
    assert "Great" not in clinical
    assert coach.endswith("?")


async def test_the_style_is_asked_for_once_and_taken_over(session: Session) -> None:
    session.start("learn to juggle")
    (question,) = (await session.data("preference_probe"))["questions"]
    assert (await session.data("preference_probe"))["questions"] == []
    goal = session.state.goal.model_copy(update={"answers": {question["question"]: "coach"}})
    session.change(goal=goal)
    assert (await session.data("preference_probe"))["conversation_style"] == "coach"
    assert session.state.interaction_policy.conversation_style == "coach"
    assert session.state.policy_was_given


async def test_a_known_style_is_not_asked_for(session: Session) -> None:
    session.start("learn to juggle", policy={"conversation_style": "concise"})
    result = await session.call("preference_probe")
    assert result.signal is None
    assert result.artifacts["data"]["questions"] == []


@pytest.mark.parametrize(
    ("preference", "asked", "confidence", "offered"),
    [
        ("on_demand", False, 0.1, False),
        ("on_demand", True, 0.9, True),
        ("suggest_when_uncertain", False, 0.9, False),
        ("suggest_when_uncertain", False, 0.6, True),
        ("always_offer", False, 1.0, True),
    ],
)
async def test_ideas_come_when_they_are_wanted(
    session: Session, preference: str, asked: bool, confidence: float, offered: bool
) -> None:
    session.start("learn to juggle", policy={"brainstorming_preference": preference})
    data = await session.data("brainstormer", ideas=["Use scarves", "use scarves"], asked=asked, confidence=confidence)
    assert data["offered"] is offered
    assert data["ideas"] == (["Use scarves"] if offered else [])


@pytest.mark.parametrize(
    ("cadence", "asked"),
    [
        ("single_final", {"final"}),
        ("milestone_approvals", {"outline", "final"}),
        ("strict_every_step", {"outline", "roadmap", "final"}),
    ],
)
async def test_approvals_come_as_often_as_the_user_likes(planned: Session, cadence: str, asked: set[str]) -> None:
    policy = planned.state.interaction_policy.model_copy(update={"approval_policy": cadence})
    planned.change(interaction_policy=policy)
    outcomes = {
        step: (await planned.data("approval_handler", step=step))["outcome"] for step in ("outline", "roadmap", "final")
    }
    assert {step for step, outcome in outcomes.items() if outcome == "no_response"} == asked
    assert not planned.state.schedule_approved
    assert "approve" in (planned.state.response_text or "")


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("approve", "approved"),
        ("Yes, please", "approved"),
        ("approve, but not on Mondays", "rejected"),
        ("no", "rejected"),
    ],
)
async def test_only_a_yes_is_a_yes(planned: Session, words: str, outcome: str) -> None:
    data = await planned.data("approval_handler", step="final", feedback=words)
    assert data["outcome"] == outcome
    assert planned.state.schedule_approved is (outcome == "approved")

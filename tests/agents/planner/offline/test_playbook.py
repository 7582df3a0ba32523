"""The playbook plays every stage: each tool once, then words; it never loops and never raises."""

import json
from typing import Any

import pytest

from loopwright.agents.planner.offline.playbook import PLAYBOOK
from loopwright.agents.planner.tools.context_elicitor import ContextElicitorParameters
from loopwright.agents.planner.tools.dependency_resolver import DependencyResolverParameters
from loopwright.agents.planner.tools.node_generator import NodeGeneratorParameters
from loopwright.agents.planner.tools.pattern_selector import PatternSelectorParameters
from loopwright.agents.planner.tools.roadmap_builder import RoadmapBuilderParameters
from loopwright.agents.planner.tools.schedule_generator import ScheduleGeneratorParameters
from loopwright.kernel.messages import Message, ToolCall
from loopwright.kernel.playbook import OfflineReply, OfflineRequest

GOAL = "learn Spanish to B1 by June, 5 hours a week, no Sundays"
TOOLS = (
    "pattern_selector", "node_generator", "grammar_validator", "context_elicitor", "dependency_resolver",
    "roadmap_builder", "schedule_generator", "portfolio_probe", "approval_handler", "summarizer", "brainstormer",
    "option_crafter", "preference_probe",
)  # fmt: skip
MODELS: dict[str, Any] = {
    "pattern_selector": PatternSelectorParameters,
    "context_elicitor": ContextElicitorParameters,
    "node_generator": NodeGeneratorParameters,
    "dependency_resolver": DependencyResolverParameters,
    "roadmap_builder": RoadmapBuilderParameters,
    "schedule_generator": ScheduleGeneratorParameters,
}
EXPECTED = {
    "collect-context": ["pattern_selector", "context_elicitor"],
    "draft-outline": ["pattern_selector", "node_generator", "grammar_validator"],
    "draft-roadmap": ["dependency_resolver", "roadmap_builder"],
    "draft-schedule": ["schedule_generator", "portfolio_probe"],
    "seek-approval": ["approval_handler"],
}


def system(stage: str, **state: Any) -> Message:
    """The system prompt of a stage."""
    shown = {"stage": stage, "goal_text": GOAL, "today": "2026-11-23", "zone": "Europe/Berlin", "tools": TOOLS, **state}
    return Message.system(f"[task: planner/{stage}]\nRules.\n<planning_state>\n{json.dumps(shown)}\n</planning_state>")


def play(
    stage: str, said: str = GOAL, result: str = '{"ok": true, "data": {}}', **state: Any
) -> tuple[list[str], OfflineReply]:
    """Play a stage to its end: the tools called, and the last reply."""
    messages, called = [system(stage, **state), Message.user(said)], []
    for turn in range(12):
        reply = PLAYBOOK.answer(OfflineRequest(f"planner/{stage}", messages, TOOLS))
        if not reply.tool_calls:
            return called, reply
        calls = [ToolCall(id=f"c{turn}", name=name, arguments=json.dumps(args)) for name, args in reply.tool_calls]
        for name, arguments in reply.tool_calls:
            called.append(name)
            if name in MODELS:
                MODELS[name].model_validate(json.loads(json.dumps(arguments)))
        messages += [Message.assistant(reply.text, calls), *(Message.tool(one.id, result) for one in calls)]
    raise AssertionError(f"{stage} does not end: {called}")


@pytest.mark.parametrize("stage", sorted(EXPECTED))
def test_a_stage_calls_its_tools_once_and_ends_with_words(stage: str) -> None:
    called, last = play(stage)
    assert called == EXPECTED[stage]
    assert last.text


@pytest.mark.parametrize("stage", sorted(EXPECTED))
def test_after_a_failure_it_ends_with_words_and_does_not_loop(stage: str) -> None:
    called, last = play(stage, result='{"ok": false, "explanations": ["no such thing"]}')
    assert len(called) == 1
    assert "no such thing" in last.text


def reply_of(stage: str, said: str = GOAL, **state: Any) -> dict[str, Any]:
    """The arguments of the first call."""
    request = OfflineRequest(f"planner/{stage}", [system(stage, **state), Message.user(said)], TOOLS)
    ((_, arguments),) = PLAYBOOK.answer(request).tool_calls
    return dict(arguments)


def test_the_facts_of_the_goal_reach_the_tools() -> None:
    facts = reply_of("collect-context")["facts"]
    assert facts["deadline"] == "2027-06-01"
    assert facts["hours_per_week"] == 5
    assert "Sun" not in facts["hours"]


def test_what_the_user_has_set_wins_over_the_text() -> None:
    facts = reply_of("collect-context", deadline="2027-03-01", hours_per_week=2)["facts"]
    assert facts["deadline"] == "2027-03-01"
    assert facts["hours_per_week"] == 2


def test_what_was_understood_of_a_day_still_counts_when_the_outline_is_drafted() -> None:
    facts = {"understood": ["hours", "hours_per_week"], "minutes_per_day": 30}
    goal = "learn to play the piano, half an hour every day"
    pattern = {"pattern_type": "progressive_accumulation_arc"}
    outline = reply_of("draft-outline", goal, goal_text=goal, facts=facts, hours_per_week=3.5, pattern=pattern)
    whole = [node for node in outline["outline"]["nodes"] if node["type"] == "task" and not node.get("splittable")]
    assert whole
    assert max(node["estimated_minutes"] for node in whole) <= 30


def test_answers_are_read_like_the_goal() -> None:
    answers = {
        "By when do you want to be there?": "in 10 weeks",
        "How many hours a week can you really give to it?": "3",
    }
    facts = reply_of("collect-context", goal_text="learn Spanish", answers=answers)["facts"]
    assert facts["deadline"] == "2027-01-31"
    assert facts["hours_per_week"] == 3


def test_a_proposed_subtype_comes_with_its_rationale_until_it_is_rejected() -> None:
    text = "keep a daily health routine, subtype proposed:daily_health_protocol_v2"
    call = reply_of("collect-context", goal_text=text)
    assert call["subtype"] == "proposed:daily_health_protocol_v2"
    assert "daily health protocol v2" in call["rfc"]
    assert reply_of("collect-context", goal_text=text, rfc_decision="rejected")["subtype"] == "protocol_routine"


def test_the_style_is_asked_for_only_where_questions_are_liked_and_it_is_unknown() -> None:
    assert "preference_probe" in play("collect-context", policy={"probing_depth": 3})[0]
    assert "preference_probe" not in play("collect-context", policy={"probing_depth": 3}, policy_was_given=True)[0]
    assert "preference_probe" not in play("collect-context", policy={"probing_depth": 1})[0]


def test_a_draft_that_was_sent_back_is_mended_and_a_wish_changes_the_outline() -> None:
    called, _ = play("draft-outline", has_outline=True, violations=["something"], pattern={"pattern_type": "x"})
    assert called == ["grammar_validator"]
    pattern = {"pattern_type": "progressive_accumulation_arc"}
    before = reply_of("draft-outline", pattern=pattern)["outline"]["nodes"]
    after = reply_of("draft-outline", "propose changes: skip the graded readers", pattern=pattern)["outline"]["nodes"]
    assert len(after) == len(before) - 1
    less = reply_of("draft-outline", "only 2 hours a week please", pattern=pattern)["outline"]
    assert less["available_minutes"] < 2 * 60 * 28


def test_another_pattern_than_the_familys_is_respected() -> None:
    outline = reply_of("draft-outline", pattern={"pattern_type": "milestone_project"})["outline"]
    assert outline["pattern"]["pattern_type"] == "milestone_project"
    assert {node["type"] for node in outline["nodes"]} == {"goal", "phase", "task"}


def test_a_change_of_a_running_plan_is_answered_as_json() -> None:
    rows = [{"node_id": "a", "title": "Book the venue"}]
    _, last = play("replan", "I lost Tuesday", schedule_summary=rows)
    assert json.loads(last.text)["kind"] == "lost_days"


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [Message.system("nothing")],
        [Message.system("<planning_state>{broken</planning_state>")],
        [Message.system("<planning_state>{}</planning_state>")],
        [Message.system('<planning_state>{"goal_text": 3, "today": "soon", "answers": [1]}</planning_state>')],
        [system("x", goal_text=""), Message.user("")],
        [system("x", goal_text="a" * 1_000_000, today=None, deadline="2020-01-01", hours="gibberish")],
    ],
)
@pytest.mark.parametrize("stage", [*EXPECTED, "replan", "unheard-of"])
def test_it_answers_whatever_it_is_sent(stage: str, messages: list[Message]) -> None:
    request = OfflineRequest(f"planner/{stage}", messages, TOOLS)
    assert PLAYBOOK.answer(request) == PLAYBOOK.answer(request)


def test_it_says_which_tool_is_not_available() -> None:
    reply = PLAYBOOK.answer(OfflineRequest("planner/draft-roadmap", [system("draft-roadmap"), Message.user(GOAL)], ()))
    assert "dependency_resolver" in reply.text
    assert not reply.tool_calls

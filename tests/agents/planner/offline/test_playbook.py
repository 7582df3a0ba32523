"""The playbook plays every stage: each tool once, then words; it never loops and never raises."""

import json
from typing import Any

import pytest

from loopwright.agents.planner.offline.playbook import PLAYBOOK
from loopwright.agents.planner.tools.options import ChooseWayParameters, PatternSelectorParameters
from loopwright.agents.planner.tools.questions import ContextElicitorParameters
from loopwright.agents.planner.tools.roadmap import NodeGeneratorParameters
from loopwright.kernel.messages import Message, ToolCall
from loopwright.kernel.offline import OfflineReply, OfflineRequest

GOAL = "learn Spanish to B1 by June, 5 hours a week, no Sundays"
TOOLS = (
    "pattern_selector", "node_generator", "grammar_validator", "context_elicitor", "dependency_resolver",
    "roadmap_builder", "schedule_generator", "portfolio_probe", "approval_handler", "summarizer", "brainstormer",
    "option_crafter", "preference_probe", "choose_way",
)  # fmt: skip
MODELS: dict[str, Any] = {
    "pattern_selector": PatternSelectorParameters,
    "context_elicitor": ContextElicitorParameters,
    "node_generator": NodeGeneratorParameters,
    "choose_way": ChooseWayParameters,
}
READ = {"goal_text": GOAL, "facts": {"days": [0, 1, 2, 3, 4, 5]}}
"""The goal, and its days as the controller has read them: "no Sundays"."""
EXPECTED = {
    "COLLECT_CONTEXT": ["context_elicitor", "pattern_selector"],
    "DRAFT_OUTLINE": ["node_generator"],
}


def system(stage: str, **state: Any) -> Message:
    """The system prompt of a stage."""
    shown = {"stage": stage, "today": "2026-11-23", "zone": "Europe/Berlin", "tools": TOOLS, **READ, **state}
    return Message.system(f"[task: planner/{stage}]\nRules.\n<planning_state>\n{json.dumps(shown)}\n</planning_state>")


def play(
    stage: str, said: str = GOAL, result: str = '{"ok": true, "data": {}}', **state: Any
) -> tuple[list[str], OfflineReply]:
    """Play a stage until its last tool was called, or words were said: the tools called, and the last reply."""
    messages, called = [system(stage, **state), Message.user(said)], []
    for turn in range(12):
        reply = PLAYBOOK.answer(OfflineRequest("planner/system", messages, TOOLS))
        calls = [ToolCall(id=f"c{turn}", name=name, arguments=json.dumps(args)) for name, args in reply.tool_calls]
        for name, arguments in reply.tool_calls:
            called.append(name)
            if name in MODELS:
                MODELS[name].model_validate(json.loads(json.dumps(arguments)))
        failed = '"ok": false' in result
        if not reply.tool_calls or (not failed and called[-1] in ("pattern_selector", "node_generator")):
            return called, reply
        messages += [Message.assistant(reply.text, calls), *(Message.tool(one.id, result) for one in calls)]
    raise AssertionError(f"{stage} does not end: {called}")


@pytest.mark.parametrize("stage", sorted(EXPECTED))
def test_a_stage_calls_its_tools_once(stage: str) -> None:
    called, _ = play(stage)
    assert called == EXPECTED[stage]


@pytest.mark.parametrize("stage", sorted(EXPECTED))
def test_after_a_failure_it_ends_with_words_and_does_not_loop(stage: str) -> None:
    called, last = play(stage, result='{"ok": false, "explanations": ["no such thing"]}')
    assert len(called) == 1
    assert "no such thing" in last.text


def reply_of(stage: str, said: str = GOAL, **state: Any) -> dict[str, Any]:
    """The arguments of the first call."""
    request = OfflineRequest(f"planner/{stage}", [system(stage, **state), Message.user(said)], TOOLS)
    (_, arguments) = PLAYBOOK.answer(request).tool_calls[-1]
    return dict(arguments)


def pattern_of(said: str = GOAL, **state: Any) -> dict[str, Any]:
    """What is told of the pattern, once the questions are asked."""
    asked = Message.assistant("", [ToolCall(id="c", name="context_elicitor", arguments="{}")])
    messages = [system("COLLECT_CONTEXT", **state), Message.user(said), asked, Message.tool("c", '{"ok": true}')]
    ((_, arguments),) = PLAYBOOK.answer(OfflineRequest("planner/system", messages, TOOLS)).tool_calls
    return dict(arguments)


def test_the_facts_of_the_goal_reach_the_tools() -> None:
    facts = reply_of("COLLECT_CONTEXT", deadline="2027-06-01")["facts"]
    assert facts["deadline"] == "2027-06-01"
    assert facts["hours_per_week"] == 5
    assert "Sun" not in facts["hours"]


def test_what_the_user_has_set_wins_over_the_text() -> None:
    facts = reply_of("COLLECT_CONTEXT", deadline="2027-03-01", hours_per_week=2)["facts"]
    assert facts["deadline"] == "2027-03-01"
    assert facts["hours_per_week"] == 2


def test_what_was_understood_of_a_day_still_counts_when_the_outline_is_drafted() -> None:
    facts = {"understood": ["hours", "hours_per_week"], "minutes_per_day": 30}
    goal = "learn to play the piano, half an hour every day"
    pattern = {"pattern_type": "progressive_accumulation_arc"}
    outline = reply_of("DRAFT_OUTLINE", goal, goal_text=goal, facts=facts, hours_per_week=3.5, pattern=pattern)
    whole = [node for node in outline["outline"]["nodes"] if node["type"] == "task" and not node.get("splittable")]
    assert whole
    assert max(node["estimated_minutes"] for node in whole) <= 30


def test_answers_are_read_like_the_goal() -> None:
    answers = {
        "By when do you want to be there?": "in 10 weeks",
        "How many hours a week can you really give to it?": "3",
    }
    facts = reply_of("COLLECT_CONTEXT", goal_text="learn Spanish", answers=answers)["facts"]
    assert facts["deadline"] == "2027-01-31"
    assert facts["hours_per_week"] == 3


def test_a_proposed_subtype_comes_with_its_rationale_until_it_is_rejected() -> None:
    text = "keep a daily health routine, subtype proposed:daily_health_protocol_v2"
    call = pattern_of(goal_text=text)
    assert call["subtype"] == "proposed:daily_health_protocol_v2"
    assert "daily health protocol v2" in call["rfc"]
    assert pattern_of(goal_text=text, rfc_decision="rejected")["subtype"] == "protocol_routine"


def test_the_style_is_asked_for_only_where_questions_are_liked_and_it_is_unknown() -> None:
    assert "preference_probe" in play("COLLECT_CONTEXT", policy={"probing_depth": 3})[0]
    assert "preference_probe" not in play("COLLECT_CONTEXT", policy={"probing_depth": 3}, policy_was_given=True)[0]
    assert "preference_probe" not in play("COLLECT_CONTEXT", policy={"probing_depth": 1})[0]


def test_a_draft_that_was_sent_back_is_mended_and_a_wish_changes_the_outline() -> None:
    called, _ = play("DRAFT_OUTLINE", has_outline=True, violations=["something"], pattern={"pattern_type": "x"})
    assert called == ["grammar_validator"]
    pattern = {"pattern_type": "progressive_accumulation_arc"}
    before = reply_of("DRAFT_OUTLINE", pattern=pattern)["outline"]["nodes"]
    after = reply_of("DRAFT_OUTLINE", "propose changes: skip the graded readers", pattern=pattern)["outline"]["nodes"]
    assert len(after) == len(before) - 1
    less = reply_of("DRAFT_OUTLINE", "only 2 hours a week please", pattern=pattern)["outline"]
    assert less["available_minutes"] < 2 * 60 * 28


def test_another_pattern_than_the_familys_is_respected() -> None:
    outline = reply_of("DRAFT_OUTLINE", pattern={"pattern_type": "milestone_project"})["outline"]
    assert outline["pattern"]["pattern_type"] == "milestone_project"
    assert {node["type"] for node in outline["nodes"]} == {"goal", "phase", "task"}


def test_a_way_that_the_user_asks_for_goes_with_the_outline() -> None:
    goal = f"{GOAL}, as soon as possible"
    request = OfflineRequest("planner/system", [system("DRAFT_OUTLINE", goal_text=goal), Message.user(goal)], TOOLS)
    (way, handed_in) = PLAYBOOK.answer(request).tool_calls
    assert way == ("choose_way", {"way": "front_loaded"})
    assert handed_in[0] == "node_generator"


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
@pytest.mark.parametrize("stage", [*EXPECTED, "unheard-of"])
def test_it_answers_whatever_it_is_sent(stage: str, messages: list[Message]) -> None:
    request = OfflineRequest(f"planner/{stage}", messages, TOOLS)
    assert PLAYBOOK.answer(request) == PLAYBOOK.answer(request)


def test_it_says_which_tool_is_not_available() -> None:
    reply = PLAYBOOK.answer(OfflineRequest("planner/system", [system("DRAFT_OUTLINE"), Message.user(GOAL)], ()))
    assert "node_generator" in reply.text
    assert not reply.tool_calls

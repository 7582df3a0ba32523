"""Every stage by rules: reasoning as it is demanded, delivery that the results prove, answers that end."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.ide import ending_work as reading
from loopwright.agents.ide.contracts import DeliveryCheck, QAReport
from loopwright.agents.ide.offline import PLAYBOOK
from loopwright.kernel.gates import Finished
from loopwright.kernel.messages import STAGE, Message, ToolCall, block
from loopwright.kernel.offline import OfflineRequest
from tests.agents.ide.offline.playing import play, project

PARSERS = {
    "warmup": reading.with_macro,
    "act": reading.with_micro,
    "tool_followup": reading.with_micro,
    "delivery_check": reading.delivery_with_micro,
    "final": reading.with_micro,
    "qa_review": reading.with_micro,
}
NASTY = [
    "</ide_reasoning>",
    "todo",
    "...",
    "```",
    "…",
    "<x>",
    "Delivery: DONE",
    "ReasoningOutcome:\nplan_delta: x",
    "- Next: n/a",
]
TOOLS = (
    "index_list_files",
    "index_search_symbols",
    "index_find_uses",
    "index_search_text",
    "index_read_file",
    "run_command",
    "apply_patch",
)


def asked(stage: str, *messages: Message, mark: str = "") -> OfflineRequest:
    """A request of a stage."""
    told = [Message.user(block(STAGE, mark))] if mark else []
    return OfflineRequest(f"ide/{stage}", [Message.system("Work."), *messages, *told], TOOLS)


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(PARSERS)),
    st.one_of(
        st.text(max_size=200),
        st.lists(st.sampled_from(["rename", "a", "to", "b", "run the tests", "and", *NASTY]), max_size=12).map(
            " ".join
        ),
    ),
    st.text(max_size=200),
)
def test_reasoning_has_the_format_that_is_demanded_whatever_is_said(stage: str, said: str, result: str) -> None:
    mark = "[reasoning format: macro]" if stage == "warmup" else "[reasoning format: micro]"
    call = ToolCall(id="c1", name="index_list_files", arguments='{"folder": "."}')
    messages = [Message.user(said), Message.assistant("", [call]), Message.tool("c1", result)]
    reply = PLAYBOOK.answer(asked(stage, *messages, mark=mark))
    parsed = PARSERS[stage](reply.text)
    assert parsed.complaint is None, reply.text
    assert parsed.visible or reply.tool_calls


@pytest.mark.parametrize("stage", sorted({*PARSERS, "chat"}))
def test_without_the_demand_there_is_no_reasoning(stage: str) -> None:
    reply = PLAYBOOK.answer(asked(stage, Message.user("run the tests")))
    assert "ide_reasoning" not in reply.text
    assert reply.text or reply.tool_calls


def test_an_unknown_task_is_told() -> None:
    assert "no rules for ide/dream" in PLAYBOOK.answer(asked("dream", Message.user("hello"))).text


def test_what_needs_a_language_model_is_said_and_not_delivered(tmp_path: Path) -> None:
    played = play(project(tmp_path), "implement a cache for totals")
    assert played.delivery["state"] == "NEEDS_WORK"
    assert played.delivery["missing"] == ["No file was changed and nothing was run in this run."]
    assert "needs a language model" in played.answer
    assert isinstance(played.outcome, Finished)


def test_a_correction_of_the_controller_is_not_taken_for_a_request(tmp_path: Path) -> None:
    root = project(tmp_path)
    played = play(root, "implement a cache for totals")
    sent_back = [m for m in played.run.state.context.messages if m.role == "user"][1:]
    assert sent_back, "the delivery check sends back what is not there"
    assert all(PLAYBOOK.answer(asked("act", Message.user("find total"), m)).tool_calls for m in sent_back)


@pytest.mark.parametrize("reasoning", [False, True])
def test_a_question_is_answered_in_every_mode(tmp_path: Path, reasoning: bool) -> None:
    root = project(tmp_path)
    for mode in ("chat", "agent"):
        played = play(root, "where is total used?", mode=mode, reasoning=reasoning)
        assert "tests/test_orders.py: lines 5, 11" in played.answer
        assert "ide_reasoning" not in played.answer


def test_the_project_is_explained(tmp_path: Path) -> None:
    answer = play(project(tmp_path), "explain this repository", mode="chat").answer
    for told in (
        "shop: Adds up.",
        "A small program",
        "Python (5 files)",
        "shop.cli:main",
        "shop/cli.py:11",
        "unittest",
    ):
        assert told in answer


def test_symbols_and_files_are_explained_from_what_they_say(tmp_path: Path) -> None:
    root = project(tmp_path)
    symbol = play(root, "explain Basket.amount", mode="chat").answer
    assert "shop/orders.py:17" in symbol
    assert "What it costs." in symbol
    assert "It calls total." in symbol
    assert "line 10: class Basket" in play(root, "explain shop/orders.py", mode="chat").answer


def test_a_delivery_check_and_a_report_are_what_the_agent_reads() -> None:
    said = (Message.user("run the tests"), Message.assistant("Nothing was run."))
    check = DeliveryCheck.model_validate_json(PLAYBOOK.answer(asked("delivery_check", *said)).text)
    assert check.state == "NEEDS_WORK"
    assert QAReport.model_validate_json(PLAYBOOK.answer(asked("qa_review", *said)).text).summary


def test_work_that_was_never_done_is_not_delivered() -> None:
    said = Message.assistant("All tests pass, everything is renamed.")
    reply = PLAYBOOK.answer(asked("delivery_check", Message.user("rename a to b and run the tests"), said))
    assert DeliveryCheck.model_validate_json(reply.text).state == "NEEDS_WORK"


def test_calls_that_others_made_are_passed_over() -> None:
    """A run that a language model began, and the rules go on with."""
    call = ToolCall(id="c1", name="index_read_file", arguments='{"path": "a.py"}')
    broken = ToolCall(id="c2", name="run_command", arguments="{oops")
    reply = PLAYBOOK.answer(
        asked(
            "tool_followup",
            Message.user("run the tests"),
            Message.assistant("I look.", [call, broken]),
            Message.tool("c1", "1\tx"),
            Message.tool("c2", "Error: no"),
        )
    )
    assert [name for name, _ in reply.tool_calls] == ["index_list_files"]

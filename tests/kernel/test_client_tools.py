"""Tools that the client runs: the call is a gate, the answer is its result."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from loopwright.kernel.client_tools import MOST_RESULT_BYTES, check_result, overdue
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import Finished, Waiting, default_answers, read_answer
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.spec import Limits, Stage
from loopwright.kernel.testing import ScriptedModel, check_journal, resume_run, start_run
from tests.kernel.toys import answer, journal_of, play, stored, toy_spec
from tests.shape.source import ROOT
from tests.shape.test_readme import blocks
from tests.support.editor_agent import TOOLS

SELECTED = {"text": "x = 1", "line": 3}
CALL = [("get_selection", {"file": "a.py"})]


def spec(**more: Any) -> Any:
    return toy_spec(stages=[Stage("work", StagePolicy(frozenset({t.name for t in TOOLS})))], tools=TOOLS, **more)


async def waiting_at(call: Any = CALL, **more: Any) -> tuple[Any, Waiting]:
    run = start_run(spec(**more), ScriptedModel([call, "Done."]))
    outcome = await play(run)
    assert isinstance(outcome, Waiting)
    return run, outcome


async def test_the_client_is_told_name_and_arguments_and_its_answer_is_the_result():
    run, outcome = await waiting_at()
    (opened,) = stored(run, "gate_opened")
    assert (opened["kind"], opened["call_id"]) == ("client", "s1c1-call_0_0")
    assert opened["details"] == {"tool": "get_selection", "arguments": {"file": "a.py"}, "timeout_seconds": 60}
    run, outcome = await answer(run, outcome, {"result": SELECTED, "client": "the editor"})
    assert outcome == Finished("Done.")
    (result,) = stored(run, "tool_result")
    assert (result["success"], result["artifacts"]) == (True, SELECTED)
    assert result["output"] == '{"text": "x = 1", "line": 3}'
    assert stored(run, "gate_answered")[0]["answer"] == {"result": SELECTED, "client": "the editor"}
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_tool_without_a_declared_result_takes_any_json():
    run, outcome = await waiting_at([("open_file", {"file": "a.py"})])
    run, outcome = await answer(run, outcome, {"result": None})
    assert (stored(run, "tool_result")[0]["output"], outcome) == ("null", Finished("Done."))


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ({"error": "no file is open"}, "no file is open"),
        ({"decision": "reject"}, "the user did not allow it"),
        ({"decision": "reject", "comment": "not now"}, "not now"),
        (None, "get_selection is not available here"),
    ],
)
async def test_a_refusal_is_a_failed_result(refusal, told):
    run, outcome = await waiting_at()
    assert isinstance(outcome, Waiting)
    run, outcome = await answer(run, outcome, refusal or default_answers(outcome.gate))
    assert outcome == Finished("Done.")
    (result,) = stored(run, "tool_result")
    assert not result["success"]
    assert f"get_selection gave no result: {told}" in result["output"]


@pytest.mark.parametrize(
    "payload", [{}, {"decision": "approve"}, {"result": 1, "error": "x"}, {"answers": {}}, {"error": ""}, []]
)
async def test_what_is_neither_a_result_nor_an_error_is_not_taken(payload):
    _, outcome = await waiting_at()
    with pytest.raises(InvalidInput):
        read_answer(outcome.gate, payload)


def test_a_result_is_checked_against_what_the_tool_promises():
    check_result(TOOLS[0], {"result": SELECTED})
    check_result(TOOLS[0], {"error": "none"})
    with pytest.raises(InvalidInput, match="no result of get_selection:\n- line: Field required"):
        check_result(TOOLS[0], {"result": {"text": "x"}})
    with pytest.raises(InvalidInput, match="at most 1,000,000 bytes"):
        check_result(TOOLS[1], {"result": "x" * MOST_RESULT_BYTES})


async def test_a_result_that_does_not_fit_is_a_failed_call_wherever_it_came_from():
    run, outcome = await waiting_at()
    run, outcome = await answer(run, outcome, {"result": {"text": "x"}})
    assert "not what it declares: - line: Field required" in stored(run, "tool_result")[0]["output"]


async def test_an_answer_is_no_turn_of_the_user():
    run, outcome = await waiting_at(limits=Limits(max_turns=1))
    before = run.state.turns
    run, outcome = await answer(run, outcome, {"result": SELECTED})
    assert (run.state.turns, run.state.said) == (before, ["Do it."])


async def test_several_calls_are_asked_one_after_the_other():
    run, outcome = await waiting_at([*CALL, ("open_file", {"file": "b.py"})])
    run, outcome = await answer(run, outcome, {"result": SELECTED})
    assert isinstance(outcome, Waiting)
    assert outcome.gate.details["tool"] == "open_file"
    run, outcome = await answer(run, outcome, {"result": "opened"})
    assert outcome == Finished("Done.")


async def test_a_client_tool_can_be_called_from_a_script():
    pytest.importorskip("pydantic_monty")
    names = frozenset(tool.name for tool in TOOLS)
    own = toy_spec(stages=[Stage("work", StagePolicy(names, code=names))], tools=TOOLS)
    code = 'found = await get_selection("a.py")\nprint(found["line"] + 1)'
    run = start_run(own, ScriptedModel([[("run_code", {"code": code})], "Done."]))
    run, outcome = await answer(run, await play(run), {"result": SELECTED})
    assert outcome == Finished("Done.")
    assert stored(run, "tool_result")[-1]["output"] == "4"


async def test_a_call_is_overdue_when_its_time_has_run_out_and_no_other_gate_ever_is():
    run, outcome = await waiting_at()
    opened = datetime.now(UTC)
    assert not overdue(outcome.gate, opened, opened + timedelta(seconds=59))
    assert overdue(outcome.gate, opened, opened + timedelta(seconds=60))
    asked = start_run(spec(), ScriptedModel([[("ask_colour", {})]]))
    question = await play(asked)
    assert isinstance(question, Waiting)
    assert not overdue(question.gate, opened, opened + timedelta(days=1_000))
    assert resume_run(run).state.open_gate is not None


def test_the_document_shows_what_runs():
    (shown,) = blocks((ROOT / "docs" / "client-tools.md").read_text(encoding="utf-8"), "python")
    made: dict[str, Any] = {"__name__": "shown"}
    exec(shown, made)
    tool = made["get_selection"]
    assert tool.get_openai_schema()["function"]["parameters"]["required"] == ["file"]
    assert tool.gate(made["Where"](file="a.py")).details["timeout_seconds"] == 60
    check_result(tool, {"result": SELECTED})

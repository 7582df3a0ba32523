"""A tool that finds out in its middle that it needs a human's word: the run rests, and the call is made again."""

from typing import Any

import pytest

from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.gates import Finished, QuestionItem, Waiting
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.spec import Limits, Stage
from loopwright.kernel.testing import Death, MortalJournal, ScriptedModel, check_journal, resume_run, start_run
from loopwright.kernel.tools import GateRequest, ToolContext, ToolResult
from tests.kernel.toys import Params, Toy, World, answer, journal_of, play, stored, toy_spec

SIZE = GateRequest("questions", "The shop asks", questions=(QuestionItem(question="Size?", type="text"),))
GO_ON = GateRequest("permission", "Go on?", details={"half": "done"})


class Order(Toy):
    """Asks for the size in its middle."""

    name, effect = "order", "once"
    request = SIZE

    async def act(self, params: Params, ctx: ToolContext[World]) -> Any:
        if ctx.answer is None or ctx.shown != self.request.details:  # an answer may be to the permission before it
            return self.request
        return ToolResult(success=True, output=f"{params.thing}: {ctx.answer}")


class Lookup(Order):
    name, effect = "lookup", "pure"


class Confirm(Order):
    name, request = "confirm", GO_ON


TOOLS = (Order(), Lookup(), Confirm())
SPEC = toy_spec(
    stages=[Stage("work", StagePolicy(frozenset(t.name for t in TOOLS), permission=frozenset({"confirm"})))],
    tools=TOOLS,
)


@pytest.fixture(autouse=True)
def nothing_stays_armed():
    yield
    disarm()


async def test_a_once_call_asks_in_its_middle_and_goes_on_with_the_answer():
    model, world = ScriptedModel([[("order", {"thing": "tea"})], "Done."]), World()
    run = start_run(SPEC, model, services=world)
    outcome = await play(run)
    assert isinstance(outcome, Waiting)
    assert outcome.gate.asked_by_call
    _, outcome = await answer(run, outcome, {"0": "large"})
    assert outcome == Finished("Done.")
    assert model.requests[-1].messages[-1].content == "tea: {'answers': {'Size?': 'large'}}"
    assert world.count("order") == 2
    assert [started["attempt"] for started in stored(run, "tool_call")] == [1, 2]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_no_is_heard_by_the_call_and_permission_is_asked_before_it():
    model = ScriptedModel([[("confirm", {"thing": "tea"})], "Done."])
    run = start_run(SPEC, model, services=World())
    first = await play(run)
    run, second = await answer(run, first, {"decision": "approve"})
    assert isinstance(second, Waiting)
    assert second.gate.title == "Go on?"
    run, outcome = await answer(run, second, {"decision": "reject"})
    assert outcome == Finished("Done.")
    assert model.requests[-1].messages[-1].content == "tea: {'decision': 'reject'}"
    check_journal(journal_of(run).events[run.state.run_id])


async def test_calls_side_by_side_ask_one_after_the_other():
    calls = [("lookup", {"thing": "tea"}), ("lookup", {"thing": "milk"})]
    run = start_run(SPEC, ScriptedModel([calls, "Done."]), services=World())
    run, second = await answer(run, await play(run), {"0": "large"})
    run, outcome = await answer(run, second, {"0": "small"})
    assert outcome == Finished("Done.")
    assert [result["output"] for result in stored(run, "tool_result")] == [
        "tea: {'answers': {'Size?': 'large'}}",
        "milk: {'answers': {'Size?': 'small'}}",
    ]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_after_a_crash_behind_the_answer_a_once_call_is_not_repeated():
    model, world = ScriptedModel([[("order", {"thing": "tea"})], "Done."]), World()
    journal = MortalJournal()
    run = start_run(SPEC, model, services=world, journal=journal)
    outcome = await play(run)
    arm("calls.started", journal.die)
    with pytest.raises(Death):
        await answer(run, outcome, {"0": "large"})
    disarm()
    again = resume_run(run, journal=journal)
    assert await play(again) == Finished("Done.")
    assert "outcome is unknown" in model.requests[-1].messages[-1].content
    assert world.count("order") == 1


async def test_where_the_user_may_not_be_asked_again_the_call_says_so():
    model = ScriptedModel([[("order", {"thing": "tea"})], "Done."])
    run = start_run(toy_spec(stages=SPEC.stages, tools=TOOLS, limits=Limits(max_turns=1)), model, services=World())
    assert await play(run) == Finished("Done.")
    assert "asked as often" in model.requests[-1].messages[-1].content

"""How a run goes on and how it ends."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from loopwright.kernel.account.fold import nothing_told
from loopwright.kernel.errors import Conflict, ModelUnavailable
from loopwright.kernel.events import ModelResponse, RunResumed, RunStarted, RunWaitingInput
from loopwright.kernel.gates import Cancelled, Failed, Finished
from loopwright.kernel.loop import check_limits
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.spec import Limits, Parsed, Stage
from loopwright.kernel.state import RunState
from loopwright.kernel.testing import FailingModel, ScriptedModel, check_journal, resume_run, start_run
from tests.kernel.toys import NAMES, World, journal_of, play, stored, toy_spec, types


async def test_text_ends_the_run_after_one_step():
    model = ScriptedModel(["All done."])
    run = start_run(toy_spec(), model)
    assert await play(run) == Finished("All done.")
    model.assert_done()
    assert run.state.steps == 1
    assert run.state.status == "completed"
    assert stored(run, "run_completed") == [{"text": "All done.", "result": {}, "account": nothing_told()}]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_call_then_text_takes_two_steps():
    model = ScriptedModel([[("look", {"thing": "cup"})], "It is blue."])
    run = start_run(toy_spec(), model, services=World(things={"cup": "blue"}))
    assert await play(run) == Finished("It is blue.")
    assert run.state.steps == 2
    assert [m.role for m in model.requests[1].messages] == ["system", "user", "assistant", "tool"]
    assert model.requests[1].messages[-1].content == "blue"
    check_journal(journal_of(run).events[run.state.run_id])


async def test_endless_calls_end_at_max_steps():
    model = ScriptedModel([[("look", {"thing": "cup"})]] * 31)
    run = start_run(toy_spec(), model, services=World())
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "max_steps"
    assert "30 steps" in outcome.message
    assert outcome.hint
    assert len(model.requests) == 30
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_model_that_cannot_be_had_fails_the_run_with_its_message():
    run = start_run(toy_spec(), FailingModel())
    assert await play(run) == Failed("model_error", "the model is away", "")
    failure = {"code": "model_error", "message": "the model is away", "hint": "", "result": {}}
    assert stored(run, "run_failed") == [failure | {"account": nothing_told()}]


async def test_what_was_done_before_the_model_went_away_is_kept():
    model = ScriptedModel([[("put", {"thing": "cup", "value": "red"})], ModelUnavailable("gone", hint="wait")])
    run = start_run(toy_spec(), model, services=World())
    assert await play(run) == Failed("model_unavailable", "gone", "wait")
    assert stored(run, "tool_result")[0]["success"] is True
    check_journal(journal_of(run).events[run.state.run_id])


async def test_steps_in_which_every_call_fails_end_the_run():
    fails, works = [("break", {"thing": "it"})], [("look", {"thing": "cup"}), ("break", {"thing": "it"})]
    model = ScriptedModel([fails, fails, works, fails, fails, fails])
    run = start_run(toy_spec(), model, services=World())
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "max_errors"
    model.assert_done()


async def test_cancelled_before_a_model_call_asks_nothing():
    model = ScriptedModel([])
    run = start_run(toy_spec(), model)
    journal_of(run).cancel_requested.add(run.state.run_id)
    assert await play(run) == Cancelled()
    assert types(run)[-1] == "run_cancelled"
    assert model.requests == []


async def test_cancelled_inside_a_model_call_breaks_it_off():
    class Hanging(ScriptedModel):
        async def complete(self, request, on_delta=None):
            asyncio.get_running_loop().call_soon(run.cancel)
            await asyncio.Event().wait()

    run = start_run(toy_spec(), Hanging([]))
    async with asyncio.timeout(60):
        assert await play(run) == Cancelled()
    check_journal(journal_of(run).events[run.state.run_id])


async def test_cancelled_after_a_model_call_runs_no_tool_and_keeps_the_answer():
    def cancels(request: ModelRequest):
        journal_of(run).cancel_requested.add(run.state.run_id)
        return [("send", {"thing": "letter"})]

    world = World()
    run = start_run(toy_spec(), ScriptedModel([cancels]), services=world)
    assert await play(run) == Cancelled()
    assert world.sent == []
    assert len(stored(run, "model_response")) == 1
    check_journal(journal_of(run).events[run.state.run_id])


async def test_cancelled_at_a_tool_boundary_runs_no_further_tool():
    calls = [("send", {"thing": "first"}), ("send", {"thing": "second"})]

    world = World()
    run = start_run(toy_spec(), ScriptedModel([calls]), services=world)
    world.sent = type("Watched", (list,), {"append": lambda self, x: (list.append(self, x), run.cancel())})()
    assert await play(run) == Cancelled()
    assert world.sent == ["first"]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_killed_owner_is_not_taken_for_a_cancelled_run():
    class Hanging(ScriptedModel):
        async def complete(self, request, on_delta=None):
            await asyncio.Event().wait()

    run = start_run(toy_spec(), Hanging([]))
    task = asyncio.create_task(play(run))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "run_cancelled" not in types(run)


async def test_wall_time_ends_the_run():
    run = start_run(toy_spec(limits=Limits(wall_seconds=0)), ScriptedModel([]))
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "wall_time"


def test_wall_time_counts_active_time_only():
    noon = datetime(2025, 1, 1, 12, tzinfo=UTC)

    def at(minutes: float) -> datetime:
        return noon + timedelta(minutes=minutes)

    state = RunState("r")
    state.apply(RunStarted(owner="a"), at(0))
    state.apply(RunWaitingInput(gate_id="g"), at(2))
    assert state.active_seconds_at(at(100)) == 120
    state.apply(RunResumed(owner="b", reason="answered"), at(100))
    assert state.active_seconds_at(at(101)) == 180


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        (ModelResponse(text="Half an ans", finish_reason="length"), "cut off"),
    ],
)
async def test_an_unusable_answer_is_sent_back(reply, said):
    model = ScriptedModel([reply, "Better."])
    run = start_run(toy_spec(), model)
    assert await play(run) == Finished("Better.")
    assert said in model.requests[1].messages[-1].content
    assert stored(run, "controller_message")[0]["text"] == model.requests[1].messages[-1].content
    check_journal(journal_of(run).events[run.state.run_id])


async def test_nothing_is_taken_out_of_a_text_that_was_cut():
    """What it holds is said again with the whole of it; half of it would pass for all."""
    absorbed: list[str] = []

    async def absorb(run, records):
        absorbed.extend(records)
        return []

    def recording(text: str) -> Parsed:
        return Parsed(text, text, records=(text,))

    stage = Stage("work", StagePolicy(NAMES), parser=recording)
    model = ScriptedModel([ModelResponse(text="One, tw", finish_reason="length"), "One, two."])
    run = start_run(toy_spec(stages=[stage], absorb=absorb), model)
    assert await play(run) == Finished("One, two.")
    assert absorbed == ["One, two."]


async def test_a_parser_may_complain():
    def shouting_only(text: str) -> Parsed:
        return Parsed(text, text, complaint=None if text.isupper() else "Shout.")

    stage = Stage("work", StagePolicy(NAMES), parser=shouting_only)
    model = ScriptedModel(["hello", "HELLO"])
    run = start_run(toy_spec(stages=[stage]), model)
    assert await play(run) == Finished("HELLO")
    assert model.requests[1].messages[-1].content == "Shout."


async def test_a_complaint_beside_tool_calls_follows_their_results():
    def grumbling(text: str) -> Parsed:
        return Parsed(text, text, complaint="No block was found." if text else None, signal="text")

    stage = Stage("work", StagePolicy(NAMES), parser=grumbling)
    calls = [ToolCall(id="a", name="look", arguments='{"thing": "cup"}')]
    model = ScriptedModel([ModelResponse(text="Looking.", tool_calls=calls), ""])
    run = start_run(toy_spec(stages=[stage], limits=Limits(refusals=0)), model, services=World())
    await play(run)
    assert [m.role for m in model.requests[1].messages] == ["system", "user", "assistant", "tool", "user"]
    assert model.requests[1].messages[-1].content == "No block was found."
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_refused_transition_is_sent_back_with_the_reason():
    async def not_yet(run):
        return None if run.state.steps > 1 else "Write the summary first."

    from loopwright.kernel.policy import COMPLETE, Transition

    model = ScriptedModel(["Done.", "Really done."])
    run = start_run(toy_spec(transitions=[Transition("work", "text", COMPLETE, not_yet)]), model)
    assert await play(run) == Finished("Really done.")
    assert model.requests[1].messages[-1].content == "Write the summary first."


async def test_sending_back_has_a_cap():
    model = ScriptedModel([""] * 4)
    run = start_run(toy_spec(limits=Limits(refusals=3)), model)
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "no_usable_answer"
    assert "empty" in outcome.message
    model.assert_done()
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_run_that_is_over_is_not_entered_again():
    run = start_run(toy_spec(), ScriptedModel(["Done."]))
    await play(run)
    with pytest.raises(Conflict, match="completed"):
        await play(resume_run(run, ScriptedModel([])))
    check_journal(journal_of(run).events[run.state.run_id])


async def test_limits_leave_open_calls_alone():
    run = start_run(
        toy_spec(limits=Limits(max_steps=1)),
        ScriptedModel([[("ask_user", {"questions": [{"question": "Which?", "type": "text"}]})]]),
        services=World(),
    )
    await play(run)
    assert run.state.open_calls
    assert check_limits(run) is None


async def test_cancelled_inside_a_tools_model_call_breaks_that_off_too():
    """A slow model must not keep the user waiting: the tool is let go, and its result says so."""

    class Slow(ScriptedModel):
        async def complete(self, request: ModelRequest, on_delta=None):
            if len(self.requests) == 1:
                asyncio.get_running_loop().call_soon(run.cancel)
                await asyncio.Event().wait()
            return await super().complete(request, on_delta)

    run = start_run(toy_spec(), Slow([[("draft", {"thing": "letter"})]]), services=World())
    async with asyncio.timeout(60):
        assert await play(run) == Cancelled()
    assert types(run)[-3:] == ["tool_call", "tool_result", "run_cancelled"]
    check_journal(journal_of(run).events[run.state.run_id])

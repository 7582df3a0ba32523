"""The user's cancellation reaches the call that is under way, and its result says what became of it."""

import asyncio
import contextlib
import time

import pytest

from loopwright.kernel.budget import Budget
from loopwright.kernel.gates import Cancelled
from loopwright.kernel.messages import Message
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult, Limits, Stage
from loopwright.kernel.testing import ScriptedModel, check_journal, start_run
from loopwright.kernel.tools import ToolResult
from tests.kernel.toys import TOOLS, Toy, World, journal_of, play, stored, toy_spec


class Nap(Toy):
    """Sleeps for a minute."""

    name, effect = "nap", "once"

    def __init__(self) -> None:
        self.began = asyncio.Event()

    async def act(self, params, ctx):
        self.began.set()
        await asyncio.sleep(60)
        raise AssertionError("nobody woke it")


class TidyNap(Nap):
    """Says what it dropped."""

    async def act(self, params, ctx):
        try:
            return await super().act(params, ctx)
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)
            return ToolResult.failure("Stopped; 3 files were dropped.")


class DeafNap(Nap):
    """Does not let itself be stopped."""

    async def act(self, params, ctx):
        self.began.set()
        while not ctx.db.things.get("over"):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.02)
        raise AssertionError("ended by the test")


class DeafReader(DeafNap):
    """A deaf one that changes nothing."""

    effect = "pure"


def napping(tool: Nap, calls: int = 1, **more) -> AgentRun:
    tools = (tool, *TOOLS)
    work = Stage("work", StagePolicy(frozenset(each.name for each in tools)))
    script = [[(tool.name, {"thing": str(number)}) for number in range(calls)]]
    return start_run(toy_spec(tools=tools, stages=[work], **more), ScriptedModel(script), services=World())


async def cancelled_run(run: AgentRun, tool: Nap, times: int = 1) -> float:
    """Seconds from the cancellation to the end of the run."""
    playing = asyncio.create_task(play(run))
    await tool.began.wait()
    began = time.monotonic()
    for _ in range(times):
        run.cancel()
        await asyncio.sleep(0.01)
    async with asyncio.timeout(10):
        assert await playing == Cancelled()
    check_journal(journal_of(run).events[run.state.run_id])
    return time.monotonic() - began


async def test_a_call_that_sleeps_is_cancelled_and_has_a_result():
    tool = Nap()
    run = napping(tool)
    assert await cancelled_run(run, tool) < 1
    (result,) = stored(run, "tool_result")
    assert not result["success"]
    assert "cancelled" in result["output"]
    assert "unknown" not in result["output"]


@pytest.mark.parametrize("times", [1, 4])
async def test_a_tool_that_tidies_up_says_what_it_dropped(times):
    """It is told once: a second word must not break its clearing up."""
    tool = TidyNap()
    run = napping(tool)
    assert await cancelled_run(run, tool, times) < 1
    assert [result["error"] for result in stored(run, "tool_result")] == ["Stopped; 3 files were dropped."]


@pytest.mark.parametrize(("kind", "unknown"), [(DeafNap, True), (DeafReader, False)])
async def test_a_tool_that_does_not_stop_is_abandoned(kind, unknown, caplog):
    tool = kind()
    run = napping(tool)
    assert 1.5 < await cancelled_run(run, tool) < 4
    (result,) = stored(run, "tool_result")
    assert not result["success"]
    assert ("outcome is unknown" in result["output"]) is unknown
    run.services.things["over"] = "yes"
    await asyncio.sleep(0.1)
    assert "ended by the test" in caplog.text  # what it came to later is logged, never lost


async def test_calls_side_by_side_are_all_reached_and_those_that_waited_never_run():
    class Quiet(TidyNap):
        effect = "pure"

    tool = Quiet()
    run = napping(tool, calls=5, limits=Limits(concurrency=2))
    assert await cancelled_run(run, tool) < 1
    results = stored(run, "tool_result")
    assert sum("3 files" in result["output"] for result in results) == 2
    assert sum("Not run" in result["output"] for result in results) == 3


async def test_a_cancellation_that_an_append_hears_of_reaches_the_call_too():
    """Another process has set the flag; the call beside writes its result and is told."""

    class Recorder(Nap):
        async def act(self, params, ctx):
            run.journal.cancel_requested.add(run.state.run_id)
            self.began.set()
            await ctx.event_emitter.record(Budget(run.budget.limits).charge(run_usage(), 0.0))
            return await super().act(params, ctx)

    tool = Recorder()
    run = napping(tool)
    async with asyncio.timeout(5):
        assert await play(run) == Cancelled()
    assert len(stored(run, "tool_result")) == 1


def run_usage():
    from loopwright.kernel.events import Usage

    return Usage(prompt_tokens=1, completion_tokens=1)


async def test_a_cancelled_tool_gets_no_further_answer_of_the_model():
    class Stubborn(Nap):
        async def act(self, params, ctx):
            with contextlib.suppress(asyncio.CancelledError):
                await super().act(params, ctx)
            await ctx.llm_client.complete(ModelRequest([Message.user("and now?")], tier="fast"))
            raise AssertionError("the model was asked after the cancellation")

    tool = Stubborn()
    run = napping(tool)
    assert await cancelled_run(run, tool) < 1
    assert len(run.model.requests) == 1
    assert "cancelled" in stored(run, "tool_result")[0]["output"]


async def test_work_of_a_stage_is_cancelled():
    began = asyncio.Event()

    async def check(run: AgentRun) -> ActionResult:
        began.set()
        await asyncio.sleep(60)
        raise AssertionError("nobody woke it")

    stage = Stage("work", StagePolicy(frozenset()), action=check)
    run = start_run(toy_spec(stages=[stage]), ScriptedModel([]), services=World())
    playing = asyncio.create_task(play(run))
    await began.wait()
    run.cancel()
    async with asyncio.timeout(2):
        assert await playing == Cancelled()


async def test_the_end_of_the_process_reaches_the_call_and_writes_nothing():
    """Whoever takes the run over finds the call as started, as after a crash."""
    tool = TidyNap()
    run = napping(tool)
    playing = asyncio.create_task(play(run))
    await tool.began.wait()
    playing.cancel()
    async with asyncio.timeout(2):
        await asyncio.wait({playing})
    assert playing.cancelled()
    assert len(stored(run, "tool_call")) == 1
    assert stored(run, "tool_result") == []

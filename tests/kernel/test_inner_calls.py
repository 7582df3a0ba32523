"""Tools that call tools, without a script: `ToolContext.tools`."""

import asyncio
from typing import Any

from loopwright.kernel.gates import Finished
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.testing import ScriptedModel, check_journal, start_run
from loopwright.kernel.tools import ToolResult
from tests.kernel.toys import NAMES, TOOLS, Look, Params, Toy, World, answer, journal_of, play, stored, toy_spec


def spec(*tools: Any) -> AgentSpec:
    """The toys and these, in the place of those that have their names."""
    named = frozenset(tool.name for tool in tools)
    policy = StagePolicy(NAMES | named, permission=frozenset({"pay"}))
    every = (*tools, *(tool for tool in TOOLS if tool.name not in named))
    return toy_spec(stages=[Stage("work", policy)], tools=every)


class Ledger(Toy):
    """A tool of an author that calls tools, without a script."""

    name, effect = "ledger", "idempotent"

    async def act(self, params: Params, ctx: Any) -> ToolResult:
        first, second = await ctx.tools.call(("look", {"thing": "a"}), ("look", {"thing": "b"}))
        return ToolResult(success=True, output=f"{first.output} and {second.output}")


class Unfit(Ledger):
    name, effect = "unfit", "once"


class Other(Ledger):
    """Calls something else each time."""

    name = "other"

    async def act(self, params: Params, ctx: Any) -> ToolResult:
        await ctx.tools.call(("put", {"thing": "n", "value": str(ctx.db.count("other"))}))
        await ctx.tools.call(("pay", {"thing": "x"}))
        return ToolResult(success=True, output="never")


async def test_any_tool_can_call_tools():
    world = World(things={"a": "1", "b": "2"})
    model = ScriptedModel([[("ledger", {"thing": "x"}), ("unfit", {"thing": "x"})], "Done."])
    run = start_run(spec(Ledger(), Unfit()), model, services=world)
    await play(run)
    results = {result["name"]: result["output"] for result in stored(run, "tool_result")}
    assert results["ledger"] == "1 and 2"
    assert "unfit calls tools: it must be idempotent" in results["unfit"]


async def test_a_tool_that_makes_other_calls_when_it_runs_again_is_stopped():
    model = ScriptedModel([[("other", {"thing": "x"})], "Done."])
    run = start_run(spec(Other()), model, services=World())
    run, outcome = await answer(run, await play(run), {"decision": "approve"})
    assert outcome == Finished("Done.")
    assert "other has made other calls than before" in stored(run, "tool_result")[-1]["output"]
    assert run.services.sent == []
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_tool_that_runs_out_of_time_closes_the_calls_that_it_has_made():
    class Impatient(Ledger):
        name, timeout_seconds = "ledger", 0.05

    class Slow(Look):
        async def act(self, params, ctx):
            await asyncio.sleep(30)
            raise AssertionError("it was not stopped")

    run = start_run(spec(Impatient(), Slow()), ScriptedModel([[("ledger", {"thing": "x"})], "Done."]), services=World())
    assert await play(run) == Finished("Done.")
    told = [result["output"] for result in stored(run, "tool_result")]
    assert len(told) == 3
    assert "ledger ended while look ran, so its outcome is unknown" in told[0]
    assert "did not finish within 0.05 seconds" in told[2]
    check_journal(journal_of(run).events[run.state.run_id])

"""Tools by name: their schemas, and execution that never raises."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from loopwright.kernel.emitter import RunEmitter, RunModel
from loopwright.kernel.errors import BudgetExceeded, InvalidInput, JournalUnavailable, StaleOwner
from loopwright.kernel.testing import ScriptedModel, start_run
from loopwright.kernel.tools import ToolContext, ToolRegistry, ToolResult
from tests.kernel.toys import TOOLS, Look, Put, Toy, World, toy_spec


@pytest.fixture
def ctx() -> ToolContext[World]:
    run = start_run(toy_spec(), ScriptedModel([]))
    return ToolContext(
        session_id="s",
        run_id="r",
        call_id="c",
        output_dir=Path(),
        db=World(things={"cup": "blue"}),
        settings={},
        event_emitter=RunEmitter(run, "c"),
        llm_client=RunModel(run, "c", "tool"),
    )


def raising(error: BaseException) -> ToolRegistry:
    class Raises(Toy):
        name = "raises"

        async def act(self, params: Any, ctx: ToolContext[World]) -> ToolResult:
            raise error

    return ToolRegistry([Raises()])


def giving(result: Any) -> ToolRegistry:
    class Gives(Toy):
        name = "gives"

        async def act(self, params: Any, ctx: ToolContext[World]) -> ToolResult:
            return result

    return ToolRegistry([Gives()])


def test_the_schema_comes_from_the_pydantic_model():
    assert Look().get_openai_schema() == {
        "type": "function",
        "function": {
            "name": "look",
            "description": "Look at a thing of the toy world and tell its value.",
            "parameters": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "thing": {"type": "string", "description": "The thing's name"},
                    "value": {"type": "string", "default": ""},
                },
                "required": ["thing"],
            },
        },
    }


def test_a_parameter_may_be_called_title():
    class Titled(BaseModel):
        title: str

    class Tool(Put):
        parameters_model = Titled

    assert Tool().get_openai_schema()["function"]["parameters"]["properties"] == {"title": {"type": "string"}}


def test_order_is_that_of_registration_and_schemas_are_made_once_per_set():
    registry = ToolRegistry(TOOLS)
    assert registry.names == tuple(tool.name for tool in TOOLS)
    assert [s["function"]["name"] for s in registry.get_openai_tools()] == list(registry.names)
    assert registry.schemas(["send", "look"]) is registry.schemas(["look", "send"])
    assert registry.schemas(["send", "look"]).names == ("look", "send")


def test_a_name_is_taken_once():
    with pytest.raises(ValueError, match="look"):
        ToolRegistry([Look(), Look()])


async def test_valid_arguments_run_the_tool(ctx):
    result = await ToolRegistry(TOOLS).execute("look", {"thing": "cup"}, ctx)
    assert result == ToolResult(success=True, output="blue")


@pytest.mark.parametrize("arguments", [{}, {"thing": 7}, {"thing": "cup", "colour": "x"}, {"thing": None}])
async def test_invalid_arguments_name_the_field_and_run_nothing(ctx, arguments):
    result = await ToolRegistry(TOOLS).execute("look", arguments, ctx)
    assert not result.success
    assert "Invalid arguments for look" in result.output
    assert ("colour" if "colour" in arguments else "thing") in result.output
    assert not ctx.db.executed


async def test_an_unknown_tool_is_told_with_a_suggestion(ctx):
    result = await ToolRegistry(TOOLS).execute("lok", {}, ctx)
    assert not result.success
    assert "Tool not found: lok" in (result.error or "")
    assert "Did you mean look?" in result.output
    huge = await ToolRegistry(TOOLS).execute("x" * 200_000, {}, ctx)
    assert len(huge.output) < 1_000


async def test_an_exception_becomes_a_result_and_is_logged(ctx, caplog):
    result = await raising(ZeroDivisionError("by nought")).execute("raises", {"thing": "x"}, ctx)
    assert not result.success
    assert "ZeroDivisionError: by nought" in (result.error or "")
    assert "by nought" in caplog.text


async def test_an_expected_error_speaks_for_itself(ctx, caplog):
    result = await raising(InvalidInput("No such cup.", hint="Look first.")).execute("raises", {"thing": "x"}, ctx)
    assert result == ToolResult.failure("No such cup.", "Look first.")
    assert not caplog.text


async def test_a_time_out_is_told_with_its_limit(ctx):
    result = await ToolRegistry(TOOLS).execute("sleep", {"thing": "x"}, ctx)
    assert result.error == "sleep did not finish within 0.01 seconds."


async def test_a_time_out_of_the_tool_s_own_is_not_taken_for_the_limit(ctx):
    result = await raising(TimeoutError("the printer is slow")).execute("raises", {"thing": "x"}, ctx)
    assert "the printer is slow" in (result.error or "")
    assert "did not finish" not in (result.error or "")


async def test_a_cancellation_of_the_tool_s_own_does_not_end_the_run(ctx):
    result = await raising(asyncio.CancelledError()).execute("raises", {"thing": "x"}, ctx)
    assert not result.success


async def test_a_cancelled_caller_is_cancelled(ctx):
    class Waits(Toy):
        name = "waits"

        async def act(self, params: Any, ctx: ToolContext[World]) -> ToolResult:
            await asyncio.Event().wait()
            raise AssertionError

    task = asyncio.create_task(ToolRegistry([Waits()]).execute("waits", {"thing": "x"}, ctx))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("error", [StaleOwner("s"), JournalUnavailable("j"), BudgetExceeded("b")])
async def test_only_a_lost_journal_and_a_spent_budget_are_raised(ctx, error):
    with pytest.raises(type(error)):
        await raising(error).execute("raises", {"thing": "x"}, ctx)


@pytest.mark.parametrize("result", [None, "text", ToolResult(success=True, output="x", artifacts={"a": object()})])
async def test_what_cannot_be_stored_is_no_result(ctx, result):
    assert not (await giving(result).execute("gives", {"thing": "x"}, ctx)).success


async def test_artifacts_are_as_the_journal_gives_them_back(ctx):
    artifacts = {"path": Path("a/b"), "pair": (1, 2), "nothing": float("nan")}
    result = await giving(ToolResult(success=True, output="x", artifacts=artifacts)).execute(
        "gives", {"thing": "x"}, ctx
    )
    assert result.artifacts == {"path": "a/b", "pair": [1, 2], "nothing": None}

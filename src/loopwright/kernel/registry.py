"""The tools an agent has, and the one place where they are executed: it never raises."""

import asyncio
import difflib
import logging
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import PydanticSerializationError, from_json, to_json

from loopwright.kernel.answer_form import wrong
from loopwright.kernel.errors import (
    BudgetExceeded,
    Interrupted,
    JournalUnavailable,
    LoopwrightError,
    StaleOwner,
    Suspended,
)
from loopwright.kernel.events import ToolsOffered
from loopwright.kernel.messages import ToolSchemas
from loopwright.kernel.policy import MORE_TOOLS, Permit, decision_for
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult

log = logging.getLogger(__name__)

AnyTool = BaseTool[Any, Any]
INVALID_ARGUMENTS = "Invalid arguments for"
"""How the result of a call begins whose arguments its tool's model refuses."""


class ToolRegistry:
    """Tools by name; the order of registration is the order the model sees."""

    def __init__(self, tools: Iterable[AnyTool] = ()) -> None:
        """Register the given tools."""
        self._tools: dict[str, AnyTool] = {}
        self._schemas = lru_cache(maxsize=64)(self._make_schemas)
        for tool in tools:
            self.register(tool)

    def register(self, tool: AnyTool) -> None:
        """Add a tool.

        Raises:
            ValueError: another tool has this name.
        """
        if tool.name in self._tools:
            raise ValueError(f"two tools are named {tool.name!r}")
        self._tools[tool.name] = tool
        self._schemas.cache_clear()

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in order."""
        return tuple(self._tools)

    def get(self, name: str) -> AnyTool | None:
        """The tool, or None."""
        return self._tools.get(name)

    def get_openai_tools(self) -> list[dict[str, Any]]:
        """All schemas in the OpenAI function-calling format."""
        return [tool.get_openai_schema() for tool in self._tools.values()]

    def schemas(self, names: Collection[str]) -> ToolSchemas:
        """The schemas of these tools, serialised once per set."""
        return self._schemas(frozenset(names))

    def _make_schemas(self, names: frozenset[str]) -> ToolSchemas:
        return ToolSchemas(tuple(tool.get_openai_schema() for name, tool in self._tools.items() if name in names))

    def check(self, name: str, arguments: Mapping[str, Any]) -> tuple[AnyTool, BaseModel] | ToolResult:
        """The tool with its validated parameters, or the result that tells the model what is wrong."""
        tool = self._tools.get(name)
        if tool is None:
            return unknown_tool(name, self.names)
        try:
            return tool, tool.parameters_model.model_validate(arguments)
        except ValidationError as error:
            return _invalid_arguments(name, error)

    async def execute(self, name: str, arguments: Mapping[str, Any], ctx: ToolContext[Any]) -> ToolResult:
        """Validate and run a call outside any stage. Every failure becomes a result that helps to correct it."""
        checked = self.check(name, arguments)
        permit = decision_for(*self._tools).permit(name)
        if isinstance(checked, ToolResult) or permit is None:
            return checked if isinstance(checked, ToolResult) else unknown_tool(name, self.names)
        return unasked(name, await self.run(permit, *checked, ctx))

    async def run(
        self, permit: Permit, tool: AnyTool, params: BaseModel, ctx: ToolContext[Any]
    ) -> ToolResult | GateRequest:
        """Run a checked call under its time limit; what ends or rests the run is raised, all else becomes a result.

        A `GateRequest` is what the call has to know from a human before it can go on.

        Raises:
            PermissionError: the permit is for another tool.
        """
        if permit.tool != tool.name:
            raise PermissionError(f"a permit for {permit.tool!r} was used for {tool.name!r}")
        limit = asyncio.timeout(tool.timeout_seconds)
        try:
            async with limit:
                result = await tool.execute(params, ctx)
        except (StaleOwner, JournalUnavailable, BudgetExceeded, Interrupted, Suspended):
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return failed_tool(tool, error)  # nobody cancelled the run: the tool let go of something of its own
        except Exception as error:
            if limit.expired() and isinstance(error, TimeoutError):
                return ToolResult.failure(
                    f"{tool.name} did not finish within {tool.timeout_seconds:g} seconds.",
                    "Try a smaller piece of work, or go on without it.",
                )
            return failed_tool(tool, error)
        return result if isinstance(result, GateRequest) else _storable(tool, result)


def unasked(name: str, result: ToolResult | GateRequest) -> ToolResult:
    """The result of a call that is made where nobody can be asked in its middle."""
    if isinstance(result, GateRequest):
        return ToolResult.failure(f"{name} needs the user's answer: {result.title}", "Nobody can be asked here.")
    return result


def failed_tool(tool: AnyTool, error: BaseException) -> ToolResult:
    """The result of a call whose tool raised: an expected error speaks for itself, any other is logged as a defect.

    A broken tool must not break the run: the model hears of it, and the log has it all.
    """
    if isinstance(error, LoopwrightError):
        return ToolResult.failure(error.message, error.hint)
    log.error("tool %s failed", tool.name, exc_info=error)
    return ToolResult.failure(
        f"{tool.name} failed unexpectedly: {type(error).__name__}: {error}"[:2_000],
        "Check the arguments; if they are right, try another way.",
    )


def _storable(tool: AnyTool, result: Any) -> ToolResult:
    """The result with its artifacts as the journal will give them back, so that a resumed run sees the same."""
    if not isinstance(result, ToolResult):
        return failed_tool(tool, TypeError(f"it gave {type(result).__name__} instead of a ToolResult"))
    if result.success and tool.result_model is not None:
        try:
            tool.result_model.model_validate(result.artifacts)
        except ValidationError as error:
            return failed_tool(tool, TypeError("its artifacts are not what it declares: " + "; ".join(wrong(error))))
    if result.artifacts is None:
        return result
    try:
        artifacts = from_json(to_json(result.artifacts, inf_nan_mode="null"))
    except PydanticSerializationError as error:
        return failed_tool(tool, error)
    return result.model_copy(update={"artifacts": artifacts})


def unknown_tool(name: str, known: Collection[str]) -> ToolResult:
    """The answer to a call of a tool that does not exist."""
    close = difflib.get_close_matches(name, known, n=1)
    return ToolResult.failure(
        f"Tool not found: {name[:100]}.",
        (f"Did you mean {close[0]}? " if close else "") + "The tools are: " + (", ".join(known) or "none") + ".",
    )


def _invalid_arguments(name: str, error: ValidationError) -> ToolResult:
    told = "\n".join(wrong(error))
    return ToolResult.failure(f"{INVALID_ARGUMENTS} {name}:\n{told}", "Correct these and call the tool again.")


# --------------------------------------------------------------------------------------------------------------------
# The kernel's own tool: a small model is offered few tools at first, and gets the others by their names.
# --------------------------------------------------------------------------------------------------------------------


class MoreTools(BaseTool[Any, Any]):
    """Widens what the run offers by one tool; what a stage allows it cannot change.

    Its parameters, which name the tools that may be asked for, come with `more_tools`.
    """

    name = MORE_TOOLS
    effect = "idempotent"

    async def execute(self, params: Any, ctx: ToolContext[Any]) -> ToolResult:
        """Offer the tool from now on."""
        await ctx.event_emitter.record(ToolsOffered(tools=[params.tool]))
        return ToolResult(success=True, output=f"You have {params.tool} now.")


def more_tools(names: Collection[str]) -> MoreTools:
    """The tool by which these can be had."""
    one_of: Any = Literal[tuple(names)]
    model = create_model("MoreToolsParameters", __config__=ConfigDict(extra="forbid"), tool=(one_of, ...))
    made: type[MoreTools] = type("MoreTools", (MoreTools,), {"parameters_model": model, "__module__": __name__})
    return made()

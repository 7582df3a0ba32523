"""Tools: what one is, and the one place where they are executed."""

import asyncio
import difflib
import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar

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
from loopwright.kernel.events import Effect, ModelResponse, Payload, ToolsOffered
from loopwright.kernel.gates import GateKind, QuestionItem
from loopwright.kernel.messages import ToolSchemas
from loopwright.kernel.policy import MORE_TOOLS, Permit, decision_for
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository

if TYPE_CHECKING:
    from loopwright.kernel.children import ChildRuns


ParametersT = TypeVar("ParametersT", bound=BaseModel)
ServicesT = TypeVar("ServicesT")


@dataclass(frozen=True)
class GateRequest:
    """What a tool wants from a human before it runs: questions, or a yes to what `details` show."""

    kind: GateKind
    title: str
    questions: tuple[QuestionItem, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


class ToolResult(BaseModel):
    """What a tool gives back.

    `output` is what the model reads, `artifacts` are structured data for code and people. `signal` asks the controller
    for a transition; a refused one turns this very result into the refusal.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    success: bool
    output: str
    error: str | None = None
    artifacts: dict[str, Any] | None = None
    signal: str | None = None

    @classmethod
    def failure(cls, error: str, hint: str = "") -> "ToolResult":
        """An expected failure, with what the model should do next."""
        return cls(success=False, output=f"Error: {error}" + (f"\n{hint}" if hint else ""), error=error)


class EventEmitter(Protocol):
    """How a tool tells what it does."""

    def progress(self, message: str, **data: Any) -> None:
        """Show it to whoever watches now; it is not stored."""
        ...

    async def record(self, payload: Payload) -> None:
        """Append it to the run's journal."""
        ...


class ToolModel(Protocol):
    """The model as a tool sees it: metered, journalled, and answered from the journal when the tool runs again."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Answer the request.

        Raises:
            ModelError: the model gave no usable answer.
            BudgetExceeded: the call would pass a hard cap.
        """
        ...


class ToolCaller(Protocol):
    """The run's tools as a tool sees them.

    Each call goes the way of a model's own: policy, arguments, gate, effect, journal. One that was made before a crash
    or a gate is answered from the journal when the tool runs again, so a tool must make the same calls each time.
    """

    async def call(self, *calls: tuple[str, Mapping[str, Any]]) -> list[ToolResult]:
        """Make these calls, given as (tool, arguments): readers side by side, writers in order.

        Raises:
            TypeError: the calling tool cannot be run again (`once`), or runs beside others (`touches`).
            InvariantBroken: run again, the tool has made other calls than before.
            Suspended: a call waits for a human; not to be caught.
            Interrupted: the user has cancelled the run; not to be caught.
        """
        ...


class NoToolCaller:
    """The caller of a context without a run: it refuses."""

    async def call(self, *calls: tuple[str, Mapping[str, Any]]) -> list[ToolResult]:
        """Refuse.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("tools can be called only from within a run")


@dataclass(frozen=True)
class ToolContext(Generic[ServicesT]):
    """Where a call runs.

    `db` are the agent's own services; `prompts` are those of the installation, for model calls that the tool makes;
    `answer` is what a human said at this call's gate, `shown` what they were shown there (None without a gate),
    `user_message` what the user said last, in their own words; `stage` is where the controller says the run
    is, `model` who has answered last; by `tools` the tool calls others of the run; `children` carries
    runs of other agents on, where the run's owner can do that.
    """

    session_id: str
    run_id: str
    call_id: str
    output_dir: Path
    db: ServicesT
    settings: Mapping[str, Any]
    event_emitter: EventEmitter
    llm_client: ToolModel
    prompts: PromptRepository = field(default_factory=lambda: PromptRepository({}))
    answer: Mapping[str, Any] | None = None
    shown: Mapping[str, Any] | None = None
    user_message: str = ""
    stage: str = ""
    model: str = ""
    tools: ToolCaller = field(default_factory=NoToolCaller)
    children: "ChildRuns | None" = None

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt of this call: what a store needs to write it once."""
        return f"{self.run_id}:{self.call_id}"


class BaseTool(ABC, Generic[ParametersT, ServicesT]):
    """A tool; subclasses set the class attributes and write `execute`.

    `effect` says what a second execution would do: nothing at all (`pure`), nothing more (`idempotent`), or harm
    (`once`); after a crash only the first two are run again.
    """

    name: ClassVar[str]
    parameters_model: ClassVar[type[BaseModel]]
    effect: ClassVar[Effect] = "once"
    timeout_seconds: ClassVar[float] = 120.0
    result_model: ClassVar[type[BaseModel] | None] = None
    """What the artifacts of a success hold, if that is promised; scripts are given it instead of the text."""
    asks_after_crash: ClassVar[bool] = False
    """Whether a human decides about a repetition when the outcome of a `once` call is unknown; else the model does."""

    @property
    def description(self) -> str:
        """The text the model reads, from `{name}.md` beside the tool's module."""
        return _description(type(self).__module__.rpartition(".")[0], self.name)

    @abstractmethod
    async def execute(self, params: ParametersT, ctx: ToolContext[ServicesT]) -> ToolResult | GateRequest:
        """Do the work. Expected failures are results; an exception means that the tool is broken.

        Work that finds out in its middle that it needs a human's word gives a `GateRequest`: the run rests, and the
        call is made again with `ctx.answer` and `ctx.shown`. What it has done by then must bear that.
        """

    def gate(self, params: ParametersT) -> GateRequest | None:
        """What a human has to say before the call may run, if anything."""
        return None

    def preview(self, params: ParametersT, folder: Path, services: ServicesT) -> Mapping[str, Any]:
        """What a human who is asked is shown beside the arguments: a diff, say. The session's folder is `folder`.

        It is asked for once, when the gate is opened, and is no part of what is approved. A call that it finds to be
        hopeless it refuses by raising, so that nobody is asked in vain.

        Raises:
            LoopwrightError: the call cannot succeed.
        """
        return {}

    def touches(self, params: ParametersT) -> frozenset[str] | None:
        """The things the call changes, by name.

        Calls that touch different things run concurrently, and so do calls that touch nothing (readers). None means:
        anything, so it runs alone. By default a pure tool touches nothing, any other anything.
        """
        return frozenset() if self.effect == "pure" else None

    def get_openai_schema(self) -> dict[str, Any]:
        """The tool in the OpenAI function format, made from the Pydantic model."""
        schema = deepcopy(_parameters_schema(self.parameters_model))
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": schema},
        }

    def get_result_schema(self) -> dict[str, Any] | None:
        """The JSON schema of the artifacts of a success, or None where nothing is promised of them."""
        return None if self.result_model is None else self.result_model.model_json_schema()

    def given_to_script(self, result: ToolResult) -> Any:
        """What a script gets of a success: data where something is promised of it, else the text."""
        return result.output if self.result_model is None else result.artifacts


@lru_cache(maxsize=256)
def _parameters_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a tool's parameters; Pydantic takes longer to make it than all else at the start of a run."""
    schema = model.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    for prop in schema.get("properties", {}).values():
        prop.pop("title", None)
    return schema


@cache
def _description(package: str, name: str) -> str:
    return resources.files(package).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


# The tools an agent has, and the one place where they are executed: it never raises.

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


# The kernel's own tool: a small model is offered few tools at first, and gets the others by their names.


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

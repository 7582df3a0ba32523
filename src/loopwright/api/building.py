"""Builds what the kernel runs from what the user has declared: a spec from an agent, parameters from type hints."""

import asyncio
import inspect
import json
import re
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PydanticSchemaGenerationError,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
)
from pydantic import create_model as make_model
from pydantic_core import to_jsonable_python

from loopwright.api.agents import Agent, Budget, Prompt, ToolLike
from loopwright.api.agents import Stage as DeclaredStage
from loopwright.api.ask_user import ASK_USER, AskUser
from loopwright.api.checks import FILES, VALUE, judge_of
from loopwright.api.tools import AgentTool, Context, DefinitionError, Tool
from loopwright.kernel.budget import BudgetLimits
from loopwright.kernel.children import ChildRun
from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.gates import Gate
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Limits, Stage
from loopwright.kernel.think import TEXT
from loopwright.kernel.tool_servers import ToolServer
from loopwright.kernel.tool_servers import mcp as tool_server
from loopwright.kernel.tools import AnyTool, BaseTool, GateRequest, ToolContext, ToolResult

SECTION = re.compile(r"^(Args|Arguments|Parameters|Returns|Raises|Yields|Examples?|Notes?):\s*$", re.MULTILINE)
ARGUMENT = re.compile(r"^(?P<indent>\s+)(?P<name>\w+)(?:\s*\([^)]*\))?:\s*(?P<text>.*)$")
PROMPTS = PromptRepository({"api": "loopwright.api"})
CHILD_GATE = "child_gate"
"""In the details of a gate: the gate of the sub-agent's run that it stands for."""
GRACE_SECONDS = 60.0
"""How much longer than its own budget of time a sub-agent may take before its call is given up."""
OUTPUT = "output"
"""The name of the checked answer in a run's last event."""


@dataclass
class Dependencies:
    """What the tools of an agent's runs get as `ctx.deps`, made once for each run in this process."""

    agent: str
    factory: Callable[[], Any] | None
    of_runs: dict[str, Any] = field(default_factory=dict)

    def of(self, run_id: str) -> Any:
        """The dependencies of a run, made now if they are not there yet."""
        if run_id not in self.of_runs:
            self.of_runs[run_id] = self.factory() if self.factory is not None else None
        return self.of_runs[run_id]

    async def forget(self, run: AgentRun) -> None:
        """Let go of those of a run that is over."""
        self.of_runs.pop(run.state.run_id, None)


@dataclass(frozen=True)
class Built:
    """An agent as the kernel runs it."""

    spec: AgentSpec
    deps: Dependencies


def build(agent: Agent[Any, Any]) -> Built:
    """The agent's spec.

    Raises:
        DefinitionError: a type hint of a tool cannot be resolved or has no JSON form, a tool has no description, or one
            wants dependencies that the agent does not have.
    """
    deps = Dependencies(agent.name, agent.deps)
    tools = {name: _build_tool(agent, declared, deps) for name, declared in agent.tools.items()}
    if agent.asks:
        if ASK_USER in tools:
            raise DefinitionError(
                f"Agent {agent.name!r} asks, and has a tool named {ASK_USER!r}.", hint="Rename the tool."
            )
        tools[ASK_USER] = AskUser()
    approved = frozenset(name for name, declared in agent.tools.items() if getattr(declared, "approve", False))
    spec = AgentSpec(
        name=agent.name,
        title=agent.name,
        description=agent.description,
        prompts="loopwright.api",
        stages=tuple(_build_stage(agent, stage, approved, deps) for stage in agent.stages),
        transitions=tuple(Transition(stage.name, TEXT, stage.then or COMPLETE) for stage in agent.stages),
        tools=tuple(tools.values()),
        entry=_entry(agent.stages[0].name),
        system_prompt=_system_prompt(agent),
        stage_prompt=_stage_prompt(agent) if any(stage.instructions for stage in agent.stages) else None,
        entries=(agent.stages[0].name,),
        finish=_finish(agent.output),
        ended=deps.forget,
        servers=_servers(agent),
        limits=limits_of(agent, agent.budget),
    )
    return Built(spec, deps)


def _servers(agent: Agent[Any, Any]) -> tuple[ToolServer, ...]:
    """The MCP servers as the kernel knows them.

    Raises:
        DefinitionError: a server's name or a setting cannot be used, or two servers have one name.
    """
    found: dict[str, ToolServer] = {}
    for declared in agent.servers:
        try:
            made = tool_server(declared.target, name=declared.name, **declared.settings)
        except ValueError as error:
            told = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            raise DefinitionError(
                f"Agent {agent.name!r} has the MCP server {declared.target!r}, which cannot be used: {told}.",
                hint="Write for example mcp('uvx mcp-server-time', name='time').",
            ) from error
        if found.setdefault(made.name, made) != made:
            raise DefinitionError(
                f"Agent {agent.name!r} has two MCP servers named {made.name!r}.", hint="Rename one: mcp(…, name='…')."
            )
    return tuple(found.values())


def limits_of(agent: Agent[Any, Any], budget: Budget) -> Limits:
    """A budget as the kernel's limits; an answer with a form is repaired once, beside what checks complain of."""
    money = BudgetLimits(max_usd_per_run=budget.usd, max_tokens_per_run=budget.tokens)
    limits = Limits(max_steps=budget.steps, wall_seconds=budget.seconds, budget=money)
    sent_back = 1 if agent.output is not None else limits.refusals
    return replace(limits, refusals=sent_back + (agent.repairs if agent.checks else 0))


def _build_stage(agent: Agent[Any, Any], stage: DeclaredStage, approved: frozenset[str], deps: Dependencies) -> Stage:
    own = frozenset(each if isinstance(each, str) else _name_of(each) for each in stage.tools)
    names = own | {ASK_USER} if agent.asks else own
    return Stage(
        stage.name,
        StagePolicy(
            tools=names, chat_tools=names, permission=names & approved, code=own if agent.code else frozenset()
        ),
        model=agent.model,
        answer=agent.output if stage.then is None else None,
        judge=judge_of(agent, deps.of) if stage.then is None else None,
    )


def _name_of(declared: ToolLike) -> str:
    return str(getattr(declared, "name", None) or getattr(declared, "__name__", ""))


def _entry(first: str) -> Callable[[AgentRun], Awaitable[str]]:
    async def entry(run: AgentRun) -> str:
        return first

    return entry


def _system_prompt(agent: Agent[Any, Any]) -> Callable[[AgentRun], Awaitable[str]]:
    async def system_prompt(run: AgentRun) -> str:
        told = agent.instructions
        return f"[task: {agent.name}/instructions]\n{told.render() if isinstance(told, Prompt) else told}"

    return system_prompt


def _stage_prompt(agent: Agent[Any, Any]) -> Callable[[AgentRun], Awaitable[str]]:
    texts = {stage.name: stage.instructions for stage in agent.stages}

    async def stage_prompt(run: AgentRun) -> str:
        stage = run.state.stage
        if not texts[stage]:
            return PROMPTS.render("api/stage", stage=stage)
        return f"[task: {agent.name}/{stage}]\n{texts[stage]}"

    return stage_prompt


def _finish(output: type[BaseModel] | None) -> Callable[[AgentRun], Awaitable[dict[str, Any]]]:
    """The checked answer as data, for whoever reads the run's last event without the agent's model."""

    async def finish(run: AgentRun) -> dict[str, Any]:
        if output is None:
            return {}
        return {OUTPUT: output.model_validate_json(run.state.last_text).model_dump(mode="json", by_alias=True)}

    return finish


def _build_tool(agent: Agent[Any, Any], declared: ToolLike, deps: Dependencies) -> AnyTool:
    if isinstance(declared, BaseTool):
        return declared
    if isinstance(declared, AgentTool):
        return agent_tool(declared)
    if isinstance(declared, Tool):
        return function_tool(agent.name, declared, deps)
    raise DefinitionError(f"Agent {agent.name!r} has the tool {declared!r}.", hint="Give a function, or one by @tool.")


class FunctionTool(BaseTool[Any, Any]):
    """A function as a tool of the kernel; `function_tool` makes the class that fits it."""

    declared: ClassVar[Tool[..., Any]]
    told: ClassVar[str]
    context_name: ClassVar[str | None]
    deps: ClassVar[Dependencies]
    returns: ClassVar[TypeAdapter[Any] | None]

    @property
    def description(self) -> str:
        """The function's docstring, or the file beside it."""
        return self.told

    async def execute(self, params: BaseModel, ctx: ToolContext[Any]) -> ToolResult:
        """Call the function; one that is not asynchronous runs in a thread."""
        given = {info.alias or name: getattr(params, name) for name, info in type(params).model_fields.items()}
        loop = asyncio.get_running_loop()
        context: Context[Any] = Context(
            self.deps.of(ctx.run_id) if self.context_name else None,
            run_id=ctx.run_id,
            call_id=ctx.call_id,
            folder=ctx.output_dir,
            show=lambda message: loop.call_soon_threadsafe(ctx.event_emitter.progress, message),
        )
        if self.context_name:
            given[self.context_name] = context
        try:
            value = await called(self.declared.function, given)
        except asyncio.CancelledError:
            context.cancel()  # what runs in a thread cannot be stopped, only told
            raise
        return result_of(self.name, value, context.files)

    def get_result_schema(self) -> dict[str, Any] | None:
        """The schema of what the function returns, for scripts; None where that is text, or not told."""
        return None if self.returns is None else self.returns.json_schema(mode="serialization")

    def given_to_script(self, result: ToolResult) -> Any:
        """What the function has returned."""
        return result.output if self.returns is None else (result.artifacts or {}).get(VALUE)


async def called(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """What the function gives; one that is not asynchronous runs in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(**arguments)
    value = await asyncio.to_thread(function, **arguments)
    return await value if inspect.isawaitable(value) else value


def result_of(name: str, value: Any, files: list[str]) -> ToolResult:
    """What a function has returned, as text for the model and as data for the journal."""
    artifacts: dict[str, Any] = {FILES: files} if files else {}
    if isinstance(value, str):
        return ToolResult(success=True, output=value, artifacts=artifacts or None)
    if value is None:
        return ToolResult(success=True, output="Done.", artifacts=artifacts or None)
    try:
        data = to_jsonable_python(value, inf_nan_mode="null")
        text = json.dumps(data, ensure_ascii=False)
    except ValueError as error:
        return ToolResult.failure(
            f"{name} has run to its end, but what it returned ({type(value).__name__}) has no JSON form: {error}"[
                :2_000
            ],
            "Do not call it again only for that.",
        )
    return ToolResult(success=True, output=text, artifacts={VALUE: data, **artifacts})


def function_tool(agent: str, declared: Tool[..., Any], deps: Dependencies) -> FunctionTool:
    """The kernel's tool that calls this function.

    Raises:
        DefinitionError: its type hints or its description cannot be used.
    """
    hints = _type_hints(agent, declared)
    context_name = _context_name(agent, declared, hints, deps)
    told, arguments = _documentation(declared)
    if not told:
        raise DefinitionError(
            f"Tool {declared.name!r} of agent {agent!r} has no description.",
            hint=f"Write a docstring, or {declared.name}.md beside the function's file: the model reads it.",
        )
    made: type[FunctionTool] = type(
        "FunctionTool",
        (FunctionTool,),
        {
            "__module__": __name__,
            "name": declared.name,
            "parameters_model": _parameters(agent, declared, hints, context_name, arguments),
            "effect": declared.effect,
            "timeout_seconds": declared.timeout,
            "asks_after_crash": declared.approve,
            "declared": declared,
            "told": told,
            "context_name": context_name,
            "deps": deps,
            "returns": _returns(hints.get("return")),
        },
    )
    return made()


class AgentParameters(BaseModel):
    """What a model gives an agent that it has as a tool."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(description="What the agent shall do, with all that it needs to know: it sees nothing else.")


class SubAgent(BaseTool[AgentParameters, Any]):
    """An agent as a tool of another one: each call is a run of its own, which every attempt of the call finds again."""

    parameters_model = AgentParameters
    effect = "idempotent"
    declared: ClassVar[AgentTool]

    @property
    def description(self) -> str:
        """When to use it."""
        return self.declared.description

    def touches(self, params: AgentParameters) -> frozenset[str]:
        """Runs of sub-agents stand side by side."""
        return frozenset({f"{self.name}: {params.message}"})

    async def execute(self, params: AgentParameters, ctx: ToolContext[Any]) -> ToolResult | GateRequest:
        """Carry the run on to its end, or to a gate: then the run that called it asks in its place."""
        if ctx.children is None:
            raise Misconfigured(f"Agent {self.declared.agent.name!r} cannot be run as a tool here.")
        spec = self.declared.agent.spec()
        if self.declared.budget is not None:
            spec = replace(spec, limits=limits_of(self.declared.agent, self.declared.budget))
        child = ChildRun(spec, params.message, ctx.run_id, ctx.call_id)
        result = await ctx.children.carry_on(child, ctx.answer, (ctx.shown or {}).get(CHILD_GATE))
        if result.gate is not None:
            return self._asked_for(child, result.gate)
        if not result.success:
            return ToolResult.failure(f"{spec.name} did not succeed: {result.text}", f"Its run is {child.run_id}.")
        form = self.declared.agent.output
        value = result.text if form is None else json.loads(result.text)
        return ToolResult(success=True, output=result.text, artifacts={VALUE: value, "run_id": child.run_id})

    def _asked_for(self, child: ChildRun, gate: Gate) -> GateRequest:
        """The child's gate as one of the run that called it."""
        asked_by = {"agent": child.spec.name, "run_id": child.run_id}
        details = {**gate.details, CHILD_GATE: gate.gate_id, "asked_by": asked_by}
        title = f"{child.spec.name}: {gate.title}"
        return GateRequest(gate.kind, title, questions=tuple(gate.questions), details=details)


def agent_tool(declared: AgentTool) -> SubAgent:
    """The kernel's tool that runs this agent."""
    seconds = (declared.budget or declared.agent.budget).seconds + GRACE_SECONDS
    members = {"__module__": __name__, "name": declared.name, "timeout_seconds": seconds, "declared": declared}
    made: type[SubAgent] = type("SubAgent", (SubAgent,), members)
    return made()


def _type_hints(agent: str, declared: Tool[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(declared.function, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise DefinitionError(
            f"A type hint of tool {declared.name!r} of agent {agent!r} cannot be resolved: {error}.",
            hint="Declare or import the type at the top of the function's module, not under TYPE_CHECKING.",
        ) from error


def _context_name(agent: str, declared: Tool[..., Any], hints: Mapping[str, Any], deps: Dependencies) -> str | None:
    """The name of the parameter that takes the context.

    Raises:
        DefinitionError: there are two, or it wants dependencies that the agent does not have.
    """
    found = [name for name, hint in hints.items() if name != "return" and (get_origin(hint) or hint) is Context]
    if len(found) > 1:
        raise DefinitionError(
            f"Tool {declared.name!r} of agent {agent!r} has two parameters for the context: {', '.join(found)}.",
            hint="Keep one of them.",
        )
    wanted = get_args(hints[found[0]]) if found else ()
    if wanted and wanted[0] not in (type(None), None, Any) and deps.factory is None:
        raise DefinitionError(
            f"Tool {declared.name!r} wants ctx.deps of type {getattr(wanted[0], '__name__', wanted[0])}, and agent "
            f"{agent!r} has no deps.",
            hint="Give Agent(…, deps=…) the class, or a function that makes them.",
        )
    return found[0] if found else None


def _parameters(
    agent: str,
    declared: Tool[..., Any],
    hints: Mapping[str, Any],
    context_name: str | None,
    arguments: Mapping[str, str],
) -> type[BaseModel]:
    """The model of the parameters. Its fields are numbered and known by alias: a parameter may be named `json`."""
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(declared.function).parameters.values():
        if parameter.name == context_name:
            continue
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        hint, told = hints[parameter.name], arguments.get(parameter.name)
        info = Field(default, alias=parameter.name, description=told) if told else Field(default, alias=parameter.name)
        fields[f"p{len(fields)}"] = (Annotated[hint, info] if default is ... else hint, info)
    name = "".join(word.capitalize() for word in declared.name.split("_")) + "Parameters"
    try:
        model: type[BaseModel] = make_model(name, __config__=ConfigDict(extra="forbid"), **fields)
        model.model_json_schema()
        _returns(hints.get("return"))
    except (PydanticUserError, PydanticSchemaGenerationError) as error:
        raise DefinitionError(
            f"A type hint of tool {declared.name!r} of agent {agent!r} has no JSON form: {str(error).splitlines()[0]}",
            hint="Use JSON's types, dataclasses or Pydantic models; what the tool works with comes by ctx.deps.",
        ) from error
    return model


def _returns(hint: Any) -> TypeAdapter[Any] | None:
    return None if hint in (None, type(None), str, Any) else TypeAdapter(hint)


def _documentation(declared: Tool[..., Any]) -> tuple[str, dict[str, str]]:
    """What the model reads of the function, and of each of its parameters (Google style)."""
    text = inspect.getdoc(declared.function) or _file_beside(declared)
    sections = SECTION.split(text)
    told, arguments = sections[0].strip(), {}
    for title, body in zip(sections[1::2], sections[2::2], strict=True):
        if title in ("Args", "Arguments", "Parameters"):
            arguments = _arguments(body)
    return told, arguments


def _file_beside(declared: Tool[..., Any]) -> str:
    code = getattr(declared.function, "__code__", None)
    file = Path(code.co_filename).with_name(f"{declared.name}.md") if code is not None else None
    return file.read_text(encoding="utf-8").strip() if file is not None and file.is_file() else ""


def _arguments(body: str) -> dict[str, str]:
    """The parameters of an `Args:` section; what is indented further goes on with the one before."""
    found: dict[str, str] = {}
    indent, last = None, ""
    for line in body.splitlines():
        match = ARGUMENT.match(line)
        if match and indent in (None, len(match["indent"])):
            indent, last = len(match["indent"]), match["name"]
            found[last] = match["text"].strip()
        elif last and line.strip():
            found[last] = f"{found[last]} {line.strip()}".strip()
    return found

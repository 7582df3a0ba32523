"""Agents: instructions, tools, and what an agent may spend. Declaring one costs nothing; the first run builds it."""

import re
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from loopwright.api.results import Event, OutputT, Result
from loopwright.api.tools import AgentTool, Context, DefinitionError, DepsT, Server, Tool, as_tool

if TYPE_CHECKING:
    from loopwright.api.building import Built
    from loopwright.kernel.ports import ModelClient
    from loopwright.kernel.spec import AgentSpec
    from loopwright.kernel.tools import AnyTool

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
STAGE_NAME = re.compile(r"[a-z][a-z0-9_]*")
VARIABLE = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")
FINAL_STAGES = ("complete", "aborted")
"""Names that the controller keeps for the end of a run."""

ToolLike: TypeAlias = "Tool[..., Any] | AgentTool | AnyTool | Callable[..., Any]"
"""A function, one made by `@tool`, an agent made a tool by `as_tool`, or a tool class of the kernel."""
Complaint: TypeAlias = str | Awaitable[str | None] | None
Check: TypeAlias = Callable[[OutputT], Complaint] | Callable[[OutputT, Context[DepsT]], Complaint]
"""Looks at an answer, and at what was done for it, and gives what is wrong with it; None where all is well."""


@dataclass(frozen=True)
class Budget:
    """What one run may use; the run fails before a call that would pass a cap.

    Attributes:
        usd: US dollars; holds where the model's price is known.
        tokens: tokens of all prompts and answers together.
        steps: model calls.
        seconds: active seconds; the time spent waiting for a human does not count.

    Raises:
        DefinitionError: a cap is not above 0.

    Example:
        >>> from loopwright import Budget
        >>> Budget(usd=0.50, steps=20)
        Budget(usd=0.5, tokens=None, steps=20, seconds=3600.0)
    """

    usd: float | None = None
    tokens: int | None = None
    steps: int = 30
    seconds: float = 3_600.0

    def __post_init__(self) -> None:
        """Check the caps."""
        for name, cap in vars(self).items():
            if cap is not None and cap <= 0:
                raise DefinitionError(f"A budget has {name}={cap}.", hint="Give a number above 0, or leave it out.")


@dataclass(frozen=True)
class Stage:
    """One stage of an agent: what the model may do there. The stage ends when the model answers without a tool call.

    Attributes:
        name: lower-case letters, digits and underscores.
        tools: the tools of this stage: names of the agent's tools, or tools.
        then: the next stage; None ends the run with the model's answer.
        instructions: what the model is told on entering the stage, after the agent's own instructions.

    Raises:
        DefinitionError: the name cannot be used.

    Example:
        >>> from loopwright import Agent, Stage
        >>> writer = Agent("writer", "Write.", stages=[Stage("plan", then="write"), Stage("write")])
        >>> print(writer.spec().controller().mermaid(["plan"]))
        stateDiagram-v2
            [*] --> plan
            plan --> write : text
            write --> complete : text
            complete --> [*]
    """

    name: str
    tools: Sequence["str | ToolLike"] = ()
    then: str | None = None
    instructions: str = ""

    def __post_init__(self) -> None:
        """Check the name."""
        if not STAGE_NAME.fullmatch(self.name) or self.name in FINAL_STAGES:
            raise DefinitionError(
                f"A stage is named {self.name!r}.",
                hint=f"Use lower-case letters, digits and underscores, and neither of {', '.join(FINAL_STAGES)}.",
            )


class Prompt:
    """Instructions in a Markdown file, with `{{variables}}` that must all be given, and all be used.

    Args:
        file: relative to the Python file that declares the prompt.
        values: a text for each variable, or a function without parameters that gives it when a run begins.

    Example:
        >>> from pathlib import Path
        >>> from loopwright import Prompt
        >>> file = Path("clerk.md").absolute()
        >>> _ = file.write_text("You answer questions about {{port}}.")
        >>> Prompt(file, port="Cork").render()
        'You answer questions about Cork.'
    """

    def __init__(self, file: str | Path, /, **values: str | Callable[[], str]) -> None:
        """Keep where the file is; it is read when a run begins."""
        self.file = Path(sys._getframe(1).f_globals.get("__file__", "")).resolve().parent / file
        self.values = values

    def render(self) -> str:
        """The text with its variables filled.

        Raises:
            DefinitionError: there is no such file, or its variables are not exactly those that are given.
        """
        try:
            text = self.file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise DefinitionError(
                f"The prompt {self.file} cannot be read: {error.strerror}.",
                hint="Its path is relative to the Python file that declares the prompt.",
            ) from error
        wanted, given = set(VARIABLE.findall(text)), set(self.values)
        if wanted != given:
            missing, unused = ", ".join(sorted(wanted - given)), ", ".join(sorted(given - wanted))
            raise DefinitionError(
                f"The prompt {self.file} does not fit its values: missing {missing or 'none'}, "
                f"unused {unused or 'none'}.",
                hint="Give exactly the variables of the file: Prompt('file.md', name='value').",
            )
        values = {name: value() if callable(value) else value for name, value in self.values.items()}
        return VARIABLE.sub(lambda match: values[match[1]], text)


class Agent(Generic[DepsT, OutputT]):
    """A language model with instructions and tools.

    Every run is written to a journal in the user's data folder before it goes on, so that it can be listed, resumed
    after a crash, and answered from anywhere: `loopwright runs list`.

    Args:
        name: lower-case letters, digits and hyphens; runs are found again by it.
        instructions: what the model is told first, as text or as a `Prompt`.
        tools: functions with type hints (see `tool`), other agents (`as_tool`), MCP servers (`mcp`), or tool classes.
        output: a Pydantic model for the answer: its schema is sent, the answer is checked, and one that does not fit is
            sent back once with what is wrong. Without it the answer is text.
        deps: a function without parameters (or a class) that makes what tools get as `ctx.deps`, once for each run in
            each process that carries it on. It is never written to the journal.
        budget: what a run may use.
        checks: functions that look at the answer (and, as a second parameter, at the `Context`, with its `calls`) and
            return a complaint or None. A complaint is sent back to the model; a run whose answer still fails after
            `repairs` repairs is a `Failed` with the code `check_failed`, never done.
        repairs: how often complaints of checks are sent back.
        asks: give the agent the tool `ask_user`: the run waits for the user's answers (`resume(run, answers={…})`).
        code: let the model call the agent's own functions from a Python script that it writes (the tool `run_code`)
            instead of one by one. Needs `pip install 'loopwright[code]'`.
        stages: a table of stages; without it the agent has one, with all of its tools.
        model: the model's name, instead of the one that is configured.
        description: one line for lists, and for the agents that have this one as a tool.

    Raises:
        DefinitionError: a name is unusable or used twice, or a stage names a tool or a stage that does not exist.

    Example:
        >>> from loopwright import Agent, run, tool
        >>> from loopwright.testing import ScriptedModel, call, say
        >>> @tool
        ... def tide(port: str) -> str:
        ...     "Say when the tide is high in a port."
        ...     return {"Cork": "06:12"}.get(port, "unknown")
        >>> clerk = Agent("tide-clerk", "Answer questions about tides.", tools=[tide])
        >>> script = ScriptedModel(call("tide", port="Cork"), say("At 06:12."))
        >>> run(clerk, "When is high tide in Cork?", model=script).text
        'At 06:12.'
    """

    def __init__(
        self,
        name: str,
        instructions: str | Prompt,
        *,
        tools: "Sequence[ToolLike | Server]" = (),
        output: type[OutputT] | None = None,
        deps: Callable[[], DepsT] | None = None,
        budget: Budget | None = None,
        checks: "Sequence[Check[OutputT, DepsT]]" = (),
        repairs: int = 2,
        asks: bool = False,
        code: bool = False,
        stages: Sequence[Stage] = (),
        model: str | None = None,
        description: str = "",
    ) -> None:
        """Check the declaration; nothing is opened and no schema is made."""
        if not NAME.fullmatch(name):
            raise DefinitionError(
                f"An agent is named {name!r}.", hint="Use lower-case letters, digits and hyphens, such as 'tide-clerk'."
            )
        if output is not None and not hasattr(output, "model_validate_json"):
            raise DefinitionError(
                f"Agent {name!r} has the output {output!r}, which is not a Pydantic model.",
                hint="Write `class Answer(BaseModel): …` and give `output=Answer`; leave it out for text.",
            )
        self.name = name
        self.instructions = instructions
        self.output = output
        self.deps = deps
        self.budget = budget or Budget()
        self.checks: tuple[Callable[..., Any], ...] = tuple(checks)
        self.repairs = repairs
        self.asks = asks
        self.code = code
        self.model = model
        self.description = description
        self.servers = tuple(each for each in tools if isinstance(each, Server))
        own = [each for each in tools if not isinstance(each, Server)]
        self.stages = tuple(stages) or (Stage("answer", tools=own),)
        self.tools = _tools_by_name(name, own, self.stages)
        self.module = str(sys._getframe(1).f_globals.get("__name__", ""))
        _check_stages(name, self.stages)
        self._built: Built | None = None
        AGENTS[name] = self

    async def run(
        self,
        message: str,
        *,
        session: str | None = None,
        deps: DepsT | None = None,
        model: "ModelClient | None" = None,
        home: str | Path | None = None,
    ) -> Result[OutputT]:
        """Run the agent on a message, until it is done or waits for a human.

        A task that is cancelled leaves its run as a crash would: `resume` goes on with it.

        Args:
            message: what the user wants.
            session: the id of an earlier run's session, to go on in its conversation.
            deps: used in the place of what the agent's `deps` makes, in this process.
            model: answers in the place of the configured model; tests give a `ScriptedModel`.
            home: the folder of the journal; by default `LOOPWRIGHT_HOME`, or the user's data folder.

        Raises:
            LoopwrightError: the message or a setting cannot be used, or the journal cannot be written. What goes wrong
                within the run is a `Failed`.
        """
        from loopwright.api.driving import opened

        async with opened(model, home, deps) as driver:
            return await driver.start(self, message, session)

    async def stream(
        self,
        message: str,
        *,
        session: str | None = None,
        deps: DepsT | None = None,
        model: "ModelClient | None" = None,
        home: str | Path | None = None,
    ) -> AsyncGenerator[Event | Result[OutputT], None]:
        """As `run`, and give each event of the journal as it is stored, and the model's words as they come.

        The last item is the result. Who stops listening stops the run, as a crash would.
        """
        from loopwright.api.driving import opened

        async with opened(model, home, deps) as driver, aclosing(driver.stream(self, message, session)) as items:
            async for item in items:
                yield item

    async def resume(
        self,
        run_id: str,
        *,
        approve: bool | None = None,
        answers: Mapping[str, Any] | None = None,
        comment: str | None = None,
        deps: DepsT | None = None,
        model: "ModelClient | None" = None,
        home: str | Path | None = None,
    ) -> Result[OutputT]:
        """Go on with a run of this agent; see `loopwright.resume`."""
        from loopwright.api.driving import answer_of, opened

        answer = answer_of(run_id, approve, answers, comment)
        async with opened(model, home, deps) as driver:
            return await driver.resume(run_id, answer, self)

    def as_tool(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        budget: Budget | None = None,
        approve: bool = False,
    ) -> AgentTool:
        """This agent as a tool of another one.

        Each call is a run of its own, with its own journal and budget; what it spends counts in the budget of the run
        that called it, too, and it makes no call that would pass that one. After a crash the call goes on with the same
        run; what this agent asks a human, the run that called it asks.

        Args:
            name: what the model calls it, if not by the agent's name.
            description: what the model reads, if not the agent's own.
            budget: of each call, instead of the agent's own.
            approve: wait for a human's yes before each call.

        Raises:
            DefinitionError: neither the agent nor the tool has a description.
        """
        told = description or self.description
        if not told:
            raise DefinitionError(
                f"Agent {self.name!r} as a tool has no description.",
                hint="Say when to use it: as_tool(description='…'), or Agent(…, description='…').",
            )
        return AgentTool(self, name or self.name.replace("-", "_"), told, budget, approve)

    def spec(self) -> "AgentSpec":
        """The agent as the kernel knows it; made once.

        Raises:
            DefinitionError: a type hint of a tool cannot be resolved, or has no JSON form.
        """
        return self.built().spec

    def built(self) -> "Built":
        """The spec, and the dependencies of its runs."""
        if self._built is None:
            from loopwright.api.building import build

            self._built = build(self)
        return self._built

    def __repr__(self) -> str:
        return f"Agent({self.name!r})"


AGENTS: dict[str, Agent[Any, Any]] = {}
"""The agents that this process has declared last, by name, so that `resume` finds the one of a run."""


def _tools_by_name(agent: str, tools: Sequence[ToolLike], stages: Sequence[Stage]) -> "dict[str, ToolLike]":
    """All tools of the agent and of its stages, in order.

    Raises:
        DefinitionError: two different tools have one name, or one is no tool.
    """
    given = [*tools, *(each for stage in stages for each in stage.tools if not isinstance(each, str))]
    found: dict[str, ToolLike] = {}
    for each in map(_as_tool, given):
        if isinstance(each, Server):
            raise DefinitionError(
                f"A stage of agent {agent!r} has the MCP server {each.target!r}.",
                hint="Give it to the agent: Agent(…, tools=[mcp(…)]); each stage that has tools gets those of servers.",
            )
        name = str(getattr(each, "name", ""))
        if not name:
            raise DefinitionError(f"Agent {agent!r} has the tool {each!r}.", hint="Give a function, or one by @tool.")
        if found.setdefault(name, each) != each:
            raise DefinitionError(
                f"Agent {agent!r} has two tools named {name!r}.", hint="Rename one: @tool(name='…') or as_tool(name=…)."
            )
    missing = {name: stage for stage in stages for name in stage.tools if isinstance(name, str) and name not in found}
    for name, stage in missing.items():
        raise DefinitionError(
            f"Stage {stage.name!r} of agent {agent!r} names the tool {name!r}, which the agent does not have.",
            hint=f"The agent has {', '.join(found) or 'no tools'}; add it to tools=[…].",
        )
    return found


def _as_tool(given: ToolLike) -> ToolLike:
    return as_tool(given) if callable(given) and not hasattr(given, "name") else given


def _check_stages(agent: str, stages: Sequence[Stage]) -> None:
    names = [stage.name for stage in stages]
    for stage in stages:
        if names.count(stage.name) > 1:
            raise DefinitionError(f"Agent {agent!r} has two stages named {stage.name!r}.", hint="Rename one.")
        if stage.then is not None and stage.then not in names:
            raise DefinitionError(
                f"Stage {stage.name!r} of agent {agent!r} goes on with {stage.then!r}, which is not a stage.",
                hint=f"The stages are: {', '.join(names)}; then=None ends the run.",
            )
    if all(stage.then is not None for stage in stages):
        raise DefinitionError(
            f"The stages of agent {agent!r} never end: each goes on with another.", hint="Leave out one stage's `then`."
        )

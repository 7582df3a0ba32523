"""An agent is data: stages, a transition table, tools, limits, prompts, and a few pure or small functions."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from loopwright.kernel.account import AccountKit
from loopwright.kernel.budget import BudgetLimits, CodeLimits
from loopwright.kernel.compaction import AU2, CompactionStrategy
from loopwright.kernel.events import Payload
from loopwright.kernel.gates import Gate
from loopwright.kernel.policy import Controller, ConversationPolicy, Refusal, StagePolicy, Transition
from loopwright.kernel.ports import Tier
from loopwright.kernel.tool_servers import ToolServer
from loopwright.kernel.tools import AnyTool, GateRequest, ToolRegistry, ToolResult, more_tools

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


@dataclass(frozen=True)
class Parsed:
    """What a stage's parser made of a model's text.

    `visible` is for the user, `kept` for later requests, `records` for the agent's `absorb`, `signal` for the
    controller; `complaint` tells the model that its answer cannot be used, and why. A `misfit` is a complaint of the
    kernel's own: the answer is not of the form that was asked for.
    """

    visible: str
    kept: str
    records: Sequence[Any] = ()
    signal: str | None = None
    complaint: str | None = None
    misfit: bool = False


def plain_text(text: str) -> Parsed:
    """The parser of stages that take the model's text as it is."""
    return Parsed(visible=text, kept=text)


@dataclass(frozen=True)
class ActionResult:
    """What a stage's own work gave; `signal` is what the controller hears.

    `text` is for the user, where the work says more than the model did before it.
    """

    success: bool
    output: str
    signal: str
    artifacts: dict[str, Any] | None = None
    text: str = ""


Action = Callable[["AgentRun"], Coroutine[Any, Any, ActionResult | GateRequest]]
"""A stage's own work. One that needs a human's word gives a `GateRequest`: the run rests, and the action is called
again once the answer is there (`asking.answer_to`), so it must find out by the journal what it has done already."""
Review = Callable[["AgentRun"], Awaitable[str | None]]
"""Looks at what the calls of the model's last answer came to; may defer words to the model, and names a signal or none.
It is asked once per answer."""
Judge = Callable[["AgentRun"], Awaitable[str | Refusal]]
"""Says what the model's work in a stage has come to, once the model ends with text: the signal for the controller, or
why the model is sent back. After a crash it is asked again about the same answer (`run.key`) and must say the same; it
tells of itself by `run.defer` only, since what it appended would part the answer from its judgement."""
Rules = Callable[["AgentRun"], Awaitable[str | None]]
"""An answer as the stage's model would write it, where rules are sure of it; None: the model is asked. It is journalled
as an answer of the model `rules`, and parsed, judged and put to the controller like any other."""


def _always(run: "AgentRun") -> bool:
    return True


def _no_tools(run: "AgentRun") -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True)
class Stage:
    """One stage: what the model may do there, or the action that is done there without a model.

    `model` names a model outright, instead of the one of the tier. With a `judge` it is the controller, not the model's
    last word, that says how the stage has ended; a `review` hears of every answer's calls once they have their results.
    `reasoning_parser` reads answers where the user wants reasoning. `answer` is the schema of the stage's structured
    answer, or a function of the run that gives it: it is sent with every request, and the parser gets the answer's
    JSON. `may_answer` says whether the controller would take an answer without tool calls now; where it would not, the
    request leaves no space for one; nor for the tools that are `resting`, which would only repeat what they gave.
    `rules` may answer in the model's place: what code reads surely is not asked.
    """

    name: str
    policy: StagePolicy = field(default_factory=StagePolicy)
    tier: Tier = "standard"
    model: str | None = None
    max_tokens: int = 8_192
    parser: Callable[[str], Parsed] = plain_text
    reasoning_parser: Callable[[str], Parsed] | None = None
    answer: type[BaseModel] | Callable[["AgentRun"], type[BaseModel]] | None = None
    may_answer: Callable[["AgentRun"], bool] = _always
    resting: Callable[["AgentRun"], frozenset[str]] = _no_tools
    judge: Judge | None = None
    review: Review | None = None
    action: Action | None = None
    rules: Rules | None = None


@dataclass(frozen=True)
class Limits:
    """Caps of one run; None is no cap.

    `refusals` is how often the controller may send the model back within a stage, `retries_per_stage` how often a later
    check may send the run back to it. `max_turns` counts the user's messages and answers, `turn_seconds` the active
    seconds from one of them to the next: a turn that takes longer is asked about. `code` is for scripts of the model.
    """

    max_steps: int = 30
    max_consecutive_errors: int = 3
    refusals: int = 3
    retries_per_stage: int = 2
    max_turns: int | None = None
    turn_seconds: float | None = None
    wall_seconds: float = 3_600.0
    concurrency: int = 4
    budget: BudgetLimits = field(default_factory=BudgetLimits)
    code: CodeLimits = field(default_factory=CodeLimits)


async def _nothing_to_absorb(run: "AgentRun", records: Sequence[Any]) -> Sequence[Payload]:
    raise TypeError(f"agent {run.spec.name} has a parser that gives records, but no absorb function")


def _as_it_is(spec: "AgentSpec", options: Mapping[str, Any]) -> "AgentSpec":
    return spec


def _nothing_withheld(options: Mapping[str, Any]) -> frozenset[str]:
    return frozenset()


def _own_words(run: "AgentRun", reason: str, text: str) -> str:
    return text


def _never_granted(run: "AgentRun", tool: AnyTool, arguments: Mapping[str, Any]) -> bool:
    return False


async def _asked_as_it_is(run: "AgentRun", gate: Gate) -> Gate | ToolResult:
    return gate


async def _nothing_after(run: "AgentRun") -> None:
    """Most agents have nothing to do once their run is over."""


async def _no_result(run: "AgentRun") -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class AgentSpec:
    """All that the kernel needs to know of an agent.

    `entry` chooses the first stage of a run from what the session holds; `system_prompt` renders the system message,
    which keeps its bytes for the whole run, where the agent has a `stage_prompt`: what the model is told on entering a
    stage, in a message behind those before it; `state_block` is what it is told last in each request, and
    is not kept; `tools_by_stage` is for agents whose stages begin the dialogue anew: each tells of its own tools, where
    other runs keep one list; `account` settles what the user said, statement by statement; `absorb` stores,
    idempotently by `run.key`, what the parsers took out of answers and names the events that tell of it; `withheld`
    names the tools that the user's options of a run switch off; `tailor` fits limits and compaction to these options
    (stages, table and tools stay); `finish` gives the agent's own fields of the run's last line; `ended` hears of every
    run that is over, however it ended, and can
    change nothing of it. `servers` are MCP servers whose tools it has beside its own and those that the
    user has configured; None where it takes the tools of no server. `prompts` is the Python package
    that has the `prompts/` folder. With `offline_fallback` the
    offline model takes over in runs whose model cannot be reached. `pause` asks the user about a turn that has passed a
    ceiling (`loop.py`); without it ceilings are not watched. `phrase` gives what a model that is sent back is told,
    from the reason and the kernel's own words; `curate` looks at what a human is about to be asked and gives what is
    left of it, or the call's result where nothing is: it is asked once, before the gate is stored. `granted` says
    whether the user has allowed a call that needs permission already; `reasoning_marks` are, by reasoning format, the
    words by which a system prompt that demands it is known.
    """

    name: str
    title: str
    description: str
    prompts: str
    stages: tuple[Stage, ...]
    transitions: tuple[Transition, ...]
    tools: tuple[AnyTool, ...]
    entry: Callable[["AgentRun"], Awaitable[str]]
    system_prompt: Callable[["AgentRun"], Awaitable[str]]
    stage_prompt: Callable[["AgentRun"], Awaitable[str]] | None = None
    state_block: Callable[["AgentRun"], Awaitable[str]] | None = None
    tools_by_stage: bool = False
    account: AccountKit | None = None
    entries: tuple[str, ...] = ()
    absorb: Callable[["AgentRun", Sequence[Any]], Awaitable[Sequence[Payload]]] = _nothing_to_absorb
    withheld: Callable[[Mapping[str, Any]], frozenset[str]] = _nothing_withheld
    tailor: Callable[["AgentSpec", Mapping[str, Any]], "AgentSpec"] = _as_it_is
    finish: Callable[["AgentRun"], Awaitable[dict[str, Any]]] = _no_result
    ended: Callable[["AgentRun"], Awaitable[None]] = _nothing_after
    curate: Callable[["AgentRun", Gate], Awaitable[Gate | ToolResult]] = _asked_as_it_is
    servers: tuple[ToolServer, ...] | None = ()
    limits: Limits = field(default_factory=Limits)
    compaction: CompactionStrategy = field(default_factory=AU2)
    offline_fallback: bool = False
    pause: Action | None = None
    phrase: Callable[["AgentRun", str, str], str] = _own_words
    granted: Callable[["AgentRun", AnyTool, Mapping[str, Any]], bool] = _never_granted
    reasoning_marks: Mapping[str, str] = field(default_factory=dict)

    def stage(self, name: str) -> Stage:
        """The stage of this name.

        Raises:
            KeyError: there is none.
        """
        return self._by_name[name]

    def find(self, name: str) -> Stage | None:
        """The stage of this name, or None where there is none: before a run's first stage, and after its last."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Stage]:
        return {stage.name: stage for stage in self.stages}

    def registry(self) -> ToolRegistry:
        """A registry with the agent's tools, and the kernel's own where stages need them.

        Raises:
            Misconfigured: a stage has scripts, and their interpreter is not installed.
        """
        kept_back, in_code = set[str](), set[str]()
        for policy in (stage.policy for stage in self.stages):
            in_code |= policy.code
            all_tools = (policy.tools | policy.chat_tools) - policy.code
            kept_back |= all_tools - policy.small if policy.small else frozenset()
            kept_back |= all_tools - policy.first - policy.small_only if policy.first else frozenset()
        names = [tool.name for tool in self.tools if tool.name in kept_back]
        own: list[AnyTool] = [more_tools(names)] if names else []
        scripted = [tool for tool in self.tools if tool.name in in_code]
        if scripted:
            # Loaded where scripts are used: most agents have none, and every start would pay for it.
            from loopwright.kernel.code_mode import RunCode

            own.append(RunCode(scripted, self.limits.code))
        return ToolRegistry((*self.tools, *own))

    def policy(self) -> ConversationPolicy:
        """The policy made of the stages' declarations."""
        return ConversationPolicy({stage.name: stage.policy for stage in self.stages})

    def controller(self) -> Controller:
        """The state machine made of the stages and the table."""
        return Controller([stage.name for stage in self.stages], self.transitions)

"""An agent is data: stages, a transition table, tools, limits, prompts, and a few pure or small functions."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from loopwright.kernel.budget import BudgetLimits
from loopwright.kernel.compaction import AU2, CompactionStrategy
from loopwright.kernel.controller import Controller, Refusal, Transition
from loopwright.kernel.events import Payload
from loopwright.kernel.gates import Gate
from loopwright.kernel.policy import ConversationPolicy, StagePolicy
from loopwright.kernel.ports import Tier
from loopwright.kernel.registry import AnyTool, ToolRegistry
from loopwright.kernel.tools import GateRequest, ToolResult

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


@dataclass(frozen=True)
class Parsed:
    """What a stage's parser made of a model's text.

    `visible` is for the user, `kept` for later requests, `records` for the agent's `absorb`, `signal` for the
    controller; `complaint` tells the model that its answer cannot be used, and why.
    """

    visible: str
    kept: str
    records: Sequence[Any] = ()
    signal: str | None = None
    complaint: str | None = None


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


@dataclass(frozen=True)
class Stage:
    """One stage: what the model may do there, or the action that is done there without a model.

    `model` names a model outright, instead of the one of the tier. With a `judge` it is the controller, not the model's
    last word, that says how the stage has ended; a `review` hears of every answer's calls once they have their results.
    `reasoning_parser` reads answers where the user wants reasoning.
    """

    name: str
    policy: StagePolicy = field(default_factory=StagePolicy)
    tier: Tier = "standard"
    model: str | None = None
    max_tokens: int = 8_192
    parser: Callable[[str], Parsed] = plain_text
    reasoning_parser: Callable[[str], Parsed] | None = None
    judge: Judge | None = None
    review: Review | None = None
    action: Action | None = None


@dataclass(frozen=True)
class Limits:
    """Caps of one run; None is no cap.

    `refusals` is how often the controller may send the model back within a stage, `retries_per_stage` how often a later
    check may send the run back to it. `max_turns` counts the user's messages and answers, `turn_seconds` the active
    seconds from one of them to the next: a turn that takes longer is asked about.
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

    `entry` chooses the first stage of a run from what the session holds; `system_prompt` renders the prompt of the
    current stage with its long-term context; `absorb` stores, idempotently by `run.key`, what the parsers took out
    of answers and names the events that tell of it; `withheld` names the tools that the user's options of a run
    switch off; `tailor` fits limits and compaction to these options (stages, table and tools stay); `finish` gives
    the agent's own fields of the run's last line; `ended` hears of every run that is over, however it ended, and can
    change nothing of it. `prompts` is the Python package that has the `prompts/` folder. With `offline_rescue` the
    offline model takes over in runs whose model cannot be reached. `pause` asks the user about a turn that has passed
    a ceiling (`turns.py`); without it ceilings are not watched. `phrase` gives what a model that is sent back is told,
    from the reason and the kernel's own words; `curate` looks at
    what a human is about to be asked and gives what is left of it, or the call's result where nothing is: it is asked
    once, before the gate is stored. `granted` says whether the user has allowed a call that needs permission
    already; `reasoning_marks` are, by reasoning format, the words by which a system prompt that demands it is known.
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
    entries: tuple[str, ...] = ()
    absorb: Callable[["AgentRun", Sequence[Any]], Awaitable[Sequence[Payload]]] = _nothing_to_absorb
    withheld: Callable[[Mapping[str, Any]], frozenset[str]] = _nothing_withheld
    tailor: Callable[["AgentSpec", Mapping[str, Any]], "AgentSpec"] = _as_it_is
    finish: Callable[["AgentRun"], Awaitable[dict[str, Any]]] = _no_result
    ended: Callable[["AgentRun"], Awaitable[None]] = _nothing_after
    curate: Callable[["AgentRun", Gate], Awaitable[Gate | ToolResult]] = _asked_as_it_is
    limits: Limits = field(default_factory=Limits)
    compaction: CompactionStrategy = field(default_factory=AU2)
    offline_rescue: bool = False
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

    @cached_property
    def _by_name(self) -> dict[str, Stage]:
        return {stage.name: stage for stage in self.stages}

    def registry(self) -> ToolRegistry:
        """A registry with the agent's tools."""
        return ToolRegistry(self.tools)

    def policy(self) -> ConversationPolicy:
        """The policy made of the stages' declarations."""
        return ConversationPolicy({stage.name: stage.policy for stage in self.stages})

    def controller(self) -> Controller:
        """The state machine made of the stages and the table."""
        return Controller([stage.name for stage in self.stages], self.transitions)

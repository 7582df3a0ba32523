"""A toy agent with one tool of each kind, and the world they act on."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from loopwright.kernel.compaction import AU2
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import Outcome, QuestionItem, Waiting, read_answer
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.messages import Message
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Limits, Stage
from loopwright.kernel.testing import MemoryJournal, resume_run
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult


@dataclass
class World:
    """What the tools change: it outlives every process."""

    things: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    sent: list[str] = field(default_factory=list)
    executed: Counter[tuple[str, str]] = field(default_factory=Counter)
    barrier: asyncio.Barrier | None = None

    def count(self, tool: str) -> int:
        """How often a tool was really executed."""
        return sum(times for (name, _), times in self.executed.items() if name == tool)


class Params(BaseModel):
    """Parameters with one name."""

    model_config = ConfigDict(extra="forbid")

    thing: str = Field(description="The thing's name")
    value: str = ""


class Toy(BaseTool[Any, World]):
    """A tool that counts its executions."""

    parameters_model = Params

    @property
    def description(self) -> str:
        return f"The toy {self.name}."

    async def execute(self, params: Any, ctx: ToolContext[World]) -> ToolResult:
        ctx.db.executed[self.name, ctx.idempotency_key] += 1
        return await self.act(params, ctx)

    async def act(self, params: Any, ctx: ToolContext[World]) -> ToolResult:
        return ToolResult(success=True, output=f"{self.name} {params.thing}")


class Look(Toy):
    name, effect = "look", "pure"
    description = BaseTool.description  # type: ignore[assignment]  # the file beside this module

    async def act(self, params: Params, ctx: ToolContext[World]) -> ToolResult:
        if ctx.db.barrier is not None:
            async with asyncio.timeout(60):
                await ctx.db.barrier.wait()
        return ToolResult(success=True, output=ctx.db.things.get(params.thing, "nothing"))


class Put(Toy):
    name, effect = "put", "idempotent"

    def touches(self, params: Params) -> frozenset[str]:
        return frozenset({params.thing})

    async def act(self, params: Params, ctx: ToolContext[World]) -> ToolResult:
        if ctx.db.barrier is not None:
            async with asyncio.timeout(60):
                await ctx.db.barrier.wait()
        if ctx.db.keys.setdefault(ctx.idempotency_key, params.value) == params.value:
            ctx.db.things[params.thing] = params.value
        return ToolResult(success=True, output=f"{params.thing} = {params.value}", artifacts={"value": params.value})


class Send(Toy):
    name, effect = "send", "once"

    async def act(self, params: Params, ctx: ToolContext[World]) -> ToolResult:
        ctx.db.sent.append(params.thing)
        return ToolResult(success=True, output=f"sent {params.thing}")


class Pay(Send):
    """Needs permission, and a human's word after an interruption."""

    name, asks_after_crash = "pay", True


class Draft(Toy):
    """Asks the model twice."""

    name, effect = "draft", "idempotent"

    async def act(self, params: Params, ctx: ToolContext[World]) -> ToolResult:
        ctx.event_emitter.progress("drafting", thing=params.thing)
        texts = []
        for part in ("first", "second"):
            request = ModelRequest([Message.user(f"Draft the {part} half of {params.thing}.")], tier="fast")
            texts.append((await ctx.llm_client.complete(request)).text)
        return ToolResult(success=True, output=" ".join(texts))


class AskParams(BaseModel):
    """What to ask."""

    questions: list[QuestionItem]


class Ask(Toy):
    name, effect = "ask_user", "pure"
    parameters_model = AskParams

    def gate(self, params: AskParams) -> GateRequest:
        return GateRequest("questions", "A question", questions=tuple(params.questions))

    async def act(self, params: AskParams, ctx: ToolContext[World]) -> ToolResult:
        answers = (ctx.answer or {}).get("answers", {})
        return ToolResult(success=True, output=str(answers) if answers else "No answers were given.")


class Move(Toy):
    """Signals whatever it is told to."""

    name, effect = "move", "idempotent"

    async def act(self, params: Params, ctx: ToolContext[World]) -> ToolResult:
        return ToolResult(success=True, output=f"signalled {params.thing}", signal=params.thing)


class Break(Toy):
    name, effect = "break", "pure"

    async def act(self, params: Params, ctx: ToolContext[World]) -> ToolResult:
        raise RuntimeError(f"cannot {params.thing}")


class Sleep(Toy):
    name, effect, timeout_seconds = "sleep", "pure", 0.01

    async def act(self, params: Params, ctx: ToolContext[World]) -> ToolResult:
        await asyncio.sleep(30)
        raise AssertionError("the time limit did not hold")


TOOLS = (Look(), Put(), Send(), Pay(), Draft(), Ask(), Move(), Break(), Sleep())
NAMES = frozenset(tool.name for tool in TOOLS)


async def work_first(run: AgentRun) -> str:
    return run.spec.stages[0].name


async def plain_prompt(run: AgentRun) -> str:
    return f"You are a toy in stage {run.state.stage}."


def toy_spec(
    *,
    stages: Sequence[Stage] | None = None,
    transitions: Sequence[Transition] | None = None,
    limits: Limits | None = None,
    **more: Any,
) -> AgentSpec:
    """A toy agent: one stage `work` with every tool, `pay` with permission, ended by a text."""
    work = Stage("work", StagePolicy(NAMES, frozenset({"look"}), permission=frozenset({"pay"})))
    spec = AgentSpec(
        name="toys",
        title="Toys",
        description="A toy agent.",
        prompts="tests.kernel",
        stages=tuple(stages or (work,)),
        transitions=tuple(transitions or (Transition("work", "text", COMPLETE),)),
        tools=TOOLS,
        entry=work_first,
        system_prompt=plain_prompt,
        limits=limits or Limits(),
        compaction=AU2(max_messages=10_000, max_tokens=10_000_000),
    )
    return replace(spec, **more)


async def play(run: AgentRun, reason: str = "resumed") -> Outcome:
    """Enter the run and carry it as far as it goes."""
    await run.enter(reason)
    return await run_agentic_loop(run)


def journal_of(run: AgentRun) -> MemoryJournal:
    assert isinstance(run.journal, MemoryJournal)
    return run.journal


def types(run: AgentRun) -> list[str]:
    """The types of the run's stored events."""
    return [event.type for event in journal_of(run).events[run.state.run_id]]


def stored(run: AgentRun, kind: str) -> list[dict[str, Any]]:
    """The payloads of the run's stored events of one type."""
    return [event.payload for event in journal_of(run).events[run.state.run_id] if event.type == kind]


async def answer(run: AgentRun, outcome: Outcome, payload: Any, model: Any = None) -> tuple[AgentRun, Outcome]:
    """Answer the gate at which a run waits, and carry it on with a new owner."""
    assert isinstance(outcome, Waiting)
    answered = GateAnswered(gate_id=outcome.gate.gate_id, answer=read_answer(outcome.gate, payload))
    resumed = resume_run(run, model, payloads=[answered])
    return resumed, await play(resumed, "answered")

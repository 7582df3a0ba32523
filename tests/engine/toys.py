"""A toy agent and its model for tests of what executes runs: so many looks, then a text."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from loopwright.app.loopwright import Loopwright
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.testing.runs import as_response
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from tests.support.agents import introduce
from tests.support.application import settings_in


class Nothing(BaseModel):
    """No parameters."""


class Look(BaseTool[Nothing, Any]):
    """Looks."""

    name, effect = "look", "pure"
    parameters_model = Nothing

    @property
    def description(self) -> str:
        return "Looks."

    async def execute(self, params: Nothing, ctx: ToolContext[Any]) -> ToolResult:
        return ToolResult(success=True, output="seen")


async def first_stage(run: AgentRun) -> str:
    return "work"


async def prompt(run: AgentRun) -> str:
    return "You look around."


TOY = AgentSpec(
    name="toy",
    title="Toy",
    description="Looks, then speaks.",
    prompts="tests.engine",
    stages=(Stage("work", StagePolicy(frozenset({"look"}))),),
    transitions=(Transition("work", "text", COMPLETE),),
    tools=(Look(),),
    entry=first_stage,
    system_prompt=prompt,
)


@dataclass
class LookingModel:
    """Looks `looks` times in every run, then repeats what the user said; `hold` keeps all answers back.

    `opens_at` is how many must wait for an answer at once before `hold` gives way.
    """

    looks: int = 2
    latency: float = 0.0
    hold: asyncio.Event | None = None
    opens_at: int | None = None
    asked: int = 0
    at_once: int = 0
    most_at_once: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Answer by how often this run has been answered before."""
        self.asked += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.came.set()
        if self.hold is not None and self.at_once == self.opens_at:
            self.hold.set()
        try:
            await (self.hold.wait() if self.hold is not None else asyncio.sleep(self.latency))
        finally:
            self.at_once -= 1
        before = sum(message.role == "assistant" for message in request.messages)
        said = next(message.content for message in request.messages if message.role == "user")
        return as_response([("look", {})] if before < self.looks else said, before)

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Free."""
        return 0.0

    def profile(self, tier: str = "standard", model: str | None = None) -> Profile:
        """A frontier model."""
        return "frontier"

    def context_tokens(self, tier: str = "standard", model: str | None = None) -> int | None:
        """Unknown."""
        return None


class Nap(Look):
    """Sleeps for a minute; tells in a file that it has begun."""

    name, effect = "nap", "once"

    async def execute(self, params: Nothing, ctx: ToolContext[Any]) -> ToolResult:
        ctx.output_dir.mkdir(parents=True, exist_ok=True)
        (ctx.output_dir / "began").touch()
        await asyncio.sleep(60)
        raise AssertionError("nobody woke it")


class DeafNap(Nap):
    """Does not let itself be cancelled."""

    async def execute(self, params: Nothing, ctx: ToolContext[Any]) -> ToolResult:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await super().execute(params, ctx)


def toy_with(tool: Look) -> AgentSpec:
    """The toy agent with this tool alone."""
    return replace(TOY, stages=(Stage("work", StagePolicy(frozenset({tool.name}))),), tools=(tool,))


@dataclass
class CallingModel(LookingModel):
    """Calls this tool instead of looking."""

    tool: str = "nap"

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Answer as the other one does."""
        response = await super().complete(request, on_delta)
        calls = [call.model_copy(update={"name": self.tool}) for call in response.tool_calls]
        return response.model_copy(update={"tool_calls": calls})


@asynccontextmanager
async def toy_application(
    folder: Path, model: LookingModel, spec: AgentSpec = TOY, **settings: Any
) -> AsyncIterator[Loopwright]:
    """An application that knows the toy agent."""
    async with Loopwright.open(settings_in(folder, **settings)) as application:
        application.model = model
        introduce(application, "toy", spec)
        yield application

"""A small agent with tools of every kind that evaluation meets, and models that play it well and badly."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from loopwright.app.agents import register
from loopwright.app.loopwright import Loopwright
from loopwright.evals.cases import load_cases
from loopwright.evals.evaluation import Plan, Report, evaluate
from loopwright.kernel.errors import ModelUnavailable
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.messages import Message
from loopwright.kernel.package import AgentPackage
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.testing.runs import as_response
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult
from tests.support.application import settings_in


class Words(BaseModel):
    """What the tools take."""

    words: str


class Note(BaseTool[Words, Any]):
    """Writes a file."""

    name, parameters_model, effect = "note", Words, "idempotent"
    description = "Note something."

    async def execute(self, params: Words, ctx: ToolContext[Any]) -> ToolResult:
        (ctx.output_dir / "note.txt").write_text(params.words, encoding="utf-8")
        return ToolResult(success=True, output=f"noted {params.words}")


class Pay(Note):
    """Needs a yes."""

    name, effect = "pay", "once"
    description = "Pay somebody."

    async def execute(self, params: Words, ctx: ToolContext[Any]) -> ToolResult:
        return ToolResult(success=True, output=f"paid {params.words}")


class AskUser(Note):
    """Asks."""

    name, effect = "ask_user", "pure"
    description = "Ask the user."

    def gate(self, params: Words) -> GateRequest:
        item = QuestionItem(question=params.words, type="radio", options=["Red", "Blue"])
        return GateRequest("questions", "A question", questions=(item,))

    async def execute(self, params: Words, ctx: ToolContext[Any]) -> ToolResult:
        return ToolResult(success=True, output=str((ctx.answer or {}).get("answers")))


class Draft(Note):
    """Asks the model itself."""

    name = "draft"
    description = "Draft a text."

    async def execute(self, params: Words, ctx: ToolContext[Any]) -> ToolResult:
        asked = ModelRequest([Message.user(f"DRAFT {params.words}")])
        text = (await ctx.llm_client.complete(asked)).text
        (ctx.output_dir / "draft.json").write_text(text, encoding="utf-8")
        return ToolResult(success=True, output=text)


TOOLS = (Note(), Pay(), AskUser(), Draft())


async def first_stage(run: AgentRun) -> str:
    return "work"


async def prompt(run: AgentRun) -> str:
    return "You are a clerk."


async def result(run: AgentRun) -> dict[str, Any]:
    return {"notes": sorted(path.name for path in run.output_dir.iterdir()), "kind": run.state.options.get("kind")}


CLERK = AgentSpec(
    name="clerk",
    title="Clerk",
    description="Notes, pays, asks.",
    prompts="tests.evals",
    stages=(Stage("work", StagePolicy(frozenset(tool.name for tool in TOOLS), permission=frozenset({"pay"}))),),
    transitions=(Transition("work", "text", COMPLETE),),
    tools=TOOLS,
    entry=first_stage,
    system_prompt=prompt,
    finish=result,
)


def introduce(spec: AgentSpec = CLERK) -> None:
    """Make the clerk known."""
    register(AgentPackage(name="clerk", title="Clerk", description="A clerk.", spec=spec))


@dataclass
class ClerkModel:
    """Does what the message says (`TOOL WORDS`), once, then tells the tool's result; a `lazy` one only says so.

    Each answer costs `usd`. `away` counts the calls that fail first; `gate` holds answers back until it is set.
    """

    lazy: bool = False
    away: int = 0
    usd: float = 0.0
    gate: asyncio.Event | None = None
    asked: int = 0
    at_once: int = 0
    most_at_once: int = 0
    requests: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        answer = await self._answer(request)
        return answer.model_copy(update={"cost_usd": self.usd})

    async def _answer(self, request: ModelRequest) -> ModelResponse:
        self.asked += 1
        self.requests.append(request)
        if self.away:
            self.away -= 1
            raise ModelUnavailable("the model is away")
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        if self.gate is not None:
            await self.gate.wait()
        await asyncio.sleep(0)
        self.at_once -= 1
        last = request.messages[-1]
        if last.content.startswith("DRAFT "):
            return as_response(json.dumps({"title": last.content.removeprefix("DRAFT ")}), self.asked)
        if last.role == "tool":
            return as_response(f"It is done: {last.content}", self.asked)
        said = [message.content for message in request.messages if message.role == "user"][-1]
        tool, _, words = said.partition(" ")
        if self.lazy or tool not in {each.name for each in TOOLS}:
            return as_response(f"It is done: {words}", self.asked)
        return as_response([(tool, {"words": words})], self.asked)

    def estimate_cost(self, request: ModelRequest) -> float | None:
        return 0.0

    def profile(self, tier: str = "standard", model: str | None = None) -> Profile:
        return "frontier"

    def context_tokens(self, tier: str = "standard", model: str | None = None) -> int | None:
        return None


async def evaluated(folder: Path, cases: str, *names: str, root: str = "evaluation", **plan: Any) -> Report:
    """Evaluate cases, given as YAML, with these models (those of `clients` where none is named)."""
    introduce()
    path = folder / "cases.yaml"
    path.write_text(cases, encoding="utf-8")
    clients = plan.setdefault("clients", {"clerk": ClerkModel()})
    settings = settings_in(folder, openai_base_url="offline")
    told: list[Any] = []
    report = await evaluate(
        Plan(load_cases(path), names or tuple(clients), settings, **plan),
        folder / root,
        lambda result, done, total: told.append((result, done, total)),
    )
    over = report.total - report.left
    assert [done for _, done, _ in told] == list(range(over - len(told) + 1, over + 1))
    return report


@asynccontextmanager
async def installation(folder: Path, model: ClerkModel) -> AsyncIterator[Loopwright]:
    """The user's own installation, in which runs are recorded."""
    introduce()
    async with Loopwright.open(settings_in(folder, openai_base_url="offline")) as app:
        app.model = model
        yield app

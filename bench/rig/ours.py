"""Our side: the real kernel loop with the real client, its journal in memory or on SQLite."""

import asyncio
import tempfile
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field
from rig.task import DESCRIPTION, MODEL, NAMES, TASK, Steps, system_prompt

from loopwright.kernel.budget import Budget
from loopwright.kernel.compaction import AU2
from loopwright.kernel.errors import StaleOwner
from loopwright.kernel.events import Event, Payload, RunCreated, UserMessage
from loopwright.kernel.gates import Finished
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.ports import Appended, Journal, ModelClient, RunClaim, RunUpdate
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import AgentRun, Toolbox
from loopwright.kernel.spec import AgentSpec, Limits, Stage
from loopwright.kernel.state import RunState
from loopwright.kernel.testing.runs import event_of
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.models.answer import repair_arguments
from loopwright.models.client import OpenAIClient
from loopwright.models.settings import ModelSettings


class Parameters(BaseModel):
    """As the peer's."""

    query: str = Field(description="What to look for, in a few words.")
    limit: int = Field(5, description="How many results at most.")


class Search(BaseTool[Parameters, Steps]):
    """Tells the time, as the peer's tool does."""

    parameters_model = Parameters
    effect = "pure"

    @property
    def description(self) -> str:
        """As the peer's."""
        return DESCRIPTION

    async def execute(self, params: Parameters, ctx: ToolContext[Steps]) -> ToolResult:
        """Note the time."""
        return ToolResult(success=True, output=ctx.db.done())


def search_named(tool_name: str) -> Search:
    """The same tool under another name."""
    made: type[Search] = type(tool_name, (Search,), {"name": tool_name, "__doc__": Search.__doc__})
    return made()


async def _entry(run: AgentRun) -> str:
    return "work"


def spec(steps: int, prompt: str) -> AgentSpec:
    """An agent of one stage, which ends when the model answers with text."""

    async def system(run: AgentRun) -> str:
        return prompt

    return AgentSpec(
        name="bench",
        title="Bench",
        description="The agent that is measured.",
        prompts="loopwright.kernel",
        stages=(Stage("work", StagePolicy(frozenset(NAMES)), max_tokens=4_096),),
        transitions=(Transition("work", "text", COMPLETE),),
        tools=tuple(search_named(name) for name in NAMES),
        entry=_entry,
        system_prompt=system,
        limits=Limits(max_steps=steps + 2),
        compaction=AU2(max_messages=1_000_000, max_tokens=1_000_000_000),  # the peer keeps everything as well
    )


class KeepingJournal:
    """Keeps the events in lists: what a run costs without any store, as the peer has none."""

    def __init__(self) -> None:
        """Start empty."""
        self._events: dict[str, list[Payload]] = {}

    def create(self) -> RunClaim:
        """A new run, claimed."""
        run_id = uuid.uuid4().hex
        self._events[run_id] = first_events()
        return RunClaim(run_id, 1, "bench")

    async def append(
        self, claim: RunClaim, after_seq: int, payloads: Sequence[Payload], update: RunUpdate | None = None
    ) -> Appended:
        """Append behind the fence."""
        events = self._events[claim.run_id]
        if len(events) != after_seq:
            raise StaleOwner(f"run {claim.run_id} is at {len(events)}, not at {after_seq}")
        events.extend(payloads)
        return Appended([], cancel_requested=False)

    async def read(self, run_id: str, since_seq: int = 0, limit: int | None = None) -> list[Event]:
        """The events with a greater seq."""
        events = self._events[run_id][since_seq:][:limit]
        return [event_of(run_id, seq, payload) for seq, payload in enumerate(events, since_seq + 1)]

    def watch(self, run_id: str, since_seq: int = 0) -> AsyncIterator[Event]:
        """Nobody watches here."""
        raise NotImplementedError("the bench watches no runs")


@dataclass(frozen=True)
class Stored:
    """A journal, and claims on new runs in it."""

    journal: Journal
    claims: list[RunClaim]


@asynccontextmanager
async def in_memory(runs: int) -> AsyncIterator[Stored]:
    """New runs in a journal in memory."""
    journal = KeepingJournal()
    yield Stored(journal, [journal.create() for _ in range(runs)])


@asynccontextmanager
async def on_sqlite(runs: int, home: Path | None = None) -> AsyncIterator[Stored]:
    """New runs in a journal on a new SQLite file, in `home` or in a folder that goes away."""
    from loopwright.stores.database import Database
    from loopwright.stores.journal import SqlJournal
    from loopwright.stores.runs import SqlRuns

    with tempfile.TemporaryDirectory() as folder:
        async with await Database.open(None, home or Path(folder)) as database:
            stored = SqlRuns(database)
            made = [await stored.create("session", "bench", TASK, first_events()) for _ in range(runs)]
            yield Stored(SqlJournal(database), [await stored.claim(run.run_id, "bench") for run in made])


def first_events() -> list[Payload]:
    """What every run begins with."""
    return [RunCreated(session_id="session", agent="bench"), UserMessage(text=TASK)]


async def run(
    base_url: str, runs: int, steps: int, latency_ms: int, *, sqlite: bool = False, streaming: bool = False
) -> list[Steps]:
    """So many runs at once, each of so many steps. The peer does not stream, so neither do we unless asked to."""
    agent = spec(steps, system_prompt(steps, latency_ms))
    toolbox = Toolbox.of(agent, PromptRepository({agent.name: agent.prompts}), repair_arguments)
    settings = ModelSettings(base_url=base_url, api_key="bench", models={"standard": MODEL})
    async with OpenAIClient(settings) as client, (on_sqlite if sqlite else in_memory)(runs) as stored:

        async def one(claim: RunClaim) -> Steps:
            seen = Steps()
            await to_its_end(agent, toolbox, stored.journal, claim, client, seen, streaming=streaming)
            return seen

        return list(await asyncio.gather(*(one(claim) for claim in stored.claims)))


async def to_its_end(
    agent: AgentSpec,
    toolbox: Toolbox,
    journal: Journal,
    claim: RunClaim,
    model: ModelClient,
    services: Steps,
    *,
    streaming: bool = False,
) -> None:
    """One claimed run, from its beginning until the model says that it is done."""
    agent_run = AgentRun(
        toolbox=toolbox,
        state=RunState.fold(claim.run_id, await journal.read(claim.run_id)),
        claim=claim,
        journal=journal,
        model=model,
        services=services,
        output_dir=Path(),
        budget=Budget(agent.limits.budget),
        streaming=streaming,
    )
    await agent_run.enter("bench")
    outcome = await run_agentic_loop(agent_run)
    if outcome != Finished("All is done."):
        raise AssertionError(f"our run did not reach its end: {outcome}")

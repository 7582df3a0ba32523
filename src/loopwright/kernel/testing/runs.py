"""Models that play a script, and runs in memory: started, and taken over by a new owner."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_core import from_json, to_json

from loopwright.kernel.budget import Budget
from loopwright.kernel.errors import InvalidInput, ModelError, NotFound, StaleOwner
from loopwright.kernel.events import Event, ModelResponse, Payload, RunCreated, Usage, UserMessage
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.ports import Appended, DeltaSink, ModelRequest, Profile, RunClaim, RunUpdate, Tier
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import AgentRun, Toolbox
from loopwright.kernel.spec import AgentSpec
from loopwright.kernel.state import TERMINAL, RunState

Reply = str | ModelResponse | Exception | Sequence[tuple[str, dict[str, Any]]]
"""A scripted answer: a text, a list of (tool, arguments), a whole response, or an exception to raise."""


@dataclass
class ScriptedModel:
    """A model that plays a script, one reply per request.

    A reply may be a function of the request. A request beyond the script fails the test at once, or in `assert_done`
    when a tool made it (there it is one failure of the tool among others); `assert_done` also fails when replies are
    left over.
    """

    script: Sequence[Reply | Callable[[ModelRequest], Reply]]
    requests: list[ModelRequest] = field(default_factory=list)
    latency: float = 0.0
    kind: Profile = "frontier"
    window: int | None = None
    unexpected: list[str] = field(default_factory=list)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Play the next reply.

        Raises:
            AssertionError: the script is at its end.
        """
        index = len(self.requests)
        if index >= len(self.script):
            self.unexpected.append(f"unexpected model request {index + 1}: {request.messages[-1].content[:300]!r}")
            raise AssertionError(self.unexpected[-1])
        self.requests.append(replace(request, messages=list(request.messages)))
        if self.latency:
            await asyncio.sleep(self.latency)
        reply = self.script[index]
        response = as_response(reply(request) if callable(reply) else reply, index)
        if on_delta is not None and response.text:
            on_delta(response.text)
        return response

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Scripted answers cost nothing."""
        return 0.0

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """The kind that the test has chosen."""
        return self.kind

    def context_tokens(self, tier: Tier = "standard", model: str | None = None) -> int | None:
        """The window that the test has chosen."""
        return self.window

    def assert_done(self) -> None:
        """Fail when the agent asked for more or fewer replies than the script has."""
        if self.unexpected:
            raise AssertionError("; ".join(self.unexpected))
        left = len(self.script) - len(self.requests)
        if left:
            raise AssertionError(f"{left} scripted replies were never asked for; the next one: {self.script[-left]!r}")


def as_response(reply: Reply, index: int = 0) -> ModelResponse:
    """The scripted reply as a model response.

    Raises:
        Exception: the reply is an exception.
    """
    if isinstance(reply, Exception):
        raise reply
    if isinstance(reply, ModelResponse):
        return reply
    usage = Usage(prompt_tokens=10, completion_tokens=5)
    if isinstance(reply, str):
        return ModelResponse(text=reply, usage=usage, cost_usd=0.0, model="scripted")
    calls = [
        ToolCall(id=f"call_{index}_{i}", name=name, arguments=to_json(arguments).decode())
        for i, (name, arguments) in enumerate(reply)
    ]
    return ModelResponse(
        text="", tool_calls=calls, usage=usage, cost_usd=0.0, model="scripted", finish_reason="tool_calls"
    )


class FailingModel:
    """A model that can never be had."""

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Fail.

        Raises:
            ModelError: always.
        """
        raise ModelError("the model is away")

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Unknown."""
        return None

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """As any other."""
        return "frontier"

    def context_tokens(self, tier: Tier = "standard", model: str | None = None) -> int | None:
        """Unknown."""
        return None


# Runs in memory: started, and taken over by a new owner who knows nothing but the journal.
#
# The journal in memory.


class MemoryJournal:
    """A `Journal` in memory, with the fence of the real one."""

    def __init__(self) -> None:
        """Start empty."""
        self.events: dict[str, list[Event]] = {}
        self.epochs: dict[str, int] = {}
        self.cancel_requested: set[str] = set()
        self.appends = 0

    def create(self, run_id: str, payloads: Sequence[Payload]) -> RunClaim:
        """A new run with its first events, claimed."""
        self.events[run_id] = [event_of(run_id, seq, payload) for seq, payload in enumerate(payloads, 1)]
        self.epochs[run_id] = 1
        return RunClaim(run_id, 1, "memory")

    def claim(self, run_id: str) -> RunClaim:
        """Take a run over: the former owner's appends are refused from now on."""
        self.epochs[run_id] += 1
        return RunClaim(run_id, self.epochs[run_id], f"memory-{self.epochs[run_id]}")

    async def append(
        self, claim: RunClaim, after_seq: int, payloads: Sequence[Payload], update: RunUpdate | None = None
    ) -> Appended:
        """Append behind the fence.

        Raises:
            StaleOwner: the epoch or the seq is not the stored one.
        """
        stored = self.events[claim.run_id]
        if self.epochs[claim.run_id] != claim.epoch or len(stored) != after_seq:
            raise StaleOwner(f"run {claim.run_id} is at seq {len(stored)}, epoch {self.epochs[claim.run_id]}")
        new = [event_of(claim.run_id, seq, payload) for seq, payload in enumerate(payloads, after_seq + 1)]
        stored.extend(new)
        self.appends += 1
        return Appended(new, claim.run_id in self.cancel_requested)

    async def read(self, run_id: str, since_seq: int = 0, limit: int | None = None) -> list[Event]:
        """Events with a greater seq."""
        if run_id not in self.events:
            raise NotFound(f"There is no run {run_id!r}.")
        return self.events[run_id][since_seq:][:limit]

    async def watch(self, run_id: str, since_seq: int = 0) -> AsyncGenerator[Event, None]:
        """Events as they come, until the terminal one."""
        while True:
            for event in self.events[run_id][since_seq:]:
                since_seq = event.seq
                yield event
                if event.type.removeprefix("run_") in TERMINAL:
                    return
            await asyncio.sleep(0.005)


def event_of(run_id: str, seq: int, payload: Payload) -> Event:
    """The payload as a store would give it back: through JSON."""
    return Event(
        run_id=run_id, seq=seq, type=payload.type, at=datetime.now(UTC), payload=from_json(payload.model_dump_json())
    )


# Death in tests: a process that dies at a named point or at an append, and whose memory is lost with it.


class Death(BaseException):
    """The process is gone: no `except Exception` may survive it."""


class MortalJournal(MemoryJournal):
    """A journal whose process dies at given appends, before or after they are stored, or when `die` is called.

    What a dead process still tries to write is refused; the next claim is made by a new process.
    """

    def __init__(self, *, dies_at: Collection[int] = (), stored: bool = False) -> None:
        """`dies_at` counts stored appends from 1; `stored` says whether a fatal one still reaches the disk."""
        super().__init__()
        self._dies_at = set(dies_at)
        self._stored = stored
        self._dead = False
        self.deaths = 0

    def die(self) -> None:
        """Die now.

        Raises:
            Death: always.
        """
        self._dead = True
        self.deaths += 1
        raise Death

    def claim(self, run_id: str) -> RunClaim:
        """Take a run over with a new process."""
        self._dead = False
        return super().claim(run_id)

    async def append(
        self, claim: RunClaim, after_seq: int, payloads: Sequence[Payload], update: RunUpdate | None = None
    ) -> Appended:
        """Append, and die where it was asked for.

        Raises:
            Death: the process died here, or was dead already.
        """
        if self._dead:
            raise Death
        fatal = self.appends + 1 in self._dies_at
        self._dies_at.discard(self.appends + 1)
        if fatal and not self._stored:
            self.die()
        appended = await super().append(claim, after_seq, payloads, update)
        if fatal:
            self.die()
        return appended


def strict_arguments(raw: str) -> dict[str, Any] | str:
    """Arguments as plain JSON, without any repair."""
    try:
        arguments = from_json(raw or "{}")
    except ValueError as error:
        return str(error)
    return arguments if isinstance(arguments, dict) else "the arguments must be a JSON object"


def start_run(
    spec: AgentSpec,
    model: Any,
    message: str = "Do it.",
    *,
    journal: MemoryJournal | None = None,
    services: Any = None,
    output_dir: Path = Path(),
    options: dict[str, Any] | None = None,
    prompts: PromptRepository | None = None,
) -> AgentRun:
    """A new run in memory, ready for `run_agentic_loop`."""
    journal = journal or MemoryJournal()
    run_id = uuid.uuid4().hex
    payloads = [
        RunCreated(session_id="session", agent=spec.name, options=options or {}),
        UserMessage(text=message),
    ]
    claim = journal.create(run_id, payloads)
    return _assemble(spec, model, claim, journal, services, output_dir, prompts)


def resume_run(
    run: AgentRun, model: Any = None, *, payloads: Sequence[Payload] = (), journal: MemoryJournal | None = None
) -> AgentRun:
    """The same run in the hands of a new owner, who knows nothing but the journal; `payloads` are appended first."""
    stored = journal or run.journal
    if not isinstance(stored, MemoryJournal):
        raise InvalidInput("resume_run works on a MemoryJournal")
    claim = stored.claim(run.state.run_id)
    events = stored.events[run.state.run_id]
    events += [event_of(run.state.run_id, seq, payload) for seq, payload in enumerate(payloads, len(events) + 1)]
    return _assemble(run.spec, model or run.model, claim, stored, run.services, run.output_dir, run.toolbox.prompts)


def _assemble(
    spec: AgentSpec,
    model: Any,
    claim: RunClaim,
    journal: MemoryJournal,
    services: Any,
    output_dir: Path,
    prompts: PromptRepository | None,
) -> AgentRun:
    repository = prompts or PromptRepository({spec.name: spec.prompts})
    state = RunState.fold(claim.run_id, journal.events[claim.run_id])
    return AgentRun(
        toolbox=Toolbox.of(spec, repository, strict_arguments),
        state=state,
        claim=claim,
        journal=journal,
        model=model,
        services=services,
        output_dir=output_dir,
        budget=Budget(
            spec.limits.budget, tokens=state.tokens, usd=state.usd, usd_known=state.usd_known, steps=state.steps
        ),
    )

"""One run in the hands of its owner: state, journal, model and services together."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from loopwright.kernel.budget import Budget
from loopwright.kernel.cancelling import Cancellation, whole
from loopwright.kernel.controller import Controller
from loopwright.kernel.errors import Conflict, JournalUnavailable, StaleOwner
from loopwright.kernel.events import Payload, RunResumed, RunStarted
from loopwright.kernel.messages import Message
from loopwright.kernel.policy import AIMode, ConversationPolicy, Decision
from loopwright.kernel.ports import Claim, EventSink, Journal, ModelClient, ModelRequest, RequestLabels, RunUpdate
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.registry import ToolRegistry
from loopwright.kernel.run_states import TERMINAL, RunStatus, check_transition
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.state import RunState

T = TypeVar("T")


class RepairArguments(Protocol):
    """Reads the arguments of a tool call, mending broken JSON where the meaning is plain."""

    def __call__(self, raw: str) -> dict[str, Any] | str:
        """The arguments, or the text that tells the model what is wrong with them."""
        ...


def utc_now() -> datetime:
    """The moment, by this machine's clock."""
    return datetime.now(UTC)


def silent_sink(run_id: str, kind: str, data: Mapping[str, Any]) -> None:
    """A sink for runs that nobody watches."""


@dataclass(frozen=True)
class Toolbox:
    """What is made once per agent and shared by its runs."""

    spec: AgentSpec
    registry: ToolRegistry
    policy: ConversationPolicy
    controller: Controller
    prompts: PromptRepository
    repair: RepairArguments

    @classmethod
    def of(cls, spec: AgentSpec, prompts: PromptRepository, repair: RepairArguments) -> "Toolbox":
        """Build everything from the spec."""
        return cls(spec, spec.registry(), spec.policy(), spec.controller(), prompts, repair)


@dataclass
class AgentRun:
    """A run that this process owns.

    Every change goes through `append` (stored now) or `defer` (stored with the next append, which comes at the end of
    the step at the latest, and before anything that cannot be undone). `services` are the agent's own stores;
    `output_dir` is the session's folder. `rescue` answers where the model cannot be reached. Who puts a signal to the
    controller holds `turning` until the stage has changed.
    """

    toolbox: Toolbox
    state: RunState
    claim: Claim
    journal: Journal
    model: ModelClient
    services: Any
    output_dir: Path
    budget: Budget
    sink: EventSink = silent_sink
    rescue: ModelClient | None = None
    clock: Callable[[], datetime] = utc_now
    streaming: bool = True
    cancellation: Cancellation = field(default_factory=Cancellation)
    turning: asyncio.Lock = field(default_factory=asyncio.Lock)
    _deferred: list[Payload] = field(default_factory=list)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _warned_of_price: bool = False

    @property
    def spec(self) -> AgentSpec:
        """The agent's spec."""
        return self.toolbox.spec

    @property
    def stage(self) -> Stage:
        """The stage in which the controller says the run is."""
        return self.spec.stage(self.state.stage)

    @property
    def mode(self) -> AIMode:
        """The user's mode; only the user's options hold it."""
        return "chat" if self.state.options.get("mode") == "chat" else "agent"

    @property
    def decision(self) -> Decision:
        """What the policy allows in this stage."""
        reasoning = bool(self.state.options.get("reasoning", False))
        decision = self.toolbox.policy.decide(self.state.stage, self.mode, reasoning)
        withheld = self.spec.withheld(self.state.options)
        return decision.without(withheld) if withheld else decision

    @property
    def key(self) -> str:
        """A key for what belongs to the last model response: the same after a crash."""
        return f"{self.state.run_id}:step{self.state.steps}"

    def defer(self, *payloads: Payload) -> None:
        """Take events into the state now and store them with the next append.

        Raises:
            Conflict: the run is over.
        """
        self._refuse_after_end()
        at = self.clock()
        for payload in payloads:
            self.state.apply(payload, at)
        self._deferred += payloads

    async def append(self, *payloads: Payload, update: RunUpdate | None = None) -> None:
        """Store the deferred events and these in one transaction; a caller that is cancelled waits for its end.

        What could not be stored is deferred again: the state never holds what is neither stored nor due to be.

        Raises:
            StaleOwner: somebody else owns the run now; nothing was stored.
            JournalUnavailable: the journal cannot be written.
            Conflict: the run is over.
        """
        await whole(self._append(payloads, update))

    async def _append(self, payloads: Sequence[Payload], update: RunUpdate | None) -> None:
        async with self._lock:
            if payloads:
                self._refuse_after_end()
            pending = [*self._deferred, *payloads]
            if not pending and update is None:
                return
            after = self.state.seq - len(self._deferred)
            self._deferred = []
            at = self.clock()
            for payload in payloads:
                self.state.apply(payload, at)
            try:
                appended = await self.journal.append(self.claim, after, pending, update or self._totals())
            except BaseException as error:
                self._deferred = [*pending, *self._deferred]
                if isinstance(error, StaleOwner) or not isinstance(error, Exception):
                    raise
                raise JournalUnavailable(f"Run {self.state.run_id} cannot be stored: {error}") from error
            if appended.cancel_requested:
                self.cancel()

    @property
    def cancelled(self) -> bool:
        """Whether the user has cancelled: the run ends at its next boundary."""
        return self.cancellation.asked

    def cancel(self) -> None:
        """Stop at the next boundary; calls, actions and model calls under way are cancelled."""
        self.cancellation.ask()

    async def interruptibly(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result, unless the user cancels the run meanwhile: then the work is stopped.

        Raises:
            Interrupted: the user has cancelled.
        """
        return await self.cancellation.reaching(work)

    def _refuse_after_end(self) -> None:
        if self.state.status in TERMINAL:
            raise Conflict(f"Run {self.state.run_id} is {self.state.status}; nothing may follow.")

    def _totals(self, status: RunStatus | None = None) -> RunUpdate:
        return RunUpdate(
            status=status, steps=self.state.steps, cost_usd=self.state.usd, cost_unknown=not self.state.usd_known
        )

    async def append_status(self, *payloads: Payload) -> None:
        """Store events of which the last one changes the run's status."""
        self.defer(*payloads)
        await self.append(update=self._totals(self.state.status))

    async def enter(self, reason: str) -> None:
        """Tell the journal that this owner has taken the run; `reason` is for a run that ran before.

        Raises:
            Conflict: the run is over.
        """
        if self.state.status != "running":  # a running one is taken over from an owner that died
            check_transition(self.state.run_id, self.state.status, "running")
        if self.state.status == "queued":
            await self.append_status(RunStarted(owner=self.claim.owner))
        elif self.state.status == "running":
            await self.append(RunResumed(owner=self.claim.owner, reason=reason))
        else:
            await self.append_status(RunResumed(owner=self.claim.owner, reason=reason))

    @contextmanager
    def paying(self, estimated_tokens: int, request: ModelRequest) -> Iterator[None]:
        """Hold the price of a model call while it is under way.

        A model without a known price escapes the caps on money; whoever watches is told so, once.

        Raises:
            BudgetExceeded: the call would pass a hard cap.
        """
        price = self.model.estimate_cost(request)
        if price is None and self.budget.caps_money and not self._warned_of_price:
            self._warned_of_price = True
            text = "The model's price is not known: caps on money do not hold, caps on tokens do."
            self.sink(self.state.run_id, "warning", {"message": text})
        with self.budget.reserve(estimated_tokens, price):
            yield

    def request(self, messages: Sequence[Message]) -> ModelRequest:
        """The model request of the current stage."""
        stage, decision = self.stage, self.decision
        return ModelRequest(
            messages=messages,
            tools=self.toolbox.registry.schemas(decision.tools),
            tier=stage.tier,
            model=stage.model,
            max_tokens=stage.max_tokens,
            labels=self.labels(tool_count=len(decision.tools)),
        )

    def labels(self, *, stage: str | None = None, tool_count: int = 0) -> RequestLabels:
        """The labels that every model request carries."""
        return RequestLabels(
            conversation_id=self.state.session_id,
            run_id=self.state.run_id,
            mode=self.mode,
            stage=stage or self.state.stage,
            tool_count=tool_count,
            reasoning=self.decision.reasoning != "none",
        )

"""One run in the hands of its owner: state, journal, model and services together."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from loopwright.kernel.budget import Budget
from loopwright.kernel.cancelling import Cancellation, whole
from loopwright.kernel.children import ChildRuns
from loopwright.kernel.errors import Conflict, JournalUnavailable, StaleOwner
from loopwright.kernel.events import Payload, RunResumed, RunStarted
from loopwright.kernel.policy import AIMode, Controller, ConversationPolicy, ToolDecision
from loopwright.kernel.ports import (
    EventSink,
    Journal,
    ModelClient,
    ModelRequest,
    Profile,
    RunClaim,
    RunUpdate,
    Tier,
)
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.state import TERMINAL, RunState, RunStatus, check_transition
from loopwright.kernel.tools import ToolRegistry

T = TypeVar("T")


class RepairArguments(Protocol):
    """Reads the arguments of a tool call, repairing broken JSON where the meaning is plain."""

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
    `output_dir` is the session's folder. `fallback` answers where the model cannot be reached, `children` carries
    on the runs that tools ask other agents for. Who puts a signal to the controller holds `changing_stage` until the
    stage has changed.
    """

    toolbox: Toolbox
    state: RunState
    claim: RunClaim
    journal: Journal
    model: ModelClient
    services: Any
    output_dir: Path
    budget: Budget
    sink: EventSink = silent_sink
    fallback: ModelClient | None = None
    children: ChildRuns | None = None
    clock: Callable[[], datetime] = utc_now
    streaming: bool = True
    cancellation: Cancellation = field(default_factory=Cancellation)
    changing_stage: asyncio.Lock = field(default_factory=asyncio.Lock)
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
    def decision(self) -> ToolDecision:
        """What the policy allows in this stage."""
        return self.decisions(self.state.stage)[0]

    def decisions(self, *stages: str) -> list[ToolDecision]:
        """What the policy allows in each of these stages."""
        reasoning = bool(self.state.options.get("reasoning", False))
        withheld = self.spec.withheld(self.state.options)
        rest = (self.mode, reasoning, withheld, self.profile == "small", self.state.asked_for)
        return [_decision(self.toolbox.policy, stage, *rest) for stage in stages]

    @property
    def profile(self) -> Profile:
        """What kind of model answers in this stage: it decides how much a request tells and offers."""
        model, of_stage = self._answering
        return model.profile(*of_stage)

    @property
    def window(self) -> int | None:
        """How many tokens prompt and answer may have together in this stage; None where nobody knows."""
        model, of_stage = self._answering
        return model.context_tokens(*of_stage)

    @property
    def _answering(self) -> tuple[ModelClient, tuple[Tier, str | None]]:
        """Who answers now, and the tier and the model that the stage names; before the first stage the usual ones."""
        model = self.fallback if self.fallback is not None and self.state.fell_back else self.model
        stage = self.spec.find(self.state.stage)
        return model, (stage.tier, stage.model) if stage is not None else ("standard", None)

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
        spent = self.state.spent
        return RunUpdate(status=status, steps=spent.steps, cost_usd=spent.usd, cost_unknown=not spent.usd_known)

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


@lru_cache(1_024)
def _decision(
    policy: ConversationPolicy,
    stage: str,
    mode: AIMode,
    reasoning: bool,
    withheld: frozenset[str],
    small: bool,
    asked_for: frozenset[str],
) -> ToolDecision:
    """The policy is pure and a step asks for its decision ten times, so it is made once."""
    decision = policy.decide(stage, mode, reasoning)
    if withheld:
        decision = decision.without(withheld)
    return decision.for_small(asked_for) if small else decision.for_frontier(asked_for)

"""What the kernel needs from outside, as Protocols; stores, models and engine implement them."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

from loopwright.kernel.events import Event, ModelResponse, Payload
from loopwright.kernel.messages import Message, ToolSchemas
from loopwright.kernel.state import RunStatus

Tier = Literal["fast", "standard", "powerful"]
Profile = Literal["small", "frontier"]
"""What kind of model answers: a small one gets few tools and short prompts."""
DeltaSink = Callable[[str], None]


@runtime_checkable
class AnswerSink(Protocol):
    """A delta sink that also wants to see tool calls while they are written."""

    def __call__(self, text: str) -> None:
        """Take a piece of the text; an empty one means that all that was shown of the answer is void."""
        ...

    def arguments(self, index: int, name: str, text: str) -> None:
        """Take a piece of the arguments of the answer's call number `index` (from 0) of the tool `name`."""
        ...


@dataclass(frozen=True)
class RequestLabels:
    """What every model request carries for logs and traces (spec 002, observability)."""

    conversation_id: str = ""
    run_id: str = ""
    mode: str = "agent"
    stage: str = ""
    tool_count: int = 0
    reasoning: bool = False


@dataclass(frozen=True)
class ModelRequest:
    """One call of a model.

    `messages` keep their wire bytes, so that a client joins instead of serialising again. `response_format` is an
    OpenAI `response_format` object. `model` names a model outright; otherwise the tier decides. `max_tokens` bounds the
    answer. `grammar` is a JSON schema for the answers of models that need a grammar to keep to a form at all; others
    are not held by it. Without `may_answer` only a tool call is an answer. `tools` are what the model is told of,
    `callable_now` those of them that it may call (None: all). With
    `fields_told` the messages say what the answer's fields are: it is not told again where the endpoint holds the
    model to the form. `task` names what is asked for, for the offline model.
    """

    messages: Sequence[Message]
    tools: ToolSchemas = field(default_factory=ToolSchemas)
    tier: Tier = "standard"
    model: str | None = None
    max_tokens: int = 4_096
    temperature: float | None = None
    response_format: Mapping[str, Any] | None = None
    grammar: Mapping[str, Any] | None = None
    may_answer: bool = True
    callable_now: frozenset[str] | None = None
    fields_told: bool = False
    task: str = ""
    labels: RequestLabels = field(default_factory=RequestLabels)


class ModelClient(Protocol):
    """A language model behind whatever wire."""

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Answer the request; text pieces go to `on_delta` as they come, when one is given.

        An empty piece means that a broken answer is begun anew: what was shown of it is void. An `AnswerSink` gets the
        arguments of tool calls too, where the endpoint streams them.

        Raises:
            ModelUnavailable: retries and fallback are spent.
            ModelRejected: the endpoint refuses the request for good.
        """
        ...

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """An upper estimate of the call's price in USD, or None where the model's price is unknown."""
        ...

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """What kind of model answers requests of this tier, or that name this model."""
        ...

    def context_tokens(self, tier: Tier = "standard", model: str | None = None) -> int | None:
        """How many tokens prompt and answer may have together there; None where nobody knows."""
        ...


OUTAGE_SECONDS = 60.0
"""How long a run sits an outage of its store out before it stops: a restart of the database, a failover."""


@dataclass(frozen=True)
class RunClaim:
    """The right to append to a run: valid while the stored epoch is this one.

    `deaths` is how many owners in a row have died while they carried the run on (see `kernel/state.py`).
    """

    run_id: str
    epoch: int
    owner: str
    deaths: int = 0


class RunRecord(BaseModel):
    """A run as the store knows it without reading its journal.

    `owner_alive` is the store's judgement by heartbeat at the time of reading.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    run_id: str
    session_id: str
    agent: str
    status: RunStatus
    seq: int
    epoch: int
    owner: str | None = None
    owner_alive: bool = False
    heartbeat_at: datetime | None = None
    cancel_requested: bool = False
    created_at: datetime
    updated_at: datetime
    steps: int = 0
    cost_usd: float | None = 0.0
    message: str = ""
    deaths: int = 0


@dataclass(frozen=True)
class RunUpdate:
    """Columns of the run that change together with an append; None leaves one as it is.

    `cost_unknown` marks that a model without a price took part: the stored cost becomes NULL.
    """

    status: RunStatus | None = None
    steps: int | None = None
    cost_usd: float | None = None
    cost_unknown: bool = False


@dataclass(frozen=True)
class Appended:
    """What an append brought back: the stored events, and whether someone has asked to cancel the run."""

    events: list[Event]
    cancel_requested: bool


class Journal(Protocol):
    """The append-only truth of every run."""

    async def append(
        self, claim: RunClaim, after_seq: int, payloads: Sequence[Payload], update: RunUpdate | None = None
    ) -> Appended:
        """Append in one transaction: fence, events (seq after_seq + 1 …), run columns.

        Raises:
            StaleOwner: the run's epoch or seq is not the claim's.
        """
        ...

    async def read(self, run_id: str, since_seq: int = 0, limit: int | None = None) -> list[Event]:
        """Events with a greater seq, oldest first."""
        ...

    def watch(self, run_id: str, since_seq: int = 0) -> AsyncGenerator[Event, None]:
        """Events with a greater seq, then new ones as they are committed; ends after the run's terminal event.

        A run that waits for a human does not end the stream.
        """
        ...


class Runs(Protocol):
    """The runs themselves: creation, ownership, state."""

    async def create(
        self, session_id: str, agent: str, message: str, payloads: Sequence[Payload], run_id: str | None = None
    ) -> RunRecord:
        """Create a queued run with its first events."""
        ...

    async def get(self, run_id: str) -> RunRecord:
        """The run.

        Raises:
            NotFound: there is no such run.
        """
        ...

    async def find(
        self, *, session_id: str | None = None, agent: str | None = None, status: str | None = None, limit: int = 50
    ) -> list[RunRecord]:
        """Runs, newest first."""
        ...

    async def claim(self, run_id: str, owner: str, *, takeover: bool = False, anyway: bool = False) -> RunClaim:
        """Become the run's owner: raises its epoch, clears an old owner, sets the heartbeat.

        A running run whose owner is still alive by heartbeat is refused unless `takeover`, a parked one unless
        `anyway`. An owner that has died while it carried the run on is counted in the claim.

        Raises:
            Conflict: the run is terminal or parked, or its owner lives.
        """
        ...

    def heartbeat(self, owner: str, run_ids: Sequence[str]) -> None:
        """Tell that these runs' owner lives. It may be called from any thread, and is written soon."""
        ...

    async def release(self, claim: RunClaim) -> None:
        """Give up ownership without changing the status; a stale claim is ignored."""
        ...

    async def request_cancel(self, run_id: str) -> RunRecord:
        """Ask for cancellation, durably. The owner hears of it within a second, and stops what is under way."""
        ...

    async def cancel_requested(self, run_ids: Sequence[str]) -> set[str]:
        """Those of the runs whose cancellation was asked for."""
        ...

    async def any_deaths(self) -> bool:
        """Whether a run that is not over has lost an owner by death."""
        ...

    async def orphans(self, heartbeat_seconds: float) -> list[RunRecord]:
        """Queued runs, and running ones whose heartbeat is older than this."""
        ...

    async def spent_in(self, session_id: str) -> float:
        """USD charged to all runs of a session (known prices only)."""
        ...

    async def spent_since(self, since: datetime) -> float:
        """USD charged to all runs since then (known prices only)."""
        ...


class EventSink(Protocol):
    """Where things go that are shown but not stored: text deltas, progress of a long tool."""

    def __call__(self, run_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """Show it to whoever watches now; never blocks, never raises."""
        ...

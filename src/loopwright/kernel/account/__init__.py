"""What an agent brings to the account: its checks, and how a statement becomes a claim."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


# A statement of the user's, what is claimed of it, and the evidence for that.

Kind = Literal[
    "thing", "action", "quantity", "date", "limit", "order", "style", "name", "place", "person", "question", "context"
]
State = Literal["open", "kept", "assumed", "asked", "refused", "not_used", "superseded"]


class Claim(BaseModel):
    """That a check the agent has registered holds of the result, with these arguments; never free text.

    `by` says who claims it: the agent's rules, or a model that chose the check.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    check: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    by: Literal["rules", "model"] = "rules"

    @model_serializer(mode="wrap")
    def _told(self, told: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The claim as journals hold it; those of rules as they have always been."""
        return {key: value for key, value in told(self).items() if key != "by" or value != "rules"}


class Evidence(BaseModel):
    """What a check found. `before` and `after` are its verdicts before and after the run's work; None: not measured.

    `value` is what was measured, `where` the place in the result at which the user would see it, `digest` the SHA-256
    (hex) of the artifact that was read, or nothing where it has none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    check: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    before: bool | None = None
    after: bool | None = None
    value: str = ""
    where: str = ""
    digest: str = ""


class Statement(BaseModel):
    """One thing that a message asks or tells.

    `message` is the number of the user's message in the run (from 0), `parts` are the ranges of its characters
    (start, end) that say it, `text` the words in these ranges, joined by a space where they lie apart. `hard` are the
    tokens among them that must be kept literally: numbers with units, dates, names, colours, negations, limits.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    message: int = 0
    parts: tuple[tuple[int, int], ...]
    text: str
    kind: Kind = "thing"
    hard: tuple[str, ...] = ()
    claim: Claim | None = None
    state: State = "open"
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()


class NothingThereYet(Exception):
    """Raised by a check's `measure` where there is no result at all: then its claim does not hold."""


class NotMeasurable(Exception):
    """Raised by a check's `measure` where the result cannot be read here; its text says why, for the user."""


@dataclass(frozen=True)
class Measured:
    """What a check found: whether it holds, the value it read, and where in the result the user would see it.

    `digest` is the SHA-256 (hex) of the artifact that was read, where it has one.
    """

    holds: bool
    value: str
    where: str
    digest: str = ""


@dataclass(frozen=True)
class Check:
    """A predicate of the result.

    `measure` reads the result as the user gets it, by code that shares nothing with the code that makes it. It raises
    `NothingThereYet` or `NotMeasurable` where it cannot tell. `arguments` is the Pydantic model of its arguments; the
    values in them are what a claim promises, and `about` names those that say of what: a later claim about the same
    with other values takes the place of an earlier one. What is not `lasting` is of its own run alone (tests were run,
    a place was quoted): later runs do not measure it again. `so_already` is told where it held before the work, too.
    """

    name: str
    arguments: type[BaseModel]
    measure: Callable[["AgentRun", Any], Awaitable[Measured]]
    about: tuple[str, ...] = ()
    lasting: bool = True
    so_already: str = "it was so already"
    seconds: float = 30.0


@dataclass(frozen=True)
class Assumed:
    """What was taken in the place of words that cannot be measured; only for statements without hard tokens."""

    reason: str


@dataclass(frozen=True)
class Declined:
    """Why it is not done, and what would be possible instead, in the user's language."""

    reason: str


@dataclass(frozen=True)
class Asked:
    """The gate at which the user was asked about it."""

    gate_id: str


Reading = Claim | Assumed | Declined | Asked


async def _never_fresh(run: "AgentRun") -> bool:
    return False


@dataclass(frozen=True)
class AccountKit:
    """What the kernel needs of an agent to settle statements.

    `read` proposes what statements mean, by their id: it is asked before the work begins, so that its claims can be
    measured before the change, and at the end about statements that have no claim yet. What it leaves out is not used.
    `fresh` says, before the work, whether there is no result at all yet; `applies` whether a run has an account (one
    that only takes up work again has none). `sends_back` is how often a model that ends its work is told which claims
    do not hold, before the run ends with them not used. `replaces` says of a claim and an earlier one whether the
    earlier one is over by it, though it is another check or says of another thing.
    """

    checks: tuple[Check, ...]
    read: Callable[["AgentRun", Sequence[Statement]], Awaitable[Mapping[str, Reading]]]
    fresh: Callable[["AgentRun"], Awaitable[bool]] = _never_fresh
    applies: Callable[["AgentRun"], bool] = lambda run: True
    sends_back: int = 0
    replaces: Callable[[Claim, Claim], bool] = lambda new, old: False

    @cached_property
    def by_name(self) -> Mapping[str, Check]:
        """The checks by name."""
        return {check.name: check for check in self.checks}

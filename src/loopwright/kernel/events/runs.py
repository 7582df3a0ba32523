"""Events of a run's life, and of the account of what its user said."""

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.kernel.account import Claim, State, Statement
from loopwright.kernel.events.base import Payload
from loopwright.kernel.messages import Message


class RunCreated(Payload):
    """The run was asked for. `options` are the agent's own parameters of this run."""

    type: ClassVar[str] = "run_created"
    session_id: str
    agent: str
    options: dict[str, Any] = Field(default_factory=dict)


class RunStarted(Payload):
    """An owner has taken the run for the first time."""

    type: ClassVar[str] = "run_started"
    owner: str


class ServerTool(BaseModel):
    """A tool of an MCP server, as the server described it when the run began.

    `name` is what the model calls it, `tool` what the server does. `description` is the server's text and `parameters`
    its JSON schema. `read_only` and `repeatable` are the server's own claims: the call changes nothing, or nothing more
    when it is made again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    server: str
    tool: str
    description: str = ""
    parameters: dict[str, Any]
    read_only: bool = False
    repeatable: bool = False


class ServerToolsListed(Payload):
    """The tools of MCP servers that the run has from its beginning to its end, whatever the servers list later.

    `left_out` says by server or tool why something of them is missing.
    """

    type: ClassVar[str] = "server_tools_listed"
    tools: list[ServerTool]
    left_out: dict[str, str] = Field(default_factory=dict)


class ContextSeeded(Payload):
    """What earlier runs of the session hand on: dialogue, the summary of what lies before it, and what was kept."""

    type: ClassVar[str] = "context_seeded"
    messages: list[Message]
    summary: dict[str, str] = Field(default_factory=dict)
    account: list[Statement] = Field(default_factory=list)


class UserMessage(Payload):
    """What the user said; `images` are data or http(s) URLs.

    A `composed` one is not in the user's words: the agent put it together of what a human has answered at a gate, and
    the account reads the answers themselves, or it only sets a run going. The account does not read it.
    """

    type: ClassVar[str] = "user_message"
    text: str
    images: list[str] = Field(default_factory=list)
    composed: bool = False


class StageChanged(Payload):
    """The controller moved on."""

    type: ClassVar[str] = "stage_changed"
    source: str = Field(alias="from")
    target: str = Field(alias="to")
    reason: str


class TurnCeilingPassed(Payload):
    """What was done since the user last spoke has cost more USD, or taken more active seconds, than a turn may."""

    type: ClassVar[str] = "turn_ceiling_passed"
    turn: int
    ceiling: Literal["usd", "seconds"]
    spent: float
    limit: float


class RunWaitingInput(Payload):
    """The run rests until the gate is answered."""

    type: ClassVar[str] = "run_waiting_input"
    gate_id: str


class RunParked(Payload):
    """The run rests until a human lets it try again: so many of its owners have died while they carried it on.

    `doing` is what was under way when the last one died.
    """

    type: ClassVar[str] = "run_parked"
    deaths: int
    doing: str


class RunResumed(Payload):
    """An owner has taken the run again, after an answer or after a crash."""

    type: ClassVar[str] = "run_resumed"
    owner: str
    reason: str


class RunCompleted(Payload):
    """The run has done its work. `result` are the agent's own fields, `account` what each statement has come to."""

    type: ClassVar[str] = "run_completed"
    text: str
    result: dict[str, Any] = Field(default_factory=dict)
    account: dict[str, list[dict[str, Any]]] = Field(default_factory=dict)


class RunFailed(Payload):
    """The run cannot go on."""

    type: ClassVar[str] = "run_failed"
    code: str
    message: str
    hint: str = ""
    result: dict[str, Any] = Field(default_factory=dict)
    account: dict[str, list[dict[str, Any]]] = Field(default_factory=dict)


class RunCancelled(Payload):
    """The user stopped the run."""

    type: ClassVar[str] = "run_cancelled"
    reason: str = "cancelled by the user"


# Events of the account: what the user said, statement by statement, what was measured, and what each has come to.


class StatementsRead(Payload):
    """A message of the user was read. `message` counts the user's messages in the run, from 0.

    `by` says who cut it into statements. `fresh` tells that there was no result at all when it was read, so that
    whatever holds in the end was made since.
    """

    type: ClassVar[str] = "statements_read"
    message: int
    by: Literal["rules", "model"]
    fresh: bool = False
    statements: list[Statement] = Field(default_factory=list)


class StatementChecked(Payload):
    """A statement's claim was measured, before the work or after it.

    `holds` is None where it could not be measured; `trouble` says why. `value` is what was found, `where` the place in
    the result.
    """

    type: ClassVar[str] = "statement_checked"
    statement: str
    claim: Claim
    when: Literal["before", "after"]
    holds: bool | None
    value: str = ""
    where: str = ""
    digest: str = ""
    trouble: str = ""


class StatementSettled(Payload):
    """A statement has got its state; `reason` says why, where that is not in its evidence."""

    type: ClassVar[str] = "statement_settled"
    statement: str
    state: State
    reason: str = ""

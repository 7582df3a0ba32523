"""Events of tool calls, actions and gates."""

from typing import Any, ClassVar

from pydantic import Field

from loopwright.kernel.events.base import Effect, Payload, SentRequest, Usage
from loopwright.kernel.gates import Gate, GateKind, QuestionItem
from loopwright.kernel.messages import Message, ToolCall


class ToolModelResponse(Payload):
    """A model's answer to a call made inside a tool; `key` finds it again when the tool is run once more.

    `messages` and `sent` are what it was asked: nothing else in the journal tells. Earlier versions did not keep them.
    """

    type: ClassVar[str] = "tool_model_response"
    call_id: str
    key: str
    text: str
    usage: Usage = Field(default_factory=Usage)
    cost_usd: float | None = None
    model: str = ""
    finish_reason: str = "stop"
    messages: list[Message] = Field(default_factory=list)
    sent: SentRequest | None = None


class InnerCallsAsked(Payload):
    """The tool of a call that runs (`call_id`) makes these calls; each is dealt with as the model's own are."""

    type: ClassVar[str] = "inner_calls_asked"
    call_id: str
    calls: list[ToolCall]


class ToolCallStarted(Payload):
    """A tool call is about to run; `gate_id` names the approval it uses up."""

    type: ClassVar[str] = "tool_call"
    call_id: str
    name: str
    arguments: dict[str, Any]
    effect: Effect
    attempt: int = 1
    gate_id: str | None = None


class ToolResultRecorded(Payload):
    """A tool call has ended, or was refused (then no `tool_call` stands before it)."""

    type: ClassVar[str] = "tool_result"
    call_id: str
    name: str
    success: bool
    output: str
    error: str | None = None
    artifacts: dict[str, Any] | None = None


class ActionStarted(Payload):
    """A stage's own work without a model begins; `key` is `run:stage:attempt`."""

    type: ClassVar[str] = "action_started"
    key: str
    stage: str


class ActionFinished(Payload):
    """A stage's own work has ended; `text`, if any, is what the user reads of it."""

    type: ClassVar[str] = "action_finished"
    key: str
    stage: str
    success: bool
    output: str
    text: str = ""
    artifacts: dict[str, Any] | None = None


class GateOpened(Payload):
    """The run waits for a human. The fields are those of a `Gate` that is open."""

    type: ClassVar[str] = "gate_opened"
    gate_id: str
    kind: GateKind
    digest: str
    call_id: str | None = None
    title: str = ""
    questions: list[QuestionItem] = Field(default_factory=list)
    details: dict[str, Any] = Field(default_factory=dict)
    asked_by_call: bool = False

    @classmethod
    def of(cls, gate: Gate) -> "GateOpened":
        """The event that tells of this gate."""
        return cls.model_validate(gate.model_dump(exclude={"status", "answer"}))

    @property
    def gate(self) -> Gate:
        """The gate as it was opened."""
        return Gate.model_validate(self.model_dump())


class GateAnswered(Payload):
    """A human or a client has answered, once. `answer` has the gate's stored shape.

    `by` is the way that the answer came (`http`, `cli`, `acp`, `eval`, `timeout`); journals of earlier versions do not
    tell.
    """

    type: ClassVar[str] = "gate_answered"
    gate_id: str
    answer: dict[str, Any]
    idempotency_key: str | None = None
    by: str = ""

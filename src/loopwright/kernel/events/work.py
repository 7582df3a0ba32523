"""Events of a run's work: what the model is told, answers and costs, tool calls, actions and gates."""

from typing import Any, ClassVar

from pydantic import Field

from loopwright.kernel.events.base import Effect, Payload, SentRequest, Usage
from loopwright.kernel.gates import Gate, GateKind, QuestionItem
from loopwright.kernel.messages import Message, Opaque, ToolCall


class PromptSet(Payload):
    """The system prompt from here on, byte for byte; it stays until a stage change or a compaction."""

    type: ClassVar[str] = "prompt_set"
    stage: str
    text: str


class StageTold(Payload):
    """What the model is told on entering a stage; `task` names it for the offline model."""

    type: ClassVar[str] = "stage_told"
    stage: str
    text: str
    task: str = ""


class ModelResponse(Payload):
    """The model's answer.

    `text` is what it wrote. Where the stage's parser took something out of it, `visible` is what the user reads and
    `kept` is what later requests show of it; None is the same as the text. `sent` says how it was asked; journals of
    earlier versions do not tell. `state` is what was told last in the request and is not kept in the dialogue; `opaque`
    is for the endpoint that answered.
    """

    type: ClassVar[str] = "model_response"
    text: str
    visible: str | None = None
    kept: str | None = None
    tool_calls: list[ToolCall] = Field(default_factory=list)
    usage: Usage = Field(default_factory=Usage)
    cost_usd: float | None = None
    stage: str = ""
    model: str = ""
    finish_reason: str = "stop"
    sent: SentRequest | None = None
    state: str = ""
    opaque: Opaque | None = None

    @property
    def visible_text(self) -> str:
        """What the user reads."""
        return self.text if self.visible is None else self.visible

    @property
    def kept_text(self) -> str:
        """What later requests show of it."""
        return self.text if self.kept is None else self.kept


class ModelFellBack(Payload):
    """The model could not be reached; from here on the run's fallback answers. `reason` is the model's last error."""

    type: ClassVar[str] = "model_fell_back"
    reason: str


class ResponseAbsorbed(Payload):
    """What the parser took out of the last response is stored; `records` counts it."""

    type: ClassVar[str] = "response_absorbed"
    records: int


class CallsReviewed(Payload):
    """The stage has looked at what the last calls came to; `signal` is what the controller was told, if anything."""

    type: ClassVar[str] = "calls_reviewed"
    signal: str | None = None


class ToolsOffered(Payload):
    """A small model has asked for tools that it was not offered at first; from here on it is."""

    type: ClassVar[str] = "tools_offered"
    tools: list[str]


class Pinned(Payload):
    """A text that survives every compaction: the plan, the mode. It replaces an earlier one of the same key."""

    type: ClassVar[str] = "pinned"
    key: str
    text: str


class ControllerMessage(Payload):
    """The controller speaks to the model: a correction, a limit, a missing piece."""

    type: ClassVar[str] = "controller_message"
    text: str
    reason: str


class Compacted(Payload):
    """The middle of the dialogue became a summary; `messages` are what stays."""

    type: ClassVar[str] = "compacted"
    strategy: str
    messages: list[Message]
    summary: dict[str, str]
    tokens_before: int
    tokens_after: int


class CompactionFailed(Payload):
    """No usable summary could be had; everything stays, and the next try waits for more messages."""

    type: ClassVar[str] = "compaction_failed"
    strategy: str
    reason: str
    rests_for_messages: int = 10


class BudgetCharged(Payload):
    """A model call was paid for. `total_usd` is None while a model without a known price was used."""

    type: ClassVar[str] = "budget_charged"
    tokens: int
    cost_usd: float | None
    total_tokens: int
    total_usd: float | None


class ChildCharged(Payload):
    """All that a run of another agent has spent up to here: the call has asked for it, and `run_id` names it.

    `usd` is the part whose price is known; with `usd_known` False there is another part.
    """

    type: ClassVar[str] = "child_charged"
    call_id: str
    run_id: str
    steps: int
    tokens: int
    usd: float
    usd_known: bool = True


# Events of tool calls, actions and gates.


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

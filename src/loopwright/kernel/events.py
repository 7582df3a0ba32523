"""The journal's events: frozen payloads, additive only; old ones stay loadable for ever.

Order promised within a run: `run_created` first; a `model_response` before the `tool_call`s it asks for; each `tool_call`
(= started) before its `tool_result` (= finished); `gate_opened` before its `gate_answered`; exactly one terminal event
(`run_completed`, `run_failed`, `run_cancelled`), and nothing after it. `seq` counts from 1 without holes.
"""

from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from loopwright.kernel.gates import Gate
from loopwright.kernel.messages import Message, ToolCall

Effect = Literal["pure", "idempotent", "once"]


class Payload(BaseModel):
    """What happened; the class attribute `type` names it on the wire."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: ClassVar[str]


class Event(BaseModel):
    """One line of a run's journal, as surfaces see it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    seq: int
    type: str
    at: datetime
    payload: dict[str, Any]


class Usage(BaseModel):
    """Tokens of one model call, as the endpoint counted them, or estimated (`estimated`) where it does not tell."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens


class RunCreated(Payload):
    """The run was asked for. `options` are the agent's own parameters of this run."""

    type: ClassVar[str] = "run_created"
    session_id: str
    agent: str
    options: dict[str, Any] = {}


class RunStarted(Payload):
    """An owner has taken the run for the first time."""

    type: ClassVar[str] = "run_started"
    owner: str


class ContextSeeded(Payload):
    """What earlier runs of the session hand on: dialogue and the summary of what lies before it."""

    type: ClassVar[str] = "context_seeded"
    messages: list[Message]
    summary: dict[str, str] = {}


class UserMessage(Payload):
    """What the user said; `images` are data or http(s) URLs."""

    type: ClassVar[str] = "user_message"
    text: str
    images: list[str] = []


class PromptSet(Payload):
    """The system prompt from here on, byte for byte; it stays until a stage change or a compaction."""

    type: ClassVar[str] = "prompt_set"
    stage: str
    text: str


class ModelResponse(Payload):
    """The model's answer."""

    type: ClassVar[str] = "model_response"
    text: str
    tool_calls: list[ToolCall] = []
    usage: Usage = Usage()
    cost_usd: float | None = None
    stage: str = ""
    model: str = ""
    finish_reason: str = "stop"


class ToolModelResponse(Payload):
    """A model's answer to a call made inside a tool; `key` finds it again when the tool is run once more."""

    type: ClassVar[str] = "tool_model_response"
    call_id: str
    key: str
    text: str
    usage: Usage = Usage()
    cost_usd: float | None = None
    model: str = ""
    finish_reason: str = "stop"


class ControllerMessage(Payload):
    """The controller speaks to the model: a correction, a limit, a missing piece."""

    type: ClassVar[str] = "controller_message"
    text: str
    reason: str


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
    """A stage's own work has ended."""

    type: ClassVar[str] = "action_finished"
    key: str
    stage: str
    success: bool
    output: str
    artifacts: dict[str, Any] | None = None


class GateOpened(Payload):
    """The run waits for a human."""

    type: ClassVar[str] = "gate_opened"
    gate: Gate


class GateAnswered(Payload):
    """A human has answered, once. `answer` has the gate's stored shape."""

    type: ClassVar[str] = "gate_answered"
    gate_id: str
    answer: dict[str, Any]
    idempotency_key: str | None = None


class StageChanged(Payload):
    """The controller moved on."""

    type: ClassVar[str] = "stage_changed"
    source: str
    target: str
    reason: str


class Compacted(Payload):
    """The middle of the dialogue became a summary; `messages` are what stays."""

    type: ClassVar[str] = "compacted"
    strategy: str
    messages: list[Message]
    summary: dict[str, str]
    tokens_before: int
    tokens_after: int


class BudgetCharged(Payload):
    """A model call was paid for. `total_usd` is None while a model without a known price was used."""

    type: ClassVar[str] = "budget_charged"
    tokens: int
    cost_usd: float | None
    total_tokens: int
    total_usd: float | None


class RunWaitingInput(Payload):
    """The run rests until the gate is answered."""

    type: ClassVar[str] = "run_waiting_input"
    gate_id: str


class RunResumed(Payload):
    """An owner has taken the run again, after an answer or after a crash."""

    type: ClassVar[str] = "run_resumed"
    owner: str
    reason: str


class RunCompleted(Payload):
    """The run has done its work. `result` is the agent's own account of it."""

    type: ClassVar[str] = "run_completed"
    text: str
    result: dict[str, Any] = {}


class RunFailed(Payload):
    """The run cannot go on."""

    type: ClassVar[str] = "run_failed"
    code: str
    message: str
    hint: str = ""


class RunCancelled(Payload):
    """The user stopped the run."""

    type: ClassVar[str] = "run_cancelled"
    reason: str = "cancelled by the user"


KERNEL_PAYLOADS: dict[str, type[Payload]] = {
    cls.type: cls
    for cls in (
        RunCreated,
        RunStarted,
        ContextSeeded,
        UserMessage,
        PromptSet,
        ModelResponse,
        ToolModelResponse,
        ControllerMessage,
        ToolCallStarted,
        ToolResultRecorded,
        ActionStarted,
        ActionFinished,
        GateOpened,
        GateAnswered,
        StageChanged,
        Compacted,
        BudgetCharged,
        RunWaitingInput,
        RunResumed,
        RunCompleted,
        RunFailed,
        RunCancelled,
    )
}

"""Events of what the model is told, answers and costs."""

from typing import ClassVar

from pydantic import Field

from loopwright.kernel.events.base import Payload, SentRequest, Usage
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

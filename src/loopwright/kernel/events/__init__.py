"""The journal's events: frozen payloads, additive only; old ones stay loadable for ever.

Order promised within a run: `run_created` first; a `model_response` before the `tool_call`s it asks for; each
`tool_call` (= started) before its `tool_result` (= finished); `gate_opened` before its `gate_answered`; exactly one
terminal event (`run_completed`, `run_failed`, `run_cancelled`), and nothing after it. `seq` counts from 1 without
holes.
"""

from loopwright.kernel.events.answers import (
    BudgetCharged,
    CallsReviewed,
    Compacted,
    CompactionFailed,
    ControllerMessage,
    ModelFellBack,
    ModelResponse,
    Pinned,
    PromptSet,
    ResponseAbsorbed,
)
from loopwright.kernel.events.base import Effect, Event, Payload, SentRequest, Usage
from loopwright.kernel.events.runs import (
    ContextSeeded,
    RunCancelled,
    RunCompleted,
    RunCreated,
    RunFailed,
    RunParked,
    RunResumed,
    RunStarted,
    RunWaitingInput,
    StageChanged,
    TurnCeilingPassed,
    UserMessage,
)
from loopwright.kernel.events.work import (
    ActionFinished,
    ActionStarted,
    GateAnswered,
    GateOpened,
    ToolCallStarted,
    ToolModelResponse,
    ToolResultRecorded,
)

__all__ = [
    "KERNEL_PAYLOADS",
    "ActionFinished",
    "ActionStarted",
    "BudgetCharged",
    "CallsReviewed",
    "Compacted",
    "CompactionFailed",
    "ContextSeeded",
    "ControllerMessage",
    "Effect",
    "Event",
    "GateAnswered",
    "GateOpened",
    "ModelFellBack",
    "ModelResponse",
    "Payload",
    "Pinned",
    "PromptSet",
    "ResponseAbsorbed",
    "RunCancelled",
    "RunCompleted",
    "RunCreated",
    "RunFailed",
    "RunParked",
    "RunResumed",
    "RunStarted",
    "RunWaitingInput",
    "SentRequest",
    "StageChanged",
    "ToolCallStarted",
    "ToolModelResponse",
    "ToolResultRecorded",
    "TurnCeilingPassed",
    "Usage",
    "UserMessage",
]

KERNEL_PAYLOADS: dict[str, type[Payload]] = {
    cls.type: cls
    for cls in (
        RunCreated,
        RunStarted,
        ContextSeeded,
        UserMessage,
        PromptSet,
        ModelResponse,
        ResponseAbsorbed,
        CallsReviewed,
        Pinned,
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
        CompactionFailed,
        BudgetCharged,
        TurnCeilingPassed,
        RunParked,
        RunWaitingInput,
        RunResumed,
        RunCompleted,
        RunFailed,
        RunCancelled,
    )
}

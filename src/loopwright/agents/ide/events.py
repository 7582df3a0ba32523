"""Events of the ide agent, beside the kernel's."""

from typing import ClassVar, Literal

from loopwright.agents.ide.contracts import DeliveryState, QAReport, ReasoningOutcome
from loopwright.kernel.events import Payload


class ReasoningRecorded(Payload):
    """A reasoning block, for the user's eyes; later requests see the outcome only."""

    type: ClassVar[str] = "reasoning_recorded"
    stage: str
    format: Literal["macro", "micro"]
    text: str
    outcome: ReasoningOutcome


class DeliveryChecked(Payload):
    """Whether what was asked for is there; decided before QA, and nothing after it changes that."""

    type: ClassVar[str] = "delivery_checked"
    state: DeliveryState
    missing: list[str]
    reason: str


class AnswerSealed(Payload):
    """The final answer stands; `sha256` is of its UTF-8 text."""

    type: ClassVar[str] = "answer_sealed"
    sha256: str


class QAReported(Payload):
    """The reviewer's report; advice only."""

    type: ClassVar[str] = "qa_reported"
    report: QAReport

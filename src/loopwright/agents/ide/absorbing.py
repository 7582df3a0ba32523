"""What parsers took out of answers becomes events."""

from collections.abc import Sequence
from typing import Any

from loopwright.agents.ide.contracts import DeliveryCheck, QAReport, Reasoning
from loopwright.agents.ide.events import DeliveryChecked, QAReported, ReasoningRecorded
from loopwright.kernel.events import Payload
from loopwright.kernel.run import AgentRun


async def absorb(run: AgentRun, records: Sequence[Any]) -> Sequence[Payload]:
    """Tell of each record; nothing is stored elsewhere, so doing it again is harmless."""
    return [_event(run, record) for record in records]


def _event(run: AgentRun, record: Any) -> Payload:
    match record:
        case Reasoning():
            return ReasoningRecorded(
                stage=run.state.stage, format=record.format, text=record.text, outcome=record.outcome
            )
        case DeliveryCheck():
            return DeliveryChecked(state=record.state, missing=record.missing, reason=record.reason)
        case QAReport():
            return QAReported(report=record)
    raise TypeError(f"no event tells of a {type(record).__name__}")

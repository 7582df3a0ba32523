"""What the ide agent's parts exchange."""

from loopwright.agents.ide.contracts.delivery import DeliveryCheck, DeliveryState
from loopwright.agents.ide.contracts.memory import Memory
from loopwright.agents.ide.contracts.options import IdeOptions
from loopwright.agents.ide.contracts.qa import QAFinding, QAReport
from loopwright.agents.ide.contracts.reasoning import Reasoning, ReasoningOutcome
from loopwright.agents.ide.contracts.symbols import Symbol

__all__ = [
    "DeliveryCheck",
    "DeliveryState",
    "IdeOptions",
    "Memory",
    "QAFinding",
    "QAReport",
    "Reasoning",
    "ReasoningOutcome",
    "Symbol",
]

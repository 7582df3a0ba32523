"""How sure a stage may be of its result, and what follows (spec 004, 6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

SELF_SCORE_SHARE, VALIDATOR_SHARE, HEURISTICS_SHARE = 0.50, 0.30, 0.20
CONTINUE_FROM, RETRY_FROM = 0.70, 0.40
NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})
Verdict = Literal["continue", "retry", "escalate"]


@dataclass(frozen=True)
class Confidence:
    """The three parts, each 0 to 1: what the model thinks, what the rules say, what experience says.

    Where the model gives no score of its own (`self_score` None), the other two share its weight in their proportion.
    """

    self_score: float | None
    validator: float
    heuristics: float

    @property
    def composite(self) -> float:
        """C = 0.50 · self-score + 0.30 · rules + 0.20 · heuristics."""
        rules = VALIDATOR_SHARE * _unit(self.validator) + HEURISTICS_SHARE * _unit(self.heuristics)
        if self.self_score is None:
            return round(rules / (VALIDATOR_SHARE + HEURISTICS_SHARE), 4)
        return round(SELF_SCORE_SHARE * _unit(self.self_score) + rules, 4)

    @property
    def weakest(self) -> str:
        """The lowest of the three, in words."""
        scores = {
            "the rules of plans are not all kept": _unit(self.validator),
            "its shape or its load is unusual": _unit(self.heuristics),
        }
        if self.self_score is not None:
            scores["the model itself doubts it"] = _unit(self.self_score)
        return min(scores, key=lambda words: scores[words])


def verdict(confidence: float, settings: Mapping[str, Any] = NO_SETTINGS) -> Verdict:
    """Continue from 0.70, retry from 0.40, else escalate, unless the run's settings say otherwise."""
    if confidence >= float(settings.get("continue_from", CONTINUE_FROM)):
        return "continue"
    return "retry" if confidence >= float(settings.get("retry_from", RETRY_FROM)) else "escalate"


def _unit(value: float) -> float:
    # NaN compares false with everything: it counts as nothing.
    return min(1.0, value) if value > 0 else 0.0

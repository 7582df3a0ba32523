"""What the grammar says about an outline."""

from typing import Any, Literal

from pydantic import Field

from loopwright.agents.planner.contracts.base import Contract

Severity = Literal["fatal", "retryable", "advice"]
Fix = dict[str, Any]
"""A change of an outline as data: `op` names it, the other keys are its arguments (see `fixes.py`)."""

COSTS = {"leaf_without_estimate": 0.03, "sibling_titles_equal": 0.03, "level_too_low": 0.05}
"""What a violation takes from the score; small flaws that have one obvious mend take little."""
USUAL_COST = 0.15
ADVICE_COST = 0.01


class Violation(Contract):
    """One broken rule. `fatal` has no mend that a machine could choose; `advice` does not make the outline invalid."""

    rule: str
    node_id: str | None = None
    message: str
    severity: Severity = "retryable"
    fix: Fix | None = None


class GrammarReport(Contract):
    """The verdict: `score` is 1 for a flawless outline and 0 for one that cannot be mended."""

    valid: bool
    violations: list[Violation] = Field(default_factory=list)
    score: float = Field(ge=0, le=1)
    suggested_fixes: list[Fix] = Field(default_factory=list)

    @property
    def fatal(self) -> bool:
        """Whether a human has to decide."""
        return any(violation.severity == "fatal" for violation in self.violations)

    @classmethod
    def of(cls, violations: list[Violation]) -> "GrammarReport":
        """The verdict on what was found."""
        grave = [violation for violation in violations if violation.severity != "advice"]
        fixes: list[Fix] = []
        for violation in grave:
            if violation.severity == "retryable" and violation.fix is not None and violation.fix not in fixes:
                fixes.append(violation.fix)
        return cls(valid=not grave, violations=violations, score=_score(violations), suggested_fixes=fixes)


def _score(violations: list[Violation]) -> float:
    if any(violation.severity == "fatal" for violation in violations):
        return 0.0
    lost = sum(
        ADVICE_COST if violation.severity == "advice" else COSTS.get(violation.rule, USUAL_COST)
        for violation in violations
    )
    return max(0.0, round(1.0 - lost, 4))

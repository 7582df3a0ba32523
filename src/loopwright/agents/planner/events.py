"""Events that the planner adds to a run's journal: what each step was, and how sure the controller is of a draft."""

from typing import ClassVar, Literal

from pydantic import Field

from loopwright.kernel.events import Payload


class PlanningStep(Payload):
    """One tool was used, by the model or by the controller (spec 004, 7: the trace of each step).

    `cost_delta` is in USD: what the tool itself has spent on models, beside the call that asked for it.
    """

    type: ClassVar[str] = "planning_step"
    stage: str
    tool: str
    duration_ms: float
    confidence: float | None = None
    cost_delta: float = 0.0
    violations: list[str] = Field(default_factory=list)
    adaptations: list[str] = Field(default_factory=list)


class StageJudged(Payload):
    """How sure the controller is of a draft, and what follows (spec 004, 6).

    `signal` is what the controller hears; None sends the model back with `reason`. `cost_delta` is what the stage has
    cost since the last judgement, in USD.
    """

    type: ClassVar[str] = "stage_judged"
    stage: str
    confidence: float
    self_score: float | None
    validator: float
    heuristics: float
    verdict: Literal["continue", "retry", "escalate"]
    signal: str | None
    reason: str = ""
    cost_delta: float = 0.0

"""Outline, roadmap and schedule: the one source of truth of a plan, in three stages."""

from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, Field, model_validator

from loopwright.agents.planner.contracts.base import Contract
from loopwright.agents.planner.contracts.nodes import Origin, PlanNode
from loopwright.agents.planner.contracts.pattern import PatternSpec, PatternType, Subtype


class StrategyWeights(Contract):
    """What counts how much; they need not add up to one."""

    achievement: float = Field(default=0.5, ge=0, le=1)
    wellbeing: float = Field(default=0.3, ge=0, le=1)
    portfolio: float = Field(default=0.2, ge=0, le=1)


class StrategyProfile(Contract):
    """`push` fills the days, `relax` leaves room, `hybrid` lies between, `manual` only places what is locked."""

    mode: Literal["push", "relax", "hybrid", "manual"] = "hybrid"
    weights: StrategyWeights = StrategyWeights()


class PlanContext(Contract):
    """What a plan is made for."""

    strategy_profile: StrategyProfile = StrategyProfile()
    pattern: PatternSpec | None = None
    assumptions: list[str] = Field(default_factory=list)
    constraints: list[str] = Field(default_factory=list)
    user_prefs: dict[str, Any] = Field(default_factory=dict)


class Outline(Contract):
    """Nodes with one root."""

    root_id: UUID
    nodes: list[PlanNode] = Field(min_length=1, max_length=5_000)
    pattern: PatternSpec | None = None

    @model_validator(mode="after")
    def _root_is_a_node(self) -> "Outline":
        if all(node.id != self.root_id for node in self.nodes):
            raise ValueError("root_id is not the id of a node")
        return self


class PlanOutline(Outline):
    """What is to be done, without dates."""

    plan_context: PlanContext = PlanContext()


class RoadmapContext(Contract):
    """How the plan is to be carried out. `options_tried` are the ways that were weighed, with why not."""

    pattern_type: PatternType | None = None
    """Deprecated, present for backward compatibility; the source of truth is `pattern`."""
    subtype: Subtype = None
    pattern: PatternSpec | None = None
    scope: str = ""
    cadence: str = ""
    stack: list[str] = Field(default_factory=list)
    venue: str = ""
    region: str = ""
    time_horizon: str = ""
    budget: str = ""
    options_tried: list[dict[str, Any]] = Field(default_factory=list)


class Roadmap(Outline):
    """The outline with dependencies and order."""

    roadmap_context: RoadmapContext = RoadmapContext()


class ScheduleBlock(Contract):
    """A time at which a node is worked on."""

    plan_node_id: UUID
    title: str
    start: AwareDatetime
    end: AwareDatetime
    estimated_minutes: int | None = Field(default=None, ge=1)
    tags: list[str] = Field(default_factory=list)
    notes: str | None = None

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> "ScheduleBlock":
        # Two times of one zone would be compared by what their wall clocks show, wrong in the hour that comes twice.
        if self.end.astimezone(UTC) <= self.start.astimezone(UTC):
            raise ValueError("a block ends after it starts")
        return self


class Schedule(Contract):
    """When everything is done. `gap` is how far from the best possible the solver's answer may be, 0 to 1."""

    blocks: list[ScheduleBlock] = Field(default_factory=list)
    timezone: str = "UTC"
    gap: float | None = Field(default=None, ge=0)
    status: Literal["optimal", "feasible", "infeasible"] = "feasible"
    objective: dict[str, float] = Field(default_factory=dict)


class AdaptationLogEntry(Contract):
    """A change of the plan's structure, and why."""

    timestamp: datetime
    node_ids: list[UUID]
    action: str
    reason: str | None = None
    origin: Origin
    strategy_applied: str | None = None
    portfolio_impact: dict[str, Any] | None = None

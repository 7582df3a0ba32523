"""Outline, roadmap and schedule: the one source of truth of a plan, in three stages."""

import re
from datetime import UTC, datetime
from datetime import date as Date  # noqa: N812 - the field is called `date`
from typing import Annotated, Any, Literal, get_args
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, model_validator

# What all contracts of the planner share.


class Contract(BaseModel):
    """A contract: what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


# Which kind of plan it is.

PatternType = Literal[
    "milestone_project",
    "recurring_cycle",
    "progressive_accumulation_arc",
    "hybrid_project_cycle",
    "strategic_transformation",
]
PATTERN_TYPES: tuple[PatternType, ...] = get_args(PatternType)
KNOWN_SUBTYPES = (
    "learning_arc",
    "training_arc",
    "creative_arc",
    "career_arc",
    "therapeutic_arc",
    "financial_arc",
    "protocol_routine",
)
PROPOSED = re.compile(r"proposed:[a-z][a-z0-9_]{0,62}")


def _known_subtype(subtype: str | None) -> str | None:
    if subtype is None or subtype in KNOWN_SUBTYPES or PROPOSED.fullmatch(subtype):
        return subtype
    raise ValueError(
        f"unknown subtype {subtype!r}; known are {', '.join(KNOWN_SUBTYPES)}, new ones are written proposed:<name>"
    )


Subtype = Annotated[str | None, AfterValidator(_known_subtype)]


class PatternSpec(Contract):
    """The pattern of a plan. A proposed subtype needs an RFC: a short rationale for a human to decide on."""

    pattern_type: PatternType
    subtype: Subtype = None
    variant: str | None = Field(default=None, max_length=120)
    confidence: float | None = Field(default=None, ge=0, le=1)
    introduced_by: Literal["system", "user_feedback", "ai_adaptation"] = "system"
    source_pattern: str | None = Field(default=None, max_length=120)
    rfc: str | None = Field(default=None, max_length=4_000)

    @property
    def is_proposal(self) -> bool:
        """Whether the subtype is new and waits for a human."""
        return self.subtype is not None and self.subtype.startswith("proposed:")


# The nodes of a plan: depth is one axis, parallel streams the other.

NodeType = Literal["goal", "phase", "cycle", "sub_goal", "task", "sub_task", "micro_goal"]
DependencyType = Literal["finish_to_start", "start_to_start", "finish_to_finish", "start_to_finish"]
Origin = Literal["system", "user_feedback", "ai_adaptation"]
MAX_LAG_MINUTES = 60 * 24 * 60
"""Sixty days, either way."""


class Dependency(Contract):
    """This node depends on `node_id`: the other one comes first. A negative lag is a lead."""

    node_id: UUID
    type: DependencyType = "finish_to_start"
    lag_lead_minutes: int = Field(default=0, ge=-MAX_LAG_MINUTES, le=MAX_LAG_MINUTES)


class PlanNode(Contract):
    """A node of the plan. Its id is the same in outline, roadmap and schedule.

    Leaves carry work: `metadata["estimated_minutes"]` (int), and optionally `earliest`, `latest` (ISO dates or
    times), `priority` (1 to 5), `splittable` (bool), `stream` (the parallel stream's name), `rrule` (RFC 5545, where
    `recurrence` is not fine enough), `occurrences`.
    """

    id: UUID
    parent_id: UUID | None = None
    node_type: NodeType
    level: int = Field(ge=1, le=32)
    title: str = Field(min_length=2, max_length=160)
    description: str | None = Field(default=None, max_length=4_000)
    recurrence: Literal["none", "daily", "weekly", "monthly", "quarterly", "yearly"] = "none"
    dependencies: list[Dependency] = Field(default_factory=list)
    status: Literal["pending", "in_progress", "done", "blocked", "dropped"] = "pending"
    progress: float = Field(default=0.0, ge=0, le=1)
    origin: Origin = "system"
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)


class StrategyWeights(Contract):
    """What counts how much; they need not add up to one."""

    achievement: float = Field(default=0.5, ge=0, le=1)
    wellbeing: float = Field(default=0.3, ge=0, le=1)
    portfolio: float = Field(default=0.2, ge=0, le=1)


class StrategyProfile(Contract):
    """`push` fills the days, `relax` leaves space, `hybrid` lies between, `manual` only places what is locked."""

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


class Appointment(Contract):
    """Something that takes place on a day, whatever is done for it before: an exam, a wedding, a race."""

    title: str = Field(min_length=1, max_length=160)
    date: Date


class Schedule(Contract):
    """When everything is done. `gap` is how far from the best possible the solver's answer may be, 0 to 1.

    `appointments` stand in the calendar as whole days; no work is planned on them.
    """

    blocks: list[ScheduleBlock] = Field(default_factory=list)
    appointments: list[Appointment] = Field(default_factory=list)
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

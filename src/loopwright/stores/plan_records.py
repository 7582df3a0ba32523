"""Plans as the store knows them."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class PlanRecord(BaseModel):
    """A settled plan, without its nodes and times."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan_id: str
    session_id: str
    title: str
    pattern_type: str
    pattern_subtype: str | None = None
    pattern_variant: str | None = None
    planning_status: str
    timezone: str
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    gap: float | None = None
    refinement_round: int = 0
    created_at: datetime
    updated_at: datetime


class PlanNodeRecord(BaseModel):
    """A node of a settled plan; `details` holds what has no column of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    node_id: str
    parent_id: str | None = None
    node_type: str
    level: int
    title: str
    status: str = "pending"
    progress: float = 0.0
    recurrence: str = "none"
    dependencies: list[dict[str, Any]] = Field(default_factory=list)
    details: dict[str, Any] = Field(default_factory=dict)


class ScheduledTaskRecord(BaseModel):
    """A time at which a node of a plan is worked on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan_id: str = ""
    node_id: str
    title: str
    starts_at: datetime
    ends_at: datetime
    estimated_minutes: int | None = None
    status: str = "pending"

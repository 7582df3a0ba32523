"""The nodes of a plan: depth is one axis, parallel streams the other."""

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from loopwright.agents.planner.contracts.base import Contract

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
    status: Literal["pending", "in_progress", "done", "blocked"] = "pending"
    progress: float = Field(default=0.0, ge=0, le=1)
    origin: Origin = "system"
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)

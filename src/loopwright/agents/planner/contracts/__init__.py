"""The planner's contracts (spec 004, 3, 4 and 8, and the field notes)."""

from loopwright.agents.planner.contracts.plan import (
    PATTERN_TYPES,
    AdaptationLogEntry,
    Appointment,
    Dependency,
    NodeType,
    PatternSpec,
    PlanContext,
    PlanNode,
    PlanOutline,
    Roadmap,
    RoadmapContext,
    Schedule,
    ScheduleBlock,
    StrategyProfile,
)
from loopwright.agents.planner.contracts.state import InteractionPolicy

__all__ = [
    "PATTERN_TYPES",
    "AdaptationLogEntry",
    "Appointment",
    "Dependency",
    "InteractionPolicy",
    "NodeType",
    "PatternSpec",
    "PlanContext",
    "PlanNode",
    "PlanOutline",
    "Roadmap",
    "RoadmapContext",
    "Schedule",
    "ScheduleBlock",
    "StrategyProfile",
]

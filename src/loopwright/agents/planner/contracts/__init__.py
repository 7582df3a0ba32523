"""The planner's contracts (spec 004, 3, 4 and 8, and the field notes)."""

from loopwright.agents.planner.contracts.nodes import Dependency, NodeType, PlanNode
from loopwright.agents.planner.contracts.pattern import PATTERN_TYPES, PatternSpec
from loopwright.agents.planner.contracts.plan import (
    AdaptationLogEntry,
    PlanContext,
    PlanOutline,
    Roadmap,
    RoadmapContext,
    Schedule,
    ScheduleBlock,
    StrategyProfile,
)
from loopwright.agents.planner.contracts.policy import InteractionPolicy

__all__ = [
    "PATTERN_TYPES",
    "AdaptationLogEntry",
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

"""Plans as files for people and for other programs."""

from loopwright.agents.planner.exports.folder import export_plan

__all__ = ["export_plan"]

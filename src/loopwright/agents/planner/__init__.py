"""The planner agent: outline, roadmap and schedule that hold (spec 004)."""

"""Proofs that there is no schedule, with a cause that a person understands."""

from loopwright.agents.planner.schedule.certificates.explaining import explain, explain_case

__all__ = ["explain", "explain_case"]

"""The Creator's work by rules: candidates out of documents become requirements, each with its citation."""

from loopwright.agents.jobs.offline.creator.job_rules import CREATOR

__all__ = ["CREATOR"]

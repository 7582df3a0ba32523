"""The Creator's work by rules: candidates out of documents become requirements, each with its citation."""

from loopwright.agents.jobs.offline.creator.trade import CREATOR

__all__ = ["CREATOR"]

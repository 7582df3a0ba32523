"""The Validator's work by rules: pending requirements are judged, related, and worked into the graph."""

from loopwright.agents.jobs.offline.validator.trade import VALIDATOR

__all__ = ["VALIDATOR"]

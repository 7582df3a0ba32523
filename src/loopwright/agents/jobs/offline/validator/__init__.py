"""The Validator's work by rules: pending requirements are judged, related, and worked into the graph."""

from loopwright.agents.jobs.offline.validator.job_rules import VALIDATOR

__all__ = ["VALIDATOR"]

"""Strategic phases by rules: explore, plan, sum up, and stage the next phase."""

from loopwright.agents.jobs.offline.strategic.rules import strategic_work

__all__ = ["strategic_work"]

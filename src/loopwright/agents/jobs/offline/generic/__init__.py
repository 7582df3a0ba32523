"""Jobs of a kind for which there are no rules: the plan follows the instructions, and what rules cannot do is said."""

from loopwright.agents.jobs.offline.generic.trade import GENERIC, look_over

__all__ = ["GENERIC", "look_over"]

"""The planner without a language model: rules and tables that play the model's part."""

from loopwright.agents.planner.offline.playbook import PLAYBOOK

__all__ = ["PLAYBOOK"]

"""The ide agent without a language model: rules that play the model's part."""

from loopwright.agents.ide.offline.playbook import PLAYBOOK

__all__ = ["PLAYBOOK"]

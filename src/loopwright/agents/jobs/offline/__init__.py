"""The jobs agent without a language model: rules that plan, extract, validate and report."""

from loopwright.agents.jobs.offline.playbook import PLAYBOOK

__all__ = ["PLAYBOOK"]

"""What the designspec agent does without a language model: rules from plain English to directives."""

from loopwright.agents.designspec.offline.playbook import DesignSpecPlaybook

PLAYBOOK = DesignSpecPlaybook()
"""The playbook that the offline model asks; it keeps nothing between two requests."""

"""What the pages agent does without a language model: a playbook and its design studio."""

from loopwright.agents.pages.offline.playbook import PagesPlaybook

PLAYBOOK = PagesPlaybook()
"""The playbook that the offline model asks; it keeps nothing between two requests."""

"""What a new run of a session knows of the earlier ones."""

from loopwright.kernel.events import ContextSeeded
from loopwright.kernel.messages import Message
from loopwright.kernel.state import RunState

KEPT_MESSAGES = 12
"""Dialogue messages that are handed on; what lies before them is in the session's documents and in the summary."""


def seed_from(previous: RunState) -> ContextSeeded | None:
    """The dialogue of the session's last run, which was itself seeded by the one before: words, not tool traffic."""
    dialogue = [
        Message(role=message.role, content=message.content)
        for message in previous.context.messages
        if message.role in ("user", "assistant") and message.content.strip()
    ]
    if not dialogue and not previous.context.summary:
        return None
    return ContextSeeded(messages=dialogue[-KEPT_MESSAGES:], summary=previous.context.summary)

"""Which playbook answers a request: the one of the agent whose prompt it begins with."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from loopwright.kernel.messages import Message
from loopwright.kernel.playbook import OfflineReply, OfflineRequest, Playbook

TASK: Final = re.compile(r"\[task: (?P<task>(?P<agent>[\w-]+)/[\w./-]+)\]")
"""The first line of every prompt that the kernel renders."""


class PlaybookRouter:
    """The playbooks by their agents' names."""

    def __init__(self, playbooks: Sequence[Playbook]) -> None:
        """Take them; the order does not matter."""
        self._playbooks: Mapping[str, Playbook] = {playbook.name: playbook for playbook in playbooks}

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """What the task's playbook says, or what the offline model is, when no playbook knows the task."""
        playbook = self._playbooks.get(request.task.partition("/")[0])
        return playbook.answer(request) if playbook is not None else OfflineReply(self._introduction())

    def _introduction(self) -> str:
        known = ", ".join(sorted(self._playbooks)) or "none yet"
        return (
            "I am the offline model of Loopwright. I am not a language model: I follow rules that play the parts of "
            f"Loopwright's own agents ({known}), and I cannot talk about anything else. "
            "Set OPENAI_API_KEY or OPENAI_BASE_URL to have a real model answer."
        )


def task_of(messages: Sequence[Message]) -> str:
    """The task that the system prompt's first line names, or nothing."""
    for message in messages:
        if message.role == "system":
            match = TASK.match(message.content)
            if match:
                return match["task"]
    return ""

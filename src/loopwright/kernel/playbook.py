"""What an agent brings along so that it works without a language model: rules that answer in the model's place.

The offline model (`loopwright.models.offline`) speaks the wire and asks the playbook of the agent whose prompt it was
sent; the playbook knows nothing about HTTP.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from loopwright.kernel.messages import Message


@dataclass(frozen=True)
class OfflineRequest:
    """What the playbook has to answer.

    `task` is the prompt's name as its first line tells it (`pages/loop`); `messages` is the whole conversation with the
    system prompt; `tools` are the names of the tools that may be called; `response_format` is OpenAI's, where a format
    is demanded.
    """

    task: str
    messages: Sequence[Message]
    tools: tuple[str, ...] = ()
    response_format: Mapping[str, Any] | None = None

    @property
    def prompt(self) -> str:
        """The prompt's own name: `loop` of `pages/loop`."""
        return self.task.partition("/")[2]


@dataclass(frozen=True)
class OfflineReply:
    """The answer: text, tool calls as (name, arguments), or both."""

    text: str = ""
    tool_calls: Sequence[tuple[str, Mapping[str, Any]]] = field(default=())


class Playbook(Protocol):
    """The rules of one agent. `name` is the agent's name, the first part of its tasks."""

    @property
    def name(self) -> str:
        """The agent's name."""
        ...

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer the request: the same request always gets the same answer."""
        ...

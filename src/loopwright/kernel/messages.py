"""What the model sees: chat messages, and the texts and messages that together are its context."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json, to_json

Role = Literal["system", "user", "assistant", "tool"]


class ToolCall(BaseModel):
    """A tool call as the model wrote it.

    `arguments` is the raw JSON text: it may be broken, and is repaired or refused in dispatch, never here.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    name: str
    arguments: str = "{}"

    @cached_property
    def sendable_arguments(self) -> str:
        """The arguments as an endpoint takes them back.

        Many endpoints parse the calls of earlier messages too, and refuse the whole request over a broken one; what is
        no JSON object is therefore shown as the text that it is.
        """
        try:
            if isinstance(from_json(self.arguments), dict):
                return self.arguments
        except ValueError:
            pass
        return to_json({"unreadable": self.arguments}).decode() if self.arguments.strip() else "{}"


class Opaque(BaseModel):
    """What an endpoint sent with an answer for itself: thoughts, signatures. It goes back to that endpoint only.

    `fields` belong to the message, `calls` to its tool calls by their ids.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    endpoint: str
    fields: dict[str, Any] = Field(default_factory=dict)
    calls: dict[str, dict[str, Any]] = Field(default_factory=dict)


class Message(BaseModel):
    """One message of a conversation; immutable, so that its wire bytes can be kept.

    `images` are http(s) or data URLs sent with a user message to a model that has vision; `opaque` is for the endpoint
    that wrote an assistant's message.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    role: Role
    content: str = ""
    images: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    opaque: Opaque | None = Field(default=None, exclude_if=lambda value: value is None)

    @classmethod
    def system(cls, content: str) -> Self:
        """A system message."""
        return cls(role="system", content=content)

    @classmethod
    def user(cls, content: str, images: Sequence[str] = ()) -> Self:
        """A user message, with images given as http(s) or data URLs."""
        return cls(role="user", content=content, images=tuple(images))

    @classmethod
    def assistant(cls, content: str, tool_calls: Sequence[ToolCall] = (), opaque: Opaque | None = None) -> Self:
        """A model's answer: text, tool calls, or both."""
        return cls(role="assistant", content=content, tool_calls=tuple(tool_calls), opaque=opaque)

    @classmethod
    def tool(cls, call_id: str, content: str) -> Self:
        """The answer to the tool call with this id."""
        return cls(role="tool", content=content, tool_call_id=call_id)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a message in the OpenAI chat format.

        Raises:
            pydantic.ValidationError: the role is unknown or a field has the wrong type.
        """
        content = data.get("content") or ""
        images: tuple[str, ...] = ()
        if not isinstance(content, str):
            images = tuple(part["image_url"]["url"] for part in content if part.get("type") == "image_url")
            content = "".join(part.get("text", "") for part in content if part.get("type") == "text")
        calls = tuple(
            ToolCall(id=c["id"], name=c["function"]["name"], arguments=c["function"].get("arguments") or "{}")
            for c in data.get("tool_calls") or ()
        )
        return cls(
            role=data.get("role"),
            content=content,
            images=images,
            tool_calls=calls,
            tool_call_id=data.get("tool_call_id"),
        )

    def to_dict(self) -> dict[str, Any]:
        """The message in the OpenAI chat format."""
        content: Any = self.content
        if self.images:
            content = [{"type": "text", "text": self.content}] if self.content else []
            content += [{"type": "image_url", "image_url": {"url": url}} for url in self.images]
        data: dict[str, Any] = {"role": self.role, "content": content}
        if self.tool_calls:
            data["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.sendable_arguments}}
                for c in self.tool_calls
            ]
        if self.tool_call_id is not None:
            data["tool_call_id"] = self.tool_call_id
        return data

    @cached_property
    def wire(self) -> bytes:
        """The message as JSON bytes, made once: a request joins these instead of walking the history again."""
        return to_json(self.to_dict())

    @cached_property
    def wire_digest(self) -> bytes:
        """SHA-256 of the wire bytes, made once as they are."""
        return sha256(self.wire).digest()

    @cached_property
    def estimated_tokens(self) -> int:
        """A rough token count, characters / 3 as spec 000 has it; an image counts as 1,000 tokens."""
        size = len(self.content) + sum(len(c.name) + len(c.arguments) for c in self.tool_calls)
        return size // 3 + 4 + 1_000 * len(self.images)


class Fleeting(Message):
    """A message of the user's side that is told last in one request, and is no part of the dialogue."""


STAGE, STATE = "stage", "state"
"""The blocks in which the controller tells what holds: on entering a stage, and last in a request."""
_BLOCKS = re.compile(r"(?:\A|\n\n)<(stage|state)>\n(.*?)\n</\1>(?=\n\n|\Z)", re.DOTALL)


def block(name: str, text: str) -> str:
    """A text of the controller, marked so that it cannot be taken for the user's words."""
    return f"<{name}>\n{text}\n</{name}>"


def told_messages(messages: Sequence[Message], state: str) -> list[Message]:
    """The messages of a request, with what is told last of the state, if there is anything to tell."""
    return [*messages, Fleeting.user(block(STATE, state))] if state else list(messages)


def split_blocks(content: str) -> tuple[str, dict[str, str]]:
    """What the user said in a message, and the controller's blocks beside it by name, the last one of each."""
    told = {match[1]: match[2] for match in _BLOCKS.finditer(content)}
    return (_BLOCKS.sub("", content).strip() if told else content), told


@dataclass(frozen=True)
class ToolSchemas:
    """Tool schemas in the OpenAI function format, serialised once per tool set."""

    schemas: tuple[Mapping[str, Any], ...] = ()

    @cached_property
    def wire(self) -> bytes:
        """The schemas as a JSON array."""
        return to_json([dict(schema) for schema in self.schemas])

    @cached_property
    def wire_digest(self) -> bytes:
        """SHA-256 of the array."""
        return sha256(self.wire).digest()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in order."""
        return tuple(schema["function"]["name"] for schema in self.schemas)

    def __len__(self) -> int:
        """How many tools there are."""
        return len(self.schemas)


# What the model sees: long-term text in the system message, a summary of what lies far back, the recent messages.


@dataclass
class ConversationContext:
    """The three layers of one run.

    `system` is the rendered prompt with its long-term context; it keeps its bytes between compactions and stage
    changes. `summary` is the medium-term layer, `messages` the short-term one. `pins` (plan, mode …) survive
    every compaction; the model reads in the dialogue how they come about, and in the system message from the next time
    that this changes anyway. `newest_user` is what the user (not the controller) said last. `window` is how many tokens
    the model of the next request can take, where that is known.
    """

    system: str = ""
    summary: dict[str, str] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    pins: dict[str, str] = field(default_factory=dict)
    newest_user: Message | None = None
    window: int | None = None
    _shown_pins: dict[str, str] = field(default_factory=dict)
    _head: Message | None = None
    _tokens: int = 0

    def set_system(self, text: str) -> None:
        """Replace the system prompt."""
        self.system = text
        self._show_anew()

    def add(self, message: Message) -> None:
        """Append to the short-term layer."""
        self.messages.append(message)
        self._tokens += message.estimated_tokens

    def replace(self, messages: Sequence[Message], summary: Mapping[str, str]) -> None:
        """Take what a compaction left; the system message shows the new summary and the pins from now on."""
        self.messages = list(messages)
        self.summary = dict(summary)
        self._tokens = sum(message.estimated_tokens for message in messages)
        self._show_anew()

    def _show_anew(self) -> None:
        self._shown_pins = dict(self.pins)
        self._head = None

    @property
    def shown_pins(self) -> Mapping[str, str]:
        """The pins that stand in the system message now."""
        return self._shown_pins

    def build_messages(self) -> list[Message]:
        """The messages of the next request, system message first."""
        if self._head is None:
            self._head = Message.system(self._system_text())
        return [self._head, *self.messages]

    def _system_text(self) -> str:
        parts = [self.system]
        parts += [f"## {key.capitalize()} (pinned)\n{text}" for key, text in self._shown_pins.items()]
        if self.summary:
            lines = "\n".join(f"- {key}: {text}" for key, text in self.summary.items() if text)
            parts.append(f"## Summary of the earlier conversation\n{lines}")
        return "\n\n".join(part for part in parts if part)

    def space(self, most: int) -> int:
        """The tokens at which the dialogue should be folded: so many at most, and never more than half of the window.

        The other half is for the answer, the tools, and what an estimate is wrong by.
        """
        return most if self.window is None else min(most, self.window // 2)

    def estimate_tokens(self) -> int:
        """A rough count for the next request, kept up as messages come (characters / 3)."""
        if self._head is None:
            self.build_messages()
        return self._tokens + (self._head.estimated_tokens if self._head else 0)


def units(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Cut a dialogue into pieces that must stay together: an assistant message and the answers to its tool calls."""
    unit: list[Message] = []
    for message in messages:
        if message.role != "tool" and unit:
            yield unit
            unit = []
        unit.append(message)
    if unit:
        yield unit

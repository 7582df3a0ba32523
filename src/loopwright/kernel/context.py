"""What the model sees: long-term text in the system message, a summary of what lies far back, the recent messages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from loopwright.kernel.messages import Message


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

"""Compaction: the middle of a long dialogue becomes a summary, and nothing is lost when that fails."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from loopwright.kernel.messages import ConversationContext, Message, units
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.tools import ToolModel

DIMENSIONS = ("goal", "progress", "decisions", "constraints", "style", "pages", "issues", "next_steps")
"""The eight dimensions of AU2 (spec 000, phase 2)."""


@dataclass(frozen=True)
class CompactionResult:
    """What stays of the dialogue, and the summary of the rest."""

    messages: list[Message]
    summary: dict[str, str]


class CompactionStrategy(Protocol):
    """A way to shorten a dialogue. It must keep the newest user message and never part a tool call from its result."""

    @property
    def name(self) -> str:
        """The strategy's name in the journal."""
        ...

    def due(self, context: ConversationContext) -> bool:
        """Whether it is time, and whether there is something to compress."""
        ...

    async def compact(
        self, context: ConversationContext, model: ToolModel, prompts: PromptRepository
    ) -> CompactionResult | None:
        """Shorten the dialogue; None when no usable summary could be had, and then nothing changes.

        Raises:
            ModelError: the model could not be reached; the caller keeps everything.
        """
        ...


@dataclass(frozen=True)
class Slices:
    """A dialogue cut for compression; the newest user message is never in `middle`."""

    head: list[Message]
    middle: list[Message]
    tail: list[Message]


def slice_dialogue(
    messages: Sequence[Message], head_size: int = 2, tail_size: int = 4, *, newest_user: Message | None = None
) -> Slices:
    """Keep the first `head_size` and the last `tail_size` messages, each extended to whole units.

    `newest_user` is kept too; without it, the newest message of role user is, which may be the controller's.
    """
    pieces = list(units(messages))
    head: list[Message] = []
    while pieces and len(head) < head_size:
        head += pieces.pop(0)
    tail: list[Message] = []
    while pieces and len(tail) < tail_size:
        tail[:0] = pieces.pop()
    middle = [message for piece in pieces for message in piece]
    kept = [m == newest_user if newest_user else m.role == "user" for m in messages]
    place = len(kept) - 1 - kept[::-1].index(True) if any(kept) else None
    if place is not None and len(head) <= place < len(head) + len(middle):
        tail.insert(0, middle.pop(place - len(head)))
    return Slices(head, middle, tail)


@dataclass(frozen=True)
class AU2:
    """AU2 (spec 000, phase 2): first two and last four messages stay, the middle becomes eight dimensions.

    It is due at half of the model's window, at `max_tokens` estimated tokens, or, where somebody wants that, at
    `max_messages` messages, whichever comes first. Where what stays is itself beyond that, the middle must hold a tenth
    of it: else every step would pay for a crumb's summary.
    """

    max_messages: int | None = None
    max_tokens: int = 60_000
    name: str = "au2"

    def due(self, context: ConversationContext) -> bool:
        """Whether a threshold is reached and the middle holds more than a crumb."""
        long = self.max_messages is not None and len(context.messages) >= self.max_messages
        most = context.space(self.max_tokens)
        if not long and context.estimate_tokens() < most:
            return False
        middle = slice_dialogue(context.messages, newest_user=context.newest_user).middle
        worth = sum(message.estimated_tokens for message in middle) * 10 >= most
        return len(middle) >= 2 and (long or worth)

    async def compact(
        self, context: ConversationContext, model: ToolModel, prompts: PromptRepository
    ) -> CompactionResult | None:
        """Ask the FAST tier for the summary, twice at most."""
        cut = slice_dialogue(context.messages, newest_user=context.newest_user)
        material = json.dumps(
            {"earlier_summary": context.summary, "conversation": [_brief(message) for message in cut.middle]},
            ensure_ascii=False,
        )
        messages = [Message.system(prompts.render("kernel/compact")), Message.user(material)]
        request = ModelRequest(messages=messages, tier="fast", max_tokens=1_500)
        answer = await model.complete(request)
        summary = read_summary(answer.text)
        if summary is None:
            complaint = Message.user(
                "That was not the JSON object with the eight keys. Send it again, and nothing else."
            )
            again = [*messages, Message.assistant(answer.text), complaint]
            summary = read_summary((await model.complete(ModelRequest(again, tier="fast", max_tokens=1_500))).text)
        return None if summary is None else CompactionResult([*cut.head, *cut.tail], summary)


def _brief(message: Message) -> dict[str, str]:
    text = (
        message.content if len(message.content) <= 4_000 else message.content[:3_000] + " … " + message.content[-800:]
    )
    calls = "; ".join(f"{call.name}({call.arguments[:600]})" for call in message.tool_calls)
    return {"role": message.role, "text": text} | ({"calls": calls} if calls else {})


def read_summary(text: str) -> dict[str, str] | None:
    """The eight dimensions out of a model's answer, or None when they are not all there.

    A fence or words around the object are forgiven; a missing key or an empty object is not.
    """
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        data = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):  # no JSON, or brackets in brackets without end
        return None
    if not isinstance(data, dict) or any(key not in data for key in DIMENSIONS):
        return None
    summary = {key: _as_text(data[key]) for key in DIMENSIONS}
    return summary if any(summary.values()) else None


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) if value else ""

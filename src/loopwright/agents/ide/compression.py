"""Folding: old turns become a structured summary, by rules and not by a model (spec 002, 7).

The same dialogue always folds the same way. What was folded is in the journal, and `conversation_fold` reads it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from loopwright.agents.ide.flow.reasoning import calls_of, without_reasoning
from loopwright.agents.ide.tools.tool import COMMANDS, WRITERS
from loopwright.kernel.compaction import CompactionResult, slice_dialogue
from loopwright.kernel.context import ConversationContext
from loopwright.kernel.messages import STAGE, Message, split_blocks
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.tools import ToolModel

KEYS = ("goals", "decisions", "plan", "open issues", "tool outputs", "outcomes")
"""The dimensions of the summary; `plan` and `open issues` are pinned, so that no folding loses them."""
PINNED = "(pinned)"
"""Stands for what the pins say above: a copy would soon contradict them."""
MOST = {"goals": 5, "decisions": 3, "tool outputs": 8, "outcomes": 3}
"""Lines of each dimension that are kept, the newest ones; goals keep the first line too."""
LONGEST_LINE = 240
SEPARATOR = "\n"
OUTCOME = re.compile(r"^(?:plan_delta|next_action|known_risks|delivery_state): .*$", re.MULTILINE)
IMPORTANT = WRITERS | COMMANDS
"""Tools whose results are worth more than those of readers, which can be called again."""


@dataclass(frozen=True)
class Folding:
    """Due at so many messages or estimated tokens; the newest `tail` messages stay, in whole units."""

    max_messages: int = 40
    max_tokens: int = 40_000
    tail: int = 20
    name: str = "folding"

    def due(self, context: ConversationContext) -> bool:
        """Whether a threshold is reached, and there is more than a crumb to fold."""
        full = len(context.messages) > self.max_messages or context.estimate_tokens() > context.space(self.max_tokens)
        return full and len(self._cut(context)[0]) >= 2

    async def compact(
        self, context: ConversationContext, model: ToolModel, prompts: PromptRepository
    ) -> CompactionResult | None:
        """Fold what lies before the tail; the model is not asked."""
        folded, kept = self._cut(context)
        return CompactionResult(kept, fold(folded, context.summary, context.pins)) if folded else None

    def _cut(self, context: ConversationContext) -> tuple[list[Message], list[Message]]:
        """What is folded and what stays. A tail that is itself too long gets shorter, down to the newest unit."""
        size = min(self.tail, self.max_messages // 2)
        while True:
            cut = slice_dialogue(context.messages, 0, size, newest_user=context.newest_user)
            tokens = sum(message.estimated_tokens for message in cut.tail)
            if size <= 1 or tokens * 2 <= context.space(self.max_tokens):
                return _with_stage(cut.middle, [*cut.head, *cut.tail])
            size //= 2


def _with_stage(folded: list[Message], kept: list[Message]) -> tuple[list[Message], list[Message]]:
    """What the model was told of its stage last is not folded away: it says how to answer."""
    told = next(
        (m for m in reversed([*folded, *kept]) if m.role == "user" and STAGE in split_blocks(m.content)[1]), None
    )
    if told is None or told in kept:
        return folded, kept
    return [message for message in folded if message is not told], [told, *kept]


def fold(messages: Sequence[Message], earlier: Mapping[str, str], pins: Mapping[str, str]) -> dict[str, str]:
    """The summary of these messages, after what was known before them."""
    found: dict[str, list[str]] = {
        "goals": [_line(said) for m in messages if m.role == "user" and (said := split_blocks(m.content)[0].strip())],
        "decisions": [_line(_words(m)) for m in messages if m.role == "assistant" and _words(m)],
        "tool outputs": _outputs(messages),
        "outcomes": [_line(" · ".join(OUTCOME.findall(m.content))) for m in messages if OUTCOME.search(m.content)],
    }
    summary = {
        key: _join(earlier.get(key, ""), lines, MOST[key], keep_first=key == "goals") for key, lines in found.items()
    }
    return summary | {key: PINNED if pins.get(key) else "" for key in ("plan", "open issues")}


def _outputs(messages: Sequence[Message]) -> list[str]:
    """What calls gave: those that changed or ran something before those that read, each group in its order."""
    calls = calls_of(messages)
    lines = {True: [], False: []}  # type: dict[bool, list[str]]
    for call in calls:
        lines[call.name in IMPORTANT].append(_line(f"{call.name}({call.target}): {call.result}"))
    most = MOST["tool outputs"]
    important = lines[True][-most:]
    return [*lines[False][-(most - len(important)) :], *important] if len(important) < most else important


def _words(message: Message) -> str:
    return OUTCOME.sub("", without_reasoning(message.content)).replace("ReasoningOutcome:", "").strip()


def _join(earlier: str, lines: Iterable[str], most: int, *, keep_first: bool) -> str:
    every = list(dict.fromkeys([*(line for line in earlier.split(SEPARATOR) if line), *lines]))
    if len(every) <= most:
        return SEPARATOR.join(every)
    return SEPARATOR.join([every[0], *every[-(most - 1) :]] if keep_first else every[-most:])


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"

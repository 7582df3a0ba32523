"""What the dialogue says: the user's newest request, and the calls that were made for it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from loopwright.agents.ide.offline.script import Result, Step, Unit
from loopwright.kernel.messages import Message

CORRECTIONS = (
    "agent/delivery_gate",
    "agent/empty_response_recovery",
    "qa/report_schema",
    "conversation_flow/corrections/empty_response_followup",
    "conversation_flow/corrections/force_tool_followup",
    "conversation_flow/corrections/no_user_input_next_step",
    "conversation_flow/corrections/repeated_failure",
    "conversation_flow/corrections/tool_failure_recovery",
    "conversation_flow/delivery_gate/enforce_delivery_completion",
    "conversation_flow/delivery_gate/low_quality_reasoning",
    "conversation_flow/delivery_gate/reasoning_format_correction",
    "conversation_flow/delivery_gate/reasoning_only_no_answer",
)
"""The prompts that the controller shows in the user's role when it sends the model back."""
CUT_OFF = "Your answer was cut off at the length limit."
SUMMARY = "\n## Summary of the earlier conversation\n"
LONGEST_REQUEST = 4_000


@dataclass(frozen=True)
class Dialogue:
    """The part of a dialogue that begins with the user's newest request.

    `units` are the calls since then in order, `words` the answers without calls; `reviewed_from` is the number of units
    that were there at the last of these words. `folded` is the summary of what is no longer there.
    """

    request: str
    units: tuple[Unit, ...] = ()
    words: tuple[str, ...] = ()
    reviewed_from: int = 0
    folded: str = ""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "Dialogue":
        """Read the messages of a request."""
        starts = [place for place, message in enumerate(messages) if _is_request(message)]
        if not starts:
            return cls("")
        newest = messages[starts[-1] + 1 :]
        results = {message.tool_call_id: message.content for message in newest if message.role == "tool"}
        units: list[Unit] = []
        words: list[str] = []
        reviewed_from = 0
        for message in newest:
            if message.role == "assistant" and message.tool_calls:
                if all(call.id in results for call in message.tool_calls):
                    steps = tuple(Step(call.name, _arguments(call.arguments)) for call in message.tool_calls)
                    units.append(Unit(steps, tuple(Result(results[call.id]) for call in message.tool_calls)))
            elif message.role == "assistant":
                words.append(message.content)
                reviewed_from = len(units)
        system = "\n".join(message.content for message in messages if message.role == "system")
        folded = system.rpartition(SUMMARY)[2] if SUMMARY in system else ""
        request = messages[starts[-1]].content[:LONGEST_REQUEST]
        return cls(request, tuple(units), tuple(words), reviewed_from, folded)

    @property
    def work(self) -> tuple[Unit, ...]:
        """The calls that were made before the newest words: while QA reviews, those of the work that it looks at."""
        return self.units[: self.reviewed_from]


def _is_request(message: Message) -> bool:
    return message.role == "user" and not message.content.startswith(_openings())


@cache
def _openings() -> tuple[str, ...]:
    """How the controller's messages begin, as far as they are the same each time."""
    folder = resources.files("loopwright.agents.ide").joinpath("prompts")
    texts = (folder.joinpath(f"{name}.md").read_text(encoding="utf-8") for name in CORRECTIONS)
    return (CUT_OFF, *(text.partition("{{")[0].partition("\n")[0].strip()[:60] for text in texts))


def _arguments(text: str) -> Mapping[str, Any]:
    """The arguments of a call; what is no object was not called by these rules, and matches none of their steps."""
    try:
        found = json.loads(text)
    except ValueError:
        return {"unreadable": text}
    return found if isinstance(found, dict) else {"unreadable": text}

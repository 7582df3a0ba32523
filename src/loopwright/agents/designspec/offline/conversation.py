"""What the dialogue says: the user's newest request, the answers to questions, and complaints of the controller."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from loopwright.kernel.messages import Message, split_blocks
from loopwright.kits.dialogue import text_of_file

# The longer texts that the offline model says: Markdown files in `replies/`.

PACKAGE = "loopwright.agents.designspec.offline"


def reply(name: str) -> str:
    """The text of this name."""
    return text_of_file(PACKAGE, f"replies/{name}.md")


@cache
def glossary() -> Mapping[str, str]:
    """The words that can be explained, `name/other name` to what it means."""
    lines = [
        line.removeprefix("- ").partition(": ") for line in reply("glossary").splitlines() if line.startswith("- ")
    ]
    return {name.lower(): text for name, _, text in lines}


COMPLAINTS = (
    "Your answer could not be used.",
    "Your answer cannot be used.",
    "Your answer must be one JSON object",
    "Your answer is not valid JSON",
    "Your patches were not put to the user.",
    "Your directive was refused",
    "The document cannot be run yet.",
    "You have asked ",
)
"""How the controller's messages begin; they come in the user's role."""
RUN_REPORTED = "The run has ended."
"""How it tells a model what a run has measured."""
NO_ANSWER = "(no answer)"
JOINT = " – "
"""Between a question and its answer, a line each."""
_REJECTED = re.compile(r'^(?:I rejected ".*?":|I did not want the run:)\s*(.+)$', re.DOTALL)
_YES = re.compile(
    r"^(?:yes|yep|yeah|ok|okay|sure|fine|default|the default|go ahead|please do|sounds good|y)[.! ]*$", re.I
)
_SHORT = re.compile(r"^[\w\s.,×x*µ%\"-]{1,60}$")


@dataclass(frozen=True)
class Dialogue:
    """A dialogue, read. `request` is the message that is planned; `given` are answers by question."""

    request: str
    given: Mapping[str, str] = field(default_factory=dict)
    complaint: str = ""
    first: bool = True
    reported: bool = False
    """Whether the newest message is the report of a run."""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "Dialogue":
        """Read the messages of a request."""
        dialogue = [said for message in messages if (said := _said(message)) is not None]
        if dialogue and dialogue[-1].role == "user" and dialogue[-1].content.startswith(RUN_REPORTED):
            return cls("", reported=True, first=False)
        dialogue = [message for message in dialogue if not _is_hop(message)]
        first = not any(message.role == "assistant" for message in dialogue)
        complaint = dialogue[-1].content if dialogue and _is_complaint(dialogue[-1]) else ""
        asked = _asked(dialogue)
        given: dict[str, str] = {}
        for index in reversed(range(len(dialogue))):
            message = dialogue[index]
            if message.role != "user" or _is_complaint(message):
                continue
            answers = _answers(message.content, asked) or _plain_answer(dialogue, index)
            if not answers:
                return cls(_comment(message.content), given, complaint, first)
            given = answers | given
        return cls("", given, complaint, first)


def _said(message: Message) -> Message | None:
    """What the user or the model said, without the controller's blocks; None where nothing else is in the message."""
    if message.role not in ("user", "assistant"):
        return None
    text = split_blocks(message.content)[0] if message.role == "user" else message.content
    return Message(role=message.role, content=text) if text.strip() else None


def _is_hop(message: Message) -> bool:
    """Whether this only asks to see more: no answer to the user, who has not seen it either."""
    if message.role != "assistant":
        return False
    try:
        told = json.loads(message.content)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and bool(told.get("context_requests"))


def _is_complaint(message: Message) -> bool:
    return message.role == "user" and message.content.startswith(COMPLAINTS)


def _comment(text: str) -> str:
    rejected = _REJECTED.match(text.strip())
    return rejected[1] if rejected else text


def _questions(message: Message) -> dict[str, str]:
    """The questions of a directive with their defaults; none for any other text."""
    try:
        told = json.loads(message.content)
    except (ValueError, RecursionError):
        return {}
    asked = told.get("questions") if isinstance(told, dict) else None
    return {
        str(each["question"]): str(each.get("default") or "")
        for each in (asked if isinstance(asked, list) else [])
        if isinstance(each, dict) and each.get("question")
    }


def _asked(dialogue: Sequence[Message]) -> dict[str, str]:
    found: dict[str, str] = {}
    for message in dialogue:
        if message.role == "assistant":
            found |= _questions(message)
    return found


def _answers(text: str, asked: Mapping[str, str]) -> dict[str, str]:
    """Answers as the questions' gate gives them; an open one takes the default."""
    found = {}
    for line in text.split("\n"):
        question = next((each for each in asked if line.startswith(each + JOINT)), None)
        if question is not None:
            answer = line[len(question) + len(JOINT) :].strip()
            default = asked[question]
            found[question] = default if _YES.match(answer) or answer == NO_ANSWER else answer
    return {question: answer for question, answer in found.items() if answer}


def _plain_answer(dialogue: Sequence[Message], index: int) -> dict[str, str]:
    """A short message after a question: yes, or a size by itself."""
    text = dialogue[index].content.strip()
    asked = _questions(dialogue[index - 1]) if index and dialogue[index - 1].role == "assistant" else {}
    if len(asked) != 1 or len(text) > 60:
        return {}
    (question, default), *_ = asked.items()
    if _YES.match(text):
        return {question: default} if default else {}
    bare = re.match(r"^[-+]?[\d.]", text) and _SHORT.match(text)
    return {question: text} if bare else {}

"""The kernel's own playbook for the offline model: the summary of a compaction, made by rules.

Nothing is interpreted: what the user said is quoted, what tools did is listed, what failed is repeated. A dimension
that the conversation says nothing about stays empty.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from loopwright.kernel.compaction import DIMENSIONS
from loopwright.kernel.messages import Message

# What an agent brings along so that it works without a language model: rules that answer in the model's place.


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


COMPACT = "kernel/compact"
DIMENSION_LENGTH = 1_500
"""The longest text of one dimension, in characters; the newest is kept where it does not fit."""
QUOTE_LENGTH = 400
"""The longest quotation, in characters."""

_CALL = re.compile(r"(?:^|; )([a-z_][a-z0-9_]*)\((\{.*?\}?)\)(?=; [a-z_][a-z0-9_]*\(|$)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CONSTRAINT = re.compile(
    r"\b(must|only|never|always|without|don't|do not|should|at (?:least|most)|no more than|keep|need)\b", re.IGNORECASE
)
_STYLE = re.compile(
    r"#[0-9a-f]{6}\b|\b(colou?rs?|dark|light|accent|font|style|theme|tone|minimal|playful|bold|elegant|look|brand)\b",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\b(next|then|will|now i|going to|remains?|still to|to do)\b", re.IGNORECASE)
_FENCE = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_NAMES = ("slug", "name", "path", "file", "id")
"""The arguments by which a call is told apart from another one of the same tool, in the order of preference."""


@dataclass
class _Notes:
    """Lines by dimension, each once, in the order in which they were said."""

    lines: dict[str, dict[str, None]] = field(default_factory=lambda: {key: {} for key in DIMENSIONS})

    def add(self, dimension: str, line: str) -> None:
        line = " ".join(line.split())
        if line:
            self.lines[dimension][line if len(line) <= QUOTE_LENGTH else line[:QUOTE_LENGTH] + " …"] = None

    def summary(self, earlier: Mapping[str, Any]) -> dict[str, str]:
        """The eight texts, what was known before them first."""
        return {key: _join([str(earlier.get(key) or ""), *self.lines[key]]) for key in DIMENSIONS}


class KernelPlaybook:
    """The rules behind the kernel's prompts."""

    name = "kernel"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Summarise the conversation that a compaction sends; say so when it is anything else."""
        if request.task != COMPACT:
            return OfflineReply(text=f"The offline model has no rules for {request.task}.")
        material = _material(next((m.content for m in request.messages if m.role == "user"), ""))
        if material is None:
            return OfflineReply(text="There is no conversation to summarise in this request.")
        summary = summarise(material.get("conversation") or [], material.get("earlier_summary") or {})
        return OfflineReply(text=json.dumps(summary, ensure_ascii=False, indent=1))


PLAYBOOK = KernelPlaybook()
"""The playbook that the offline model asks; it keeps nothing between two requests."""


def summarise(conversation: Sequence[Mapping[str, Any]], earlier: Mapping[str, Any]) -> dict[str, str]:
    """The eight dimensions of messages as a compaction sends them: `role`, `text`, and `calls` of an assistant."""
    notes = _Notes()
    pending: list[str] = []
    for message in conversation:
        role, text = str(message.get("role", "")), str(message.get("text", ""))
        if role == "user":
            _user(notes, text, first=not notes.lines["goal"] and not earlier.get("goal"))
        elif role == "tool":
            _result(notes, pending.pop(0) if pending else "a tool", text)
        elif role == "assistant":
            _assistant(notes, text)
            pending = [_name_call(notes, match[1], match[2]) for match in _CALL.finditer(str(message.get("calls", "")))]
    return notes.summary(earlier)


def _material(text: str) -> dict[str, Any] | None:
    try:
        material = json.loads(text)
    except ValueError:
        return None
    return material if isinstance(material, dict) and "conversation" in material else None


def _user(notes: _Notes, text: str, *, first: bool) -> None:
    notes.add("goal" if first else "decisions", text if first else f"The user said: {text}")
    for sentence in _SENTENCE.split(text):
        if _CONSTRAINT.search(sentence):
            notes.add("constraints", sentence)
        if _STYLE.search(sentence):
            notes.add("style", sentence)


def _assistant(notes: _Notes, text: str) -> None:
    for sentence in _SENTENCE.split(_FENCE.sub("", text)):
        if _NEXT.search(sentence):
            notes.lines["next_steps"].clear()  # a later intention replaces an earlier one
            notes.add("next_steps", sentence)


def _name_call(notes: _Notes, tool: str, raw: str) -> str:
    """A short name for a call, such as `generate_page(cart)`; pages it names are noted."""
    arguments = _loose_arguments(raw)
    identity = next((arguments[key] for key in _NAMES if arguments.get(key)), "")
    if arguments.get("slug"):
        title = arguments.get("title") or ""
        notes.add("pages", f"{arguments['slug']}: {title}" if title else arguments["slug"])
    return f"{tool}({identity})" if identity else tool


def _loose_arguments(raw: str) -> dict[str, str]:
    """The short text arguments of a call; a compaction cuts long ones, so the JSON may have lost its end."""
    return dict(re.findall(r'"(\w+)"\s*:\s*"([^"\\]{1,120})"', raw))


def _result(notes: _Notes, call: str, text: str) -> None:
    if text.startswith("Error"):
        notes.add("issues", f"{call}: {text}")
        return
    notes.add("progress", f"{call}: answered without an error")
    answers = _material_answers(text)
    for question, answer in answers.items():
        given = ", ".join(answer) if isinstance(answer, list) else answer
        notes.add("decisions", f"{question} – {given}")


def _material_answers(text: str) -> dict[str, Any]:
    """Question and answer pairs, where a tool's output is a JSON object of them."""
    start = text.find("{")
    try:
        found = json.loads(text[start:]) if start >= 0 else {}
    except ValueError:
        return {}  # most outputs are prose; there is nothing to quote then
    answers = found.get("answers", found) if isinstance(found, dict) else {}
    if not isinstance(answers, dict) or not all("?" in str(key) for key in answers):
        return {}
    return {key: value for key, value in answers.items() if value and isinstance(value, str | list)}


def _join(lines: Iterable[str]) -> str:
    """The lines as one text; the oldest go first when it is too long."""
    kept = list(dict.fromkeys(line for line in lines if line))
    while len(kept) > 1 and len("; ".join(kept)) > DIMENSION_LENGTH:
        kept.pop(0)
    return "; ".join(kept)[-DIMENSION_LENGTH:]

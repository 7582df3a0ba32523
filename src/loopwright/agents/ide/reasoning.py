"""The reasoning blocks of answers: read and judged when an answer is complete, told apart from words while it comes."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loopwright.agents.ide.contracts import SECTIONS, Reasoning, ReasoningOutcome
from loopwright.kernel.errors import InvariantBroken
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import Message
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult

# What the tools of a run have done, in a few lines: for the delivery check, the final answer and QA.
#
# The final answer: sealed by its hash before QA, compared after it, and given to the user as it was.

SEAL = "seal"
GIVEN = "given"
ANSWERING = ("act", "tool_followup", "final")
"""Stages whose words may be the answer: those of the work, unless the stage `final` has written another."""


def digest_of_answer(text: str) -> str:
    """SHA-256 (hex) of the answer's UTF-8 text."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


async def deliver(run: AgentRun) -> ActionResult:
    """Give the sealed answer.

    Raises:
        InvariantBroken: the journal has another text than the one that was sealed.
    """
    answer = await answer_so_far(run)
    if digest_of_answer(answer) != run.state.context.pins.get(SEAL):
        raise InvariantBroken("seal: the final answer is not the one that was sealed before QA")
    return ActionResult(True, "The sealed answer was delivered.", GIVEN, text=answer)


async def answer_so_far(run: AgentRun) -> str:
    """The last words of the run that were meant as its answer, out of the journal."""
    events = await run.services.journal.read(run.state.run_id)
    answers = (ModelResponse.model_validate(e.payload) for e in reversed(events) if e.type == ModelResponse.type)
    found = next((each for each in answers if each.stage in ANSWERING and not each.tool_calls), None)
    return found.visible_text.strip() if found is not None else ""


MOST_LINES = 60
LONGEST_RESULT = 160
SECONDS = re.compile(r"\b\d+(?:\.\d+)? ?(?:s|ms|sec|seconds?)\b")
TARGETS = ("path", "command", "query", "name", "old", "pattern", "folder")


@dataclass(frozen=True)
class Call:
    """A call that the model made and what came of it."""

    call_id: str
    name: str
    arguments: str
    result: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same as another: name, arguments and content, without how long it took."""
        return self.name, self.arguments, SECONDS.sub("", self.result)

    @property
    def failed(self) -> bool:
        """Whether it was refused or failed."""
        return self.result.startswith("Error")

    @property
    def target(self) -> str:
        """What it was about."""
        try:
            data = json.loads(self.arguments)
        except ValueError:
            return ""
        found = next((data[key] for key in TARGETS if isinstance(data, dict) and data.get(key)), "")
        return " ".join(str(found).split())[:80]


def calls_of(messages: Sequence[Message]) -> list[Call]:
    """The calls in a dialogue that have their results, in order."""
    results = {m.tool_call_id: m.content for m in messages if m.role == "tool"}
    return [
        Call(call.id, call.name, call.arguments, results[call.id])
        for message in messages
        for call in message.tool_calls
        if call.id in results
    ]


def tool_summary(run: AgentRun) -> str:
    """A line for each call of the dialogue."""
    calls = calls_of(run.state.context.messages)
    lines = [_line(call) for call in calls[-MOST_LINES:]]
    if len(calls) > MOST_LINES:
        lines.insert(0, f"… {len(calls) - MOST_LINES} earlier calls …")
    return "\n".join(lines) or "(no tools were used)"


def last_step_outcome(run: AgentRun) -> str:
    """What the last call gave."""
    calls = calls_of(run.state.context.messages)
    return _line(calls[-1]) if calls else "(nothing yet)"


def _line(call: Call) -> str:
    return f"- {call.name}({call.target}): {one_line(call.result, LONGEST_RESULT)}"


def one_line(text: str, most: int) -> str:
    """The text on one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


BLOCK = re.compile(r"<\s*ide_reasoning\b[^>]*>(.*?)(?:<\s*/\s*ide_reasoning\s*>|\Z)", re.DOTALL | re.IGNORECASE)
TAG = re.compile(r"<\s*(?P<end>/?)\s*ide_reasoning\b[^>]*(?:>|\Z)", re.IGNORECASE)
ECHO = re.compile(
    r"^[^\S\n]*ReasoningOutcome:[^\S\n]*\n(?:[^\S\n]*(?:plan_delta|next_action|known_risks|delivery_state):[^\n]*(?:\n|\Z))*",
    re.MULTILINE,
)
"""An outcome that a model writes itself would pass for ours in later requests."""
SECTION = re.compile(rf"^\W*({'|'.join(SECTIONS)})\b\W*?:\s*", re.MULTILINE | re.IGNORECASE)
BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(.+)$", re.MULTILINE)
LABEL = re.compile(r"^\W*(outcome|happened|next|why|risks?|plan|delivery)\W*:\s*(.+)$", re.IGNORECASE)
PLACEHOLDER = re.compile(
    r"\b(?:todo|tbd|n/?a|lorem ipsum|placeholder|fill in|to be determined)\b|\.\.\.|…|<[^>]{1,40}>", re.IGNORECASE
)
DELIVERY = re.compile(r"^\W*(DONE|NEEDS_WORK)\b")
SHORTEST_SECTION = 6
CONCRETE_SECTIONS = 2
FEWEST_BULLETS, MOST_BULLETS = 3, 8
LONGEST_OUTCOME = 300

FORMAT = "conversation_flow/delivery_gate/reasoning_format_correction"
LOW_QUALITY = "conversation_flow/delivery_gate/low_quality_reasoning"


def without_reasoning(text: str) -> str:
    """The text without reasoning and without outcomes that were written by hand.

    Blocks may stand in blocks; one that never ends goes to the end of the text, and what stands before an end without a
    beginning is reasoning too: what is in doubt does not travel on.
    """
    kept: list[str] = []
    depth, place = 0, 0
    for tag in TAG.finditer(text):
        if depth == 0:
            kept.append(text[place : tag.start()])
        if not tag["end"]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()
        place = tag.end()
    if depth == 0:
        kept.append(text[place:])
    return ECHO.sub("", "".join(kept)).strip()


def read_macro(text: str) -> Reasoning | str:
    """The macro block of a text, or the name of the correction that it needs.

    All six sections in order, without code blocks; Delivery begins with DONE or NEEDS_WORK; at least two sections say
    something, and none is a placeholder.
    """
    block = _block(text)
    if block is None or "```" in block:
        return FORMAT
    parts = SECTION.split(block)
    names = [name.capitalize() for name in parts[1::2]]
    if names != list(SECTIONS):
        return FORMAT
    sections = dict(zip(names, (part.strip() for part in parts[2::2]), strict=True))
    state = DELIVERY.match(sections["Delivery"])
    if state is None:
        return FORMAT
    said = [sections[name] for name in SECTIONS[:-1]]
    concrete = [part for part in said if len(part) >= SHORTEST_SECTION and not PLACEHOLDER.search(part)]
    if len(concrete) < CONCRETE_SECTIONS or any(PLACEHOLDER.fullmatch(part.strip(" .")) for part in said if part):
        return LOW_QUALITY
    outcome = ReasoningOutcome(
        plan_delta=_short(sections["Plan"]),
        next_action=_short(sections["Action"]),
        known_risks=_short(sections["Reflect"]),
        delivery_state="NEEDS_WORK" if "NEEDS_WORK" in sections["Delivery"] else "DONE",
    )
    return Reasoning(format="macro", text=block, outcome=outcome)


def read_micro(text: str) -> Reasoning | str:
    """The micro block of a text, or the name of the correction that it needs.

    Three to eight bullets that say what happened (Outcome), what comes next (Next) and why (Why); Risk, Plan and
    Delivery are optional.
    """
    block = _block(text)
    if block is None or "```" in block:
        return FORMAT
    bullets = BULLET.findall(block)
    if not FEWEST_BULLETS <= len(bullets) <= MOST_BULLETS:
        return FORMAT
    labelled: dict[str, str] = {}
    for bullet in bullets:
        match = LABEL.match(bullet)
        if match:
            labelled.setdefault(_canonical(match[1]), match[2].strip())
    if not {"outcome", "next", "why"} <= set(labelled):
        return FORMAT
    if any(len(labelled[name]) < SHORTEST_SECTION or PLACEHOLDER.search(labelled[name]) for name in ("next", "why")):
        return LOW_QUALITY
    delivery = labelled.get("delivery", "NEEDS_WORK")
    outcome = ReasoningOutcome(
        plan_delta=_short(labelled.get("plan", "unchanged")),
        next_action=_short(labelled["next"]),
        known_risks=_short(labelled.get("risk", "none named")),
        delivery_state="DONE" if delivery.upper().startswith("DONE") else "NEEDS_WORK",
    )
    return Reasoning(format="micro", text=block, outcome=outcome)


def _block(text: str) -> str | None:
    match = BLOCK.search(text)
    return match[1].strip() if match and match[1].strip() else None


def _canonical(label: str) -> str:
    name = label.lower()
    return {"happened": "outcome", "risks": "risk"}.get(name, name)


def _short(text: str) -> str:
    """One line: it stands in every later request."""
    return one_line(text, LONGEST_OUTCOME)


# Streamed text told apart as it comes: what is said to the user, and what is reasoning.

SPOKEN_TAG = re.compile(r"<\s*(/?)\s*ide_reasoning\b[^>]*>", re.IGNORECASE)
NAME = "ide_reasoning"
LONGEST_TAG = 200
"""Characters of a tag that is still open; what is longer is text."""
SPOKEN_STAGES = frozenset({"chat", "warmup", "act", "tool_followup", "final"})
"""Stages whose words are for the user; the others answer in JSON."""


@dataclass(frozen=True)
class Piece:
    """A piece of an answer: words for the user, or reasoning."""

    kind: Literal["message", "thought"]
    text: str


class Speech:
    """One answer, piece by piece; the tags of reasoning blocks are taken out, also where a piece ends within one."""

    def __init__(self) -> None:
        """Nothing has been said yet."""
        self.heard = ""
        self.said = False
        self.thought = False
        self._thinking = False
        self._held = ""

    def hear(self, text: str) -> list[Piece]:
        """What can be told for certain after this piece."""
        self.heard += text
        self._held += text
        pieces = []
        while match := SPOKEN_TAG.search(self._held):
            pieces.append(self._piece(self._held[: match.start()]))
            self._held = self._held[match.end() :]
            self._thinking = not match[1]
        start = _open_tag(self._held)
        pieces.append(self._piece(self._held[:start]))
        self._held = self._held[start:]
        return [piece for piece in pieces if piece.text]

    def end(self) -> list[Piece]:
        """What was held back."""
        piece, self._held = self._piece(self._held), ""
        return [piece] if piece.text else []

    def complete(self, answer: str) -> list[Piece]:
        """What is still to be told, now that the whole answer is known: pieces shown live may have been lost."""
        if answer.startswith(self.heard):
            return [*self.hear(answer[len(self.heard) :]), *self.end()]
        whole = Speech()
        return [
            Piece("message", "\n(Parts of this were lost on the way; here is the whole.)\n"),
            *whole.complete(answer),
        ]

    def _piece(self, text: str) -> Piece:
        """The first words of each kind begin without the blank lines that stand around blocks."""
        if self._thinking:
            text = text if self.thought else text.lstrip()
            self.thought = self.thought or bool(text)
            return Piece("thought", text)
        text = text if self.said else text.lstrip()
        self.said = self.said or bool(text)
        return Piece("message", text)


class Transcript:
    """What is told of a run's answers: live pieces as they come, and what is missing once an answer is stored.

    Words of stages that answer in JSON are for the controller and are not told; their reasoning is.
    """

    def __init__(self) -> None:
        """No answer has come yet."""
        self._steps = 0
        self._speeches: dict[int, Speech] = defaultdict(Speech)

    def hear(self, delta: Mapping[str, Any]) -> list[Piece]:
        """A live piece, `{text, stage, step}`; an empty text voids what was told of the answer so far."""
        if delta["text"]:
            return _told(self._speeches[delta["step"]].hear(delta["text"]), delta["stage"])
        void = self._speeches.pop(delta["step"], Speech())
        return [Piece("thought", "\n(The answer broke off; it begins anew.)\n")] if void.heard else []

    def answered(self, response: Mapping[str, Any]) -> list[Piece]:
        """The payload of the next `model_response`."""
        self._steps += 1
        return _told(self._speeches[self._steps].complete(response["text"]), response["stage"])


def _told(pieces: list[Piece], stage: str) -> list[Piece]:
    return [piece for piece in pieces if piece.kind == "thought" or stage in SPOKEN_STAGES]


def _open_tag(text: str) -> int:
    """Where a tag begins that may still become one of ours; the end of the text where none does."""
    start = text.rfind("<")
    if start < 0 or ">" in text[start:] or len(text) - start > LONGEST_TAG:
        return len(text)
    name = text[start + 1 :].lstrip().removeprefix("/").lstrip().lower()
    return start if NAME.startswith(name[: len(NAME)]) else len(text)

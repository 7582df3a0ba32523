"""Streamed text told apart as it comes: what is said to the user, and what is reasoning."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

TAG = re.compile(r"<\s*(/?)\s*ide_reasoning\b[^>]*>", re.IGNORECASE)
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
        while match := TAG.search(self._held):
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

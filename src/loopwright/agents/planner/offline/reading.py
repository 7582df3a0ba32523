"""The words of a goal while they are being understood: what is understood is taken away, the rest is the subject."""

import re
import unicodedata
from dataclasses import dataclass, field

from loopwright.agents.planner.offline.language import Language

MOST_CHARACTERS = 2_000
"""A goal is a sentence or a few; what comes after is not read. It also bounds the time of every pattern."""

TAKEN = "\x00"


@dataclass
class Reading:
    """A text, its small letters with the taken parts blanked out, and what was noticed on the way.

    `text` and `left` have the same length, so that names keep their capitals.
    """

    text: str
    left: str
    language: Language
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    month_first: bool = False
    """Whether 3/4/2027 is a day in March, as it is in the United States."""

    @classmethod
    def of(cls, text: str, language: Language, *, month_first: bool = False) -> "Reading":
        """Read a text: control characters go, spaces are folded, phrases are written the way the tables have them."""
        notes = [f"I read the first {MOST_CHARACTERS} characters only."] if len(text) > MOST_CHARACTERS else []
        clean = unicodedata.normalize("NFC", text[:MOST_CHARACTERS].replace("’", "'"))
        clean = "".join(char if char.isprintable() else " " for char in clean)
        clean = re.sub(r"\s+", " ", clean).strip()
        for old, new in language.raw["rewrites"]:
            clean = re.sub(old, new, clean, flags=re.IGNORECASE)
        small = "".join(low if len(low := char.lower()) == 1 else char for char in clean)
        return cls(clean, small, language, notes, month_first=month_first)

    def find(self, template: str) -> re.Match[str] | None:
        """The first place that fits, left where it is."""
        return self.language.pattern(template).search(self.left)

    def take(self, template: str) -> re.Match[str] | None:
        """The first place that fits, taken away."""
        match = self.find(template)
        if match is not None:
            self.blank(match)
        return match

    def blank(self, match: re.Match[str]) -> None:
        """Take away what was matched."""
        start, end = match.span()
        self.left = self.left[:start] + TAKEN * (end - start) + self.left[end:]

    def original(self, match: re.Match[str], group: str | int = 0) -> str:
        """A group's text with its capitals."""
        start, end = match.span(group)
        return self.text[start:end].strip()


def number_of(words: str, language: Language) -> float:
    """What a number in digits or words is worth; one that is absurdly long is infinite.

    `1,500` and `1.500` have thousands in them where three digits follow each mark, `1,5` and `1.5` have halves.
    """
    words = words.strip().replace("-", " ")
    if words[:1].isdigit():
        digits = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", words).replace(",", ".")
        if len(digits) > 12:
            return float("inf")
        return float(digits) if digits.count(".") <= 1 else float("inf")
    total = 0.0
    for word in words.split():
        if word in language.table("hundreds"):
            total = max(total, 1) * language.table("hundreds")[word]
        else:
            total += language.table("tens").get(word, language.table("numbers").get(word, 0))
    return total

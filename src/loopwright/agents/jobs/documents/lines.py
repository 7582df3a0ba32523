"""Lines as they stand on a page, and joining them again to the text that was broken into them."""

from collections.abc import Sequence
from dataclasses import dataclass

SUSPENDING = frozenset({"und", "oder", "bzw.", "sowie", "als", "noch", "bis", "and", "or", "to"})
"""Before these words a hyphen at a line's end stays, with a space: it stands for a part left out (`Vor- und …`)."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page.

    `apart`: more space above than between the lines of a paragraph, or another style or column. `strong`: set as a
    heading is (bold, or larger than the body). `number`: a number that stands by itself in the margin.
    """

    text: str
    apart: bool = False
    strong: bool = False
    number: str = ""


def joined(lines: Sequence[str]) -> str:
    """The text that was broken into these lines: one space between words, hyphenation undone."""
    text = ""
    for line in lines:
        words = " ".join(line.split())
        if not words:
            continue
        text = _with(text, words) if text else words
    return text


def _with(text: str, following: str) -> str:
    if not (text.endswith("-") and len(text) > 1 and text[-2].isalpha()):
        return f"{text} {following}"
    first = following.split(" ", 1)[0]
    if first.lower() in SUSPENDING:
        return f"{text} {following}"
    if first[0].islower():
        return text[:-1] + following
    return text + following

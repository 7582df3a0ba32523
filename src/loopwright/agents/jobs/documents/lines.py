"""Lines as they stand on a page, and joining them again to the text that was broken into them."""

from collections.abc import Iterable
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


def joined(lines: Iterable[str]) -> str:
    """The text that was broken into these lines: one space between words, hyphenation undone."""
    parts: list[str] = []
    for line in lines:
        words = " ".join(line.split())
        if words and parts:
            parts[-1], between = _ending(parts[-1], words)
            parts.append(between)
        if words:
            parts.append(words)
    return "".join(parts)


def _ending(line: str, following: str) -> tuple[str, str]:
    """How a line ends when another goes on with it, and what stands between the two."""
    if not (line.endswith("-") and line[-2:-1].isalpha()):
        return line, " "
    first = following.split(" ", 1)[0]
    if first.lower() in SUSPENDING:
        return line, " "
    return (line[:-1] if first[0].islower() else line), ""

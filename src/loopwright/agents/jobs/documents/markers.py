"""How a line opens a block: bullets, numbers of items, paragraphs and sections."""

import re
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.jobs.documents.document import Block
from loopwright.agents.jobs.documents.lines import Line

MAX_HEADING = 250
"""Characters; what is longer is a paragraph, however it is set."""
MAX_SKIPPED = 20
"""Numbers of paragraphs that may be missing in a row, in the margin, where they cannot be taken for anything else."""
UNNUMBERED = 6
"""The level of a heading without a number, which may stand below any other."""
ENDS = (".", ":", ";", ",", "!", "?", ")")
"""Behind one of these a list, or another paragraph, may begin without space above."""

BULLET = re.compile(r"([•●○▪■□◦‣⁃∙·➢➤✓\uf02d\uf0a7\uf0b7\uf0d8])\s*(.*)$", re.DOTALL)
DASH = re.compile(r"([-–—*+o])\s+(.*)$", re.DOTALL)
"""Bullets that may be part of a sentence too; the `o` is Word's bullet of the second level."""
ITEM = re.compile(r"(\(?(?:\d{1,3}|[a-z]{1,2}|[ivx]{1,5})\)|\d{1,2}\.)\s+(\S.*)$", re.DOTALL)
MARGIN_NUMBER = re.compile(r"(\d{1,4})\s+(\S.*)$", re.DOTALL)
MONTH = re.compile(r"(?:Jan|Feb|Mär|Mar|Apr|Ma[iy]|Jun|Jul|Aug|Sep|Okt|Oct|Nov|De[zc])[a-zä]*\b")
"""Behind a number with a dot it makes a date, and no item."""
SECTION = re.compile(
    r"(?:(?P<word>§+|Art(?:ikel|icle|\.)|Section|Chapter|Abschnitt|Kapitel|Teil|Part|Annex|Anhang|Anlage)\s*)?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*|(?<=\s)[A-Z]\b|(?<=\s)[IVX]{1,6}\b)[.:)]?(?:\s+(?P<title>\S.*))?$",
    re.DOTALL,
)
CONTENTS = re.compile(r"(?:(?:\.\s?){4,}|…{2,}[.\s]*)\d{1,4}$")
"""An entry of a table of contents ends with dots that lead to a page number."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The kind of block that a line opens, its marker, and the rest of the line."""

    kind: Literal["heading", "paragraph", "item"]
    text: str
    marker: str = ""
    level: int = 0


def opening(line: Line, before: Block | None, last_number: int) -> Opening | None:
    """How the line opens a block, or None if it goes on with the one before.

    Args:
        line: the line.
        before: the block that would go on, with its text so far.
        last_number: the number of the last numbered paragraph of the document, 0 before the first.
    """
    free = before is None or line.apart or before.kind in ("item", "heading") or before.text.endswith(ENDS)
    if line.number and 0 < int(line.number) - last_number <= (MAX_SKIPPED if last_number else 9_999):
        return Opening("paragraph", line.text, line.number)
    text = f"{line.number} {line.text}".lstrip()
    if before is not None and before.kind == "heading" and line.strong and not line.apart and not SECTION.match(text):
        return None
    if level := heading_level(text, line.strong, free and line.apart):
        return Opening("heading", text, "", level)
    if (bullet := BULLET.match(text)) or (free and (bullet := DASH.match(text))):
        return Opening("item", bullet[2], bullet[1], 1)
    item = ITEM.match(text) if free else None
    if item is not None and not MONTH.match(item[2]):
        return Opening("item", item[2], item[1], 1)
    number = MARGIN_NUMBER.match(text) if free else None
    if number is not None and int(number[1]) == last_number + 1 and not MONTH.match(number[2]):
        return Opening("paragraph", number[2], number[1])
    return Opening("paragraph", text) if before is None or line.apart or before.kind == "heading" else None


def heading_level(text: str, strong: bool, apart: bool) -> int:
    """The level of a heading, from 1; 0 if the line is none.

    A line is a heading if it is set as one, or stands apart with a number of several parts (`3.2.1 Title`) or the
    word for a section before it; in either case it is short and no sentence.
    """
    if len(text) > MAX_HEADING or not any(map(str.isalpha, text)) or text.endswith((".", ";", ",")):
        return 0
    section = SECTION.match(text)
    if section is None:
        return UNNUMBERED if strong and not text.endswith(":") else 0
    named = section["word"] is not None
    title = section["title"] or ""
    if not named and (MONTH.match(title) or not title[:1].isalpha()):
        return 0
    parts = section["number"].count(".") + 1
    if strong or (apart and title[:1].isupper() and (named or parts > 1)):
        return min(parts, 5)
    return 0

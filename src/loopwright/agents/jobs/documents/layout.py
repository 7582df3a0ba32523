"""From lines to blocks: paragraphs, items, headings and entries of the table of contents."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from loopwright.agents.jobs.documents.document import Block, Page, page_of

# Lines as they stand on a page, and joining them again to the text that was broken into them.

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


# Lines with their places on a page, in points from its lower left corner, and what their places say.

PARAGRAPH_GAP = 1.2
"""Times the usual distance of lines; more space than this parts paragraphs."""
LARGER = 1.12
"""Times the body's size; what is larger is set as a heading."""
SURE = 2.0
"""Times the size; so much must have been left on a line, beyond the next word, to say that it was ended by hand."""
INDENT = 6.0
"""Points that a line must stand further to the left than the one before to open a paragraph."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that stand close together on one line. `size` is the height of the font in points."""

    text: str
    left: float
    right: float
    size: float
    bold: bool

    def with_word(self, word: "Piece") -> "Piece":
        """The piece with a word added behind; it is bold if all its words are."""
        return replace(self, text=f"{self.text} {word.text}", right=word.right, bold=self.bold and word.bold)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """The pieces of one line, from left to right, and the height of its baseline."""

    parts: tuple[Piece, ...]
    baseline: float

    def without(self, places: set[int]) -> "PlacedLine":
        """The line without some of its pieces."""
        return replace(self, parts=tuple(part for place, part in enumerate(self.parts) if place not in places))


@dataclass(frozen=True, slots=True)
class Body:
    """How most of a document is set: size of the letters and distance of the baselines, in points."""

    size: float
    pitch: float


def body_of(pages: Sequence[Sequence[PlacedLine]]) -> Body:
    """The commonest size, by letters, and the commonest distance of lines."""
    sizes: Counter[float] = Counter()
    steps: Counter[float] = Counter()
    for page in pages:
        for line in page:
            for part in line.parts:
                sizes[round(part.size, 1)] += len(part.text)
        for above, below in pairwise(page):
            steps[round(above.baseline - below.baseline, 0)] += 1
    down = {step: count for step, count in steps.items() if step > 1}
    size = sizes.most_common(1)[0][0] if sizes else 0.0
    return Body(size, max(down, key=lambda step: down[step]) if down else 1.2 * size)


def lines_of(page: Sequence[PlacedLine], body: Body) -> Iterator[Line]:
    """The lines of a page with what their places say: what stands apart, is set as a heading, or in the margin."""
    before: Line | None = None
    above: PlacedLine | None = None
    for placed in page:
        line = _line(placed, body)
        if above is None or before is None:
            line = replace(line, apart=True)
        else:
            step = above.baseline - placed.baseline
            ended = _broken_by_hand(above, placed)
            outdented = not before.apart and _text_left(above, before) - placed.parts[0].left > INDENT
            apart = not 0 < step <= PARAGRAPH_GAP * body.pitch or line.strong != before.strong or outdented or ended
            line = replace(line, apart=apart or bool(line.number))
        yield line
        before, above = line, placed


def _line(placed: PlacedLine, body: Body) -> Line:
    first, rest = placed.parts[0], placed.parts[1:]
    number = first.text if rest and first.text.isdecimal() and first.text.isascii() and len(first.text) <= 4 else ""
    words = rest if number else placed.parts
    strong = all(part.bold or part.size > LARGER * body.size for part in words)
    return Line(" ".join(part.text for part in words), strong=strong, number=number)


def _broken_by_hand(above: PlacedLine, below: PlacedLine) -> bool:
    """Whether the first word below would have fitted above: the column is at least as wide as the line below."""
    last, first = above.parts[-1], below.parts[0]
    word = first.text.split(" ", 1)[0]
    width = (first.right - first.left) * len(word) / len(first.text)
    return last.right + width + SURE * last.size < below.parts[-1].right and not last.text.endswith("-")


def _text_left(placed: PlacedLine, line: Line) -> float:
    return placed.parts[1 if line.number else 0].left


# How a line opens a block: bullets, numbers of items, paragraphs and sections.

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


FEWEST_ENTRIES = 3
"""Lines with dots and a page number that make a table of contents, on one page."""


def pages_of(pages: Iterable[Sequence[Line]]) -> tuple[Page, ...]:
    """The pages, numbered from 1; blocks end with their page, numbers of paragraphs run through all pages."""
    found: list[Page] = []
    last_number = 0
    for number, lines in enumerate(pages, start=1):
        blocks, last_number = _blocks(lines, last_number)
        found.append(page_of(number, blocks))
    return tuple(found)


def _blocks(lines: Sequence[Line], last_number: int) -> tuple[list[Block], int]:
    first, behind = _contents(lines)
    blocks: list[Block] = []
    for part, is_contents in ((lines[:first], False), (lines[first:behind], True), (lines[behind:], False)):
        if is_contents:
            blocks += _entries(part)
            continue
        for whole in _paragraphs(part, last_number):
            blocks.append(whole)
            if whole.kind == "paragraph" and whole.marker:
                last_number = int(whole.marker)
    return blocks, last_number


def _paragraphs(lines: Sequence[Line], last_number: int) -> list[Block]:
    blocks: list[Block] = []  # each with its last line for text, which is all that the next line is compared with
    texts: list[list[str]] = []
    for line in lines:
        before = blocks[-1] if blocks else None
        opened = opening(line, before, last_number)
        if opened is None and before is not None:
            text = f"{line.number} {line.text}".lstrip()
            blocks[-1] = replace(before, text=text)
            texts[-1].append(text)
        elif opened is not None:
            if opened.kind == "paragraph" and opened.marker:
                last_number = int(opened.marker)
            blocks.append(Block(opened.kind, opened.text, opened.level, opened.marker))
            texts.append([opened.text])
    found = (replace(block, text=joined(text)) for block, text in zip(blocks, texts, strict=True))
    return [block for block in found if block.text]


def _contents(lines: Sequence[Line]) -> tuple[int, int]:
    """Where the table of contents begins and where it has ended; twice the same where there is none."""
    entries = [place for place, line in enumerate(lines) if CONTENTS.search(line.text)]
    return (entries[0], entries[-1] + 1) if len(entries) >= FEWEST_ENTRIES else (0, 0)


def _entries(lines: Sequence[Line]) -> list[Block]:
    """Entries of a table of contents; each ends with the line that has its page number."""
    found: list[Block] = []
    open_lines: list[str] = []
    for line in lines:
        open_lines.append(f"{line.number} {line.text}".lstrip())
        if CONTENTS.search(line.text):
            found.append(Block("contents", joined(open_lines)))
            open_lines = []
    return found

"""What every reader makes of a document: pages of blocks, with headings, markers of paragraphs, and exact offsets."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

Kind = Literal["pdf", "docx", "html", "markdown", "text"]
BlockKind = Literal["heading", "paragraph", "item", "contents"]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, an item of a list, or an entry of a table of contents.

    `marker` is what stands before the text: a bullet, `1.`, `a)`, or the number of a paragraph (Randnummer). `level` is
    the depth of a heading (1 is the highest) or of an item. `start` is where the text, without marker, begins in the
    page's text.
    """

    kind: BlockKind
    text: str
    level: int = 0
    marker: str = ""
    start: int = 0

    @property
    def end(self) -> int:
        """Where the text ends in the page's text."""
        return self.start + len(self.text)

    @property
    def line(self) -> str:
        """The block as the page's text has it: one line, marker first."""
        return f"{self.marker} {self.text}" if self.marker else self.text


@dataclass(frozen=True, slots=True)
class Page:
    """One page. Its text is its blocks, a line each: hyphenation undone, without running headers and footers."""

    number: int
    text: str
    blocks: tuple[Block, ...]

    @property
    def headings(self) -> tuple[Block, ...]:
        """The headings that stand on it."""
        return tuple(block for block in self.blocks if block.kind == "heading")


@dataclass(frozen=True, slots=True)
class Document:
    """A document as read. Formats without pages (all but PDF) are one page.

    `remarks` tell what a reader of the text has to know, such as pages without text.
    """

    kind: Kind
    title: str
    pages: tuple[Page, ...]
    remarks: tuple[str, ...] = field(default=())

    def page(self, number: int) -> Page | None:
        """The page with this number (from 1), or None."""
        return self.pages[number - 1] if 0 < number <= len(self.pages) else None


def page_of(number: int, blocks: Iterable[Block]) -> Page:
    """Lay blocks out as a page: their lines joined by line feeds, their offsets set."""
    lines: list[str] = []
    placed: list[Block] = []
    at = 0
    for block in blocks:
        line = block.line
        placed.append(replace(block, start=at + len(line) - len(block.text)))
        lines.append(line)
        at += len(line) + 1
    return Page(number, "\n".join(lines), tuple(placed))

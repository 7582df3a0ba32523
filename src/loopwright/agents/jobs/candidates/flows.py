"""Runs of text as they were written: paragraphs and items, put together again where a page or column parts them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from loopwright.agents.jobs.candidates.examples import ExampleWatch
from loopwright.agents.jobs.documents import Block, Document
from loopwright.agents.jobs.documents.lines import SUSPENDING

FINISHED = (".", "!", "?", ":", ";")
CLOSING = "\"'”“»«’)]}"
SHORTEST_OPEN = 40
"""Characters; a shorter paragraph without a full stop is complete as it is: a title, a cell of a table."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a flow: `length` characters from `at` in its text are those from `start` in the text of a page."""

    at: int
    page: int
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Flow:
    """A paragraph or an item, with where its characters stand.

    `section` is the heading above, `example` says whether it tells an example.
    """

    text: str
    pieces: tuple[Piece, ...]
    is_item: bool
    section: str
    example: bool

    def places(self, start: int, end: int) -> tuple[tuple[int, int, int], ...]:
        """Where `text[start:end]` stands: page, start and end in the page's text, for each page or block."""
        found = []
        for piece in self.pieces:
            first, last = max(start, piece.at), min(end, piece.at + piece.length)
            if first < last:
                offset = piece.start - piece.at
                found.append((piece.page, first + offset, last + offset))
        return tuple(found)


@dataclass(slots=True)
class _Growing:
    blocks: list[tuple[int, Block]]
    section: str
    example: bool
    text: str = field(default="", init=False)

    def flow(self) -> Flow:
        """The blocks as one text; a word that a page break parts is whole again."""
        text = ""
        pieces: list[Piece] = []
        for (page, block), (_, following) in pairwise([*self.blocks, self.blocks[-1]]):
            last = block is self.blocks[-1][1]
            words = block.text if last or not _parts_a_word(block, following) else block.text[:-1]
            pieces.append(Piece(len(text), page, block.start, len(words)))
            text += words if last or len(words) < len(block.text) else f"{words} "
        return Flow(text, tuple(pieces), self.blocks[0][1].kind == "item", self.section, self.example)


def flows_of(document: Document) -> Iterator[Flow]:
    """The flows in their order; headings and the table of contents are none."""
    growing: _Growing | None = None
    section = ""
    watch = ExampleWatch()
    for page in document.pages:
        for block in page.blocks:
            watch.see(block)
            if block.kind in ("heading", "contents"):
                section = block.text if block.kind == "heading" else section
                # A heading at the top of a page ends what the page before left open; so does one in the text.
                if growing is not None:
                    yield growing.flow()
                growing = None
            elif growing is not None and _goes_on(growing.blocks, page.number, block):
                growing.blocks.append((page.number, block))
            else:
                if growing is not None:
                    yield growing.flow()
                growing = _Growing([(page.number, block)], section, watch.in_example)
    if growing is not None:
        yield growing.flow()


def _goes_on(blocks: Sequence[tuple[int, Block]], page: int, block: Block) -> bool:
    """Whether a block is the rest of the one before."""
    last_page, last = blocks[-1]
    if block.marker or block.kind != "paragraph" or last.text.rstrip(CLOSING).endswith(FINISHED):
        return False
    if block.text[0].islower():
        return len(last.text) >= SHORTEST_OPEN or last.text.endswith("-") or page != last_page
    between_items = last.kind == "item" and last.text.endswith(",")
    return page != last_page and len(last.text) >= SHORTEST_OPEN and not between_items


def _parts_a_word(block: Block, following: Block) -> bool:
    first = following.text.split(" ", 1)[0]
    return (
        block.text.endswith("-")
        and block.text[-2:-1].isalpha()
        and first[0].islower()
        and first.lower() not in SUSPENDING
    )

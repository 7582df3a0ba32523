"""Cutting a document into chunks that fit: exact slices of its full text, with pages and headings."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, cast

from loopwright.agents.jobs.documents.document import Document
from loopwright.agents.jobs.documents.full_text import FullText, Passage, full_text
from loopwright.kernel.errors import InvalidInput

Strategy = Literal["legal", "technical", "general"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """`text` is `full_text[start:end]`, which stands on these pages, below this heading."""

    text: str
    start: int
    end: int
    page_start: int
    page_end: int
    section: str


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is kept together if it fits. `opens` says that no chunk goes on into it from before."""

    start: int
    end: int
    opens: bool = False
    is_heading: bool = False


def chunks_of(document: Document, strategy: Strategy, most: int, overlap: int) -> tuple[Chunk, ...]:
    """Cut a document.

    Args:
        document: the document.
        strategy: `legal` keeps numbered paragraphs (Randnummern) and items whole and begins a chunk with each number
            and heading; `technical` keeps paragraphs and items whole and begins a chunk with each heading; `general`
            cuts where the text lets itself be cut best, across headings too.
        most: characters of a chunk.
        overlap: characters that a chunk may repeat of the one before.

    Raises:
        InvalidInput: the overlap is not smaller than the chunk.
    """
    if overlap >= most:
        raise InvalidInput(
            f"An overlap of {overlap} does not fit into chunks of {most} characters.",
            hint="Take a smaller overlap; a fifth of the size is usual.",
        )
    whole = full_text(document)
    units = [unit for passage in whole.passages for unit in _units(whole.text, passage, strategy, most)]
    spans = _packed([*units[:1], *(_below(*pair) for pair in pairwise(units))], most, overlap)
    starts = [passage.start for passage in whole.passages]
    ends = [passage.end for passage in whole.passages]
    return tuple(_chunk(whole, span, bisect_right(ends, span[0]), bisect_left(starts, span[1]) - 1) for span in spans)


def _below(above: _Unit, unit: _Unit) -> _Unit:
    """A unit under a heading stays with it."""
    return replace(unit, opens=unit.opens and not above.is_heading)


def _units(text: str, passage: Passage, strategy: Strategy, most: int) -> list[_Unit]:
    block = passage.block
    opens = strategy != "general" and block.kind == "heading"
    opens = opens or (strategy == "legal" and block.kind == "paragraph" and bool(block.marker))
    if passage.end - passage.start <= most and strategy != "general":
        return [_Unit(passage.start, passage.end, opens, block.kind == "heading")]
    # Smaller pieces than the chunk, so that there is something to repeat at its end.
    size = most if strategy != "general" else max(most // 4, 1)
    pieces = _cut(text[passage.start : passage.end], size)
    return [
        _Unit(passage.start + start, passage.start + end, opens and number == 0)
        for number, (start, end) in enumerate(pieces)
    ]


def _cut(text: str, most: int) -> list[tuple[int, int]]:
    """Cut a text where its sentences, clauses or words end."""
    from semchunk.semchunk import chunk

    found = chunk(text, most, len, memoize=False, offsets=True)
    _, offsets = cast(tuple[list[str], list[tuple[int, int]]], found)  # with `offsets` it gives both
    return [(start, end) for start, end in offsets if start < end]


def _packed(units: Sequence[_Unit], most: int, overlap: int) -> list[tuple[int, int]]:
    """Put units together as long as they fit; each chunk repeats the last units of the one before, if they fit too."""
    found: list[tuple[int, int]] = []
    first = 0
    while first < len(units):
        last = first
        while last + 1 < len(units) and not units[last + 1].opens and units[last + 1].end - units[first].start <= most:
            last += 1
        end = units[last].end
        begin = first
        if found and not units[first].opens:
            previous = found[-1]
            while units[begin - 1].start > previous[0] and _repeats(units, begin, previous[1], end, most, overlap):
                begin -= 1
        found.append((units[begin].start, end))
        first = last + 1
    return found


def _repeats(units: Sequence[_Unit], begin: int, previous_end: int, end: int, most: int, overlap: int) -> bool:
    """Whether one more unit may be repeated: within the overlap, within the size, and not from another section."""
    start = units[begin - 1].start
    return not units[begin].opens and previous_end - start <= overlap and end - start <= most


def _chunk(whole: FullText, span: tuple[int, int], first: int, last: int) -> Chunk:
    """The chunk of a span, which runs from one passage to another."""
    begins, ends = whole.passages[first], whole.passages[last]
    return Chunk(whole.text[slice(*span)], *span, begins.page, ends.page, begins.section)

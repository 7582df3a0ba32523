"""What every reader makes of a document: pages of blocks, with headings, markers of paragraphs, and exact offsets."""

import io
import re
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, Literal, cast

from loopwright.kernel.errors import InvalidInput

# How much of a document is read; what is larger is refused before it costs anything.

MAX_BYTES = 50_000_000
MAX_PAGES = 3_000
MAX_CHARACTERS = 5_000_000
"""Of extracted text; some 2,000 full pages."""
MAX_UNPACKED_BYTES = 200_000_000
"""Of a packed format (DOCX) after unpacking."""
MAX_PACKED_FILES = 5_000
READING_SECONDS = 90
READING_MEGABYTES = 1_500
"""Memory of the process that reads a document in a foreign format."""


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


# What a document is called.

MAX_TITLE = 200


def title_of(pages: Iterable[Page], name: str) -> str:
    """The first heading of the highest level, or the file's name without its suffix."""
    headings = [block for page in pages for block in page.headings]
    best = min(headings, key=lambda heading: heading.level, default=None)
    return shortened(best.text) if best is not None else PurePosixPath(name).stem


def shortened(title: str) -> str:
    """A title on one line, of reasonable length."""
    words = " ".join(title.split())
    return words if len(words) <= MAX_TITLE else words[: MAX_TITLE - 1] + "…"


# DOCX: paragraphs, headings by their styles, items, rows of tables; pages as Word rendered them last.

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""A second copy of what newer versions show otherwise."""
TRANSPARENT = frozenset(f"{WORD}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
"""Wrappers around paragraphs: content controls, tracked insertions."""
BULLET = "•"
BROKEN = (KeyError, ValueError, TypeError, AttributeError, IndexError, NotImplementedError, EOFError)
"""What python-docx raises, by accident, where parts of a package are missing or are not what they should be."""
CELL_GAP = " | "
UNREAD = "Footnotes, comments and page headers are not read."


def read_docx(name: str, data: bytes) -> Document:
    """Read it. What was deleted with tracked changes is left out, what was inserted is in.

    Raises:
        InvalidInput: it is not DOCX, is damaged, empty, or unpacks to more than is read.
    """
    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import LxmlError

    _check_package(name, data)
    try:
        file = docx.Document(io.BytesIO(data))
        blocks = list(_Reader(file).pages())
    except (*BROKEN, OpcError, LxmlError, zipfile.BadZipFile) as error:
        raise InvalidInput(
            f"{name} is damaged, or no Word document: {error}.", hint="Open it in a word processor and save it again."
        ) from error
    if sum(len(block.text) for page in blocks for block in page) > MAX_CHARACTERS:
        raise InvalidInput(f"{name} has more than {MAX_CHARACTERS:,} characters.", hint="Split the document.")
    pages = tuple(page_of(number, page) for number, page in enumerate(blocks, start=1))
    if not any(page.text for page in pages):
        raise InvalidInput(f"{name} has no text.", hint="If it holds pictures of text, run text recognition (OCR).")
    if len(pages) > MAX_PAGES:
        raise InvalidInput(f"{name} has {len(pages):,} pages; up to {MAX_PAGES:,} are read.", hint="Split it.")
    title = shortened(file.core_properties.title or "")
    return Document("docx", title or title_of(pages, name), pages, (UNREAD,))


def _check_package(name: str, data: bytes) -> None:
    """Refuse what would not fit into memory, before anything is unpacked.

    Raises:
        InvalidInput: the package is too large, damaged or encrypted.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            members = package.infolist()
    except (zipfile.BadZipFile, ValueError, EOFError) as error:
        raise InvalidInput(f"{name} is damaged: {error}.", hint="Save it again, or get it once more.") from error
    unpacked = sum(member.file_size for member in members)
    if len(members) > MAX_PACKED_FILES or unpacked > MAX_UNPACKED_BYTES:
        raise InvalidInput(
            f"{name} unpacks to {unpacked:,} bytes in {len(members):,} files; "
            f"up to {MAX_UNPACKED_BYTES:,} bytes in {MAX_PACKED_FILES:,} files are read.",
            hint="Save it without its pictures, or as text.",
        )
    if any(member.flag_bits & 1 for member in members):
        raise InvalidInput(f"{name} is encrypted.", hint="Save it without a password, and give that file.")


class _Reader:
    """Walks through the body. Where Word noted its page breaks these count, else the breaks set by hand."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._body = file.element.body
        rendered = next(self._body.iter(f"{WORD}lastRenderedPageBreak"), None)
        self._rendered = rendered is not None

    def pages(self) -> Iterator[list[Block]]:
        """The blocks of each page; a paragraph belongs to the page on which its text begins."""
        page: list[Block] = []
        for element in _paragraphs_and_tables(self._body):
            for block, breaks_before, breaks_behind in self._blocks(element):
                for _ in range(breaks_before):
                    yield page
                    page = []
                if block.text:
                    page.append(block)
                for _ in range(breaks_behind):
                    yield page
                    page = []
        yield page

    def _blocks(self, element: Any) -> Iterator[tuple[Block, int, int]]:
        if element.tag == f"{WORD}p":
            text, before, behind = self._text(element)
            yield self._styled(element, text), before, behind
            return
        for row in element.iter(f"{WORD}tr"):
            read = [self._text(cell) for cell in row.iterchildren(f"{WORD}tc")]
            cells = [text for text, _, _ in read if text]
            breaks = max((before + behind for _, before, behind in read), default=0)
            yield Block("paragraph", CELL_GAP.join(cells)), 0, breaks

    def _text(self, element: Any) -> tuple[str, int, int]:
        """The text below an element, and the page breaks before and behind its first letter."""
        words: list[str] = []
        before = behind = 0
        for node in element.iter():
            if node.tag == f"{WORD}t" and not any(above.tag == FALLBACK for above in node.iterancestors()):
                words.append(node.text or "")
            elif node.tag in (f"{WORD}tab", f"{WORD}br", f"{WORD}cr", f"{WORD}p"):
                words.append(" ")
            elif node.tag == f"{WORD}noBreakHyphen":
                words.append("-")
            if self._is_page_break(node):
                before, behind = (before, behind + 1) if "".join(words).strip() else (before + 1, behind)
        return " ".join("".join(words).split()), before, behind

    def _is_page_break(self, node: Any) -> bool:
        if self._rendered:
            return bool(node.tag == f"{WORD}lastRenderedPageBreak")
        return bool(node.tag == f"{WORD}br" and node.get(f"{WORD}type") == "page")

    def _styled(self, element: Any, text: str) -> Block:
        """A heading or an item, where the paragraph's style says so."""
        properties = element.pPr
        identifier = properties.style if properties is not None else None
        style = self._file.styles.get_by_id(identifier, 1)  # 1: a style of paragraphs
        name = (style.name or "") if style is not None else ""
        if name == "Title":
            return Block("heading", text, 1)
        if name.startswith("Heading ") and name[8:].isdecimal():
            return Block("heading", text, min(int(name[8:]), 6))
        if name.startswith("toc "):
            return Block("contents", text)
        numbered = properties is not None and properties.numPr is not None
        return Block("item", text, 1, BULLET) if numbered or name.startswith("List") else Block("paragraph", text)


def _paragraphs_and_tables(element: Any) -> Iterator[Any]:
    for child in element.iterchildren():
        if child.tag in (f"{WORD}p", f"{WORD}tbl"):
            yield child
        elif child.tag in TRANSPARENT:
            yield from _paragraphs_and_tables(child)


# A document's whole text as one file, from which pages and headings can be had again.

ESCAPED = re.compile(r"\\*#")


@dataclass(frozen=True, slots=True)
class Passage:
    """A block in the full text: `text[start:end]` is its line, on this page, below this heading."""

    block: Block
    start: int
    end: int
    page: int
    section: str


@dataclass(frozen=True, slots=True)
class FullText:
    """The text, and where each block stands in it."""

    text: str
    passages: tuple[Passage, ...]


def full_text(document: Document) -> FullText:
    """The full text of a document."""
    parts: list[str] = []
    passages: list[Passage] = []
    at = 0
    section = ""
    for page in document.pages:
        parts.append(f"\f[page {page.number}]\n")
        at += len(parts[-1])
        for block in page.blocks:
            section = block.text if block.kind == "heading" else section
            parts.append(f"{_line(block)}\n")
            passages.append(Passage(block, at, at + len(parts[-1]) - 1, page.number, section))
            at += len(parts[-1])
    return FullText("".join(parts), tuple(passages))


def _line(block: Block) -> str:
    if block.kind == "heading":
        return f"{'#' * block.level} {block.line}"
    return f"\\{block.line}" if ESCAPED.match(block.line) else block.line


# Cutting a document into chunks that fit: exact slices of its full text, with pages and headings.

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

"""DOCX: paragraphs, headings by their styles, items, rows of tables; pages as Word rendered them last."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from loopwright.agents.jobs.documents.document import Block, Document, page_of
from loopwright.agents.jobs.documents.limits import (
    MAX_CHARACTERS,
    MAX_PACKED_FILES,
    MAX_PAGES,
    MAX_UNPACKED_BYTES,
)
from loopwright.agents.jobs.documents.titles import shortened, title_of
from loopwright.kernel.errors import InvalidInput

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
        InvalidInput: it is no DOCX, is damaged, empty, or unpacks to more than is read.
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

"""The process that reads one document: `python -m loopwright.agents.jobs.documents.reader READER NAME < FILE`."""

import io
import json
import logging
import re
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_double, c_int, create_string_buffer
from typing import TYPE_CHECKING, NamedTuple

from loopwright.agents.jobs.documents import decoded, document_of_text, to_json
from loopwright.agents.jobs.documents.document import (
    MAX_CHARACTERS,
    MAX_PAGES,
    READING_MEGABYTES,
    READING_SECONDS,
    Block,
    Document,
    Page,
    page_of,
    read_docx,
    shortened,
    title_of,
)
from loopwright.agents.jobs.documents.layout import Piece, PlacedLine, body_of, lines_of, pages_of
from loopwright.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage
    from selectolax.lexbor import LexborNode


# The lines of a PDF page with their places, as PDFium finds them.

LINE_FEEDS = (10, 13)
HYPHEN = 2
"""PDFium's sign for a hyphen at the end of a line, which is followed by the rest of the word."""
NOTHING = (0, 0xFFFE, 0xFFFF)
BOLD = 600
"""From this weight on (CSS: 400 is normal, 700 bold) letters are bold."""
MAX_FONT_NAME = 128
SAME_LINE = 0.7
"""Times the size; pieces whose baselines differ by less stand on one line (superscripts do)."""
SAME_PIECE = 1.0
"""Points; what stands higher or lower than the word before was not set together with it."""
WIDE = 1.1
"""Times the size; a wider gap parts two pieces."""


class _Word(NamedTuple):
    piece: Piece
    baseline: float


class _Collector:
    """Puts words together to pieces and lines."""

    def __init__(self) -> None:
        self.lines: list[PlacedLine] = []
        self._words: list[_Word] = []

    def add(self, word: _Word) -> None:
        """Add a word behind the last one."""
        if self._words:
            before = self._words[-1]
            height = max(word.piece.size, before.piece.size)
            step = abs(word.baseline - before.baseline)
            if step > SAME_LINE * height or word.piece.left < before.piece.left:
                self.end_line()
            elif step <= SAME_PIECE and word.piece.left - before.piece.right <= WIDE * height:
                self._words[-1] = before._replace(piece=before.piece.with_word(word.piece))
                return
        self._words.append(word)

    def end_line(self) -> None:
        """The next word begins a line."""
        if self._words:
            self.lines.append(PlacedLine(tuple(word.piece for word in self._words), self._words[-1].baseline))
        self._words = []


class _Places:
    """Asks PDFium where characters stand; the variables it writes to are made once, for there are many characters."""

    def __init__(self, page: "PdfTextPage") -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._page = page
        self._numbers = [c_double() for _ in range(4)]
        self._box = pdfium.FS_RECTF()
        self._name = create_string_buffer(MAX_FONT_NAME)
        self._flags = c_int()

    def code(self, place: int) -> int:
        """The Unicode code point."""
        return int(self._pdfium.FPDFText_GetUnicode(self._page, place))

    def word(self, text: str, first: int, last: int) -> "_Word":
        """The word between two characters, both included; its font is that of the first."""
        a, b, c, d = self._numbers
        self._pdfium.FPDFText_GetCharBox(self._page, last, a, b, c, d)
        right = b.value
        self._pdfium.FPDFText_GetLooseCharBox(self._page, first, self._box)
        self._pdfium.FPDFText_GetCharOrigin(self._page, first, a, b)
        bold = self._pdfium.FPDFText_GetFontWeight(self._page, first) >= BOLD or self._is_named_bold(first)
        piece = Piece(text, a.value, max(right, a.value), self._box.top - self._box.bottom, bold)
        return _Word(piece, b.value)

    def _is_named_bold(self, place: int) -> bool:
        """Whether the font says so in its name, as the fonts that every PDF may use do, which tell no weight."""
        self._pdfium.FPDFText_GetFontInfo(self._page, place, self._name, MAX_FONT_NAME, self._flags)
        return b"Bold" in self._name.value


def placed_lines(page: "PdfTextPage") -> list[PlacedLine]:
    """The lines in the order of the page's text."""
    collector, places = _Collector(), _Places(page)
    word, first = "", 0
    count = page.count_chars()
    for place in range(count + 1):
        code = places.code(place) if place < count else LINE_FEEDS[0]
        character = "-" if code == HYPHEN else chr(code)
        if not (character.isspace() or code in NOTHING):
            first = first if word else place
            word += character
        ends = code in (*LINE_FEEDS, HYPHEN)
        if word and (ends or character.isspace()):
            collector.add(places.word(word, first, place if code == HYPHEN else place - 1))
            word = ""
        if ends:
            collector.end_line()
    return collector.lines


# Running headers and footers: what stands at the same place of most pages, but for numbers.

EDGE_LINES = 3
"""So many lines at the top and at the bottom of a page may be headers and footers."""
FEWEST_PAGES = 3
SHARE_OF_PAGES = 0.5
NUMBER = re.compile(r"\d+")
GRID = 6.0
"""Points; what moves less from page to page stands at the same place."""


Key = tuple[str, bool, int]
"""What recurs of a part: its words with `#` for numbers, whether it stands at the top, its height."""


def without_furniture(pages: Sequence[Sequence[PlacedLine]]) -> list[list[PlacedLine]]:
    """The pages' lines without the parts that recur at the top or the bottom of at least half of them.

    A header may stand beside the text, on the same height as its first line: only the recurring part is taken off.
    Inwards from an edge they end with the first line that has another part too.
    """
    least = max(FEWEST_PAGES, len(pages) * SHARE_OF_PAGES)
    seen = Counter(key for page in pages for key in {key for line in _edges(page) for _, _, key in line})
    kept: list[list[PlacedLine]] = []
    for page in pages:
        gone: dict[int, set[int]] = {}
        ended = {True: False, False: False}
        for line in _edges(page):
            recurring = [(place, part, key) for place, part, key in line if seen[key] >= least]
            if len(recurring) < len(line):  # beside text of its own a bullet or a number is not a header
                recurring = [found for found in recurring if any(map(str.isalpha, found[2][0]))]
            at_top = line[0][2][1]
            for place, part, _ in () if ended[at_top] else recurring:
                gone.setdefault(place, set()).add(part)
            ended[at_top] = ended[at_top] or len(recurring) < len(line)
        lines = (line.without(gone.get(place, set())) for place, line in enumerate(page))
        kept.append([line for line in lines if line.parts])
    return kept


def _edges(page: Sequence[PlacedLine]) -> list[list[tuple[int, int, Key]]]:
    """The outermost lines, from the edges inwards: for each part the line, the part, and what may recur of it."""
    by_height = sorted(range(len(page)), key=lambda place: -page[place].baseline)
    found = []
    for at_top, places in ((True, by_height[:EDGE_LINES]), (False, by_height[-EDGE_LINES:][::-1])):
        for place in places:
            height = round(page[place].baseline / GRID)
            parts = enumerate(page[place].parts)
            found.append([(place, part, (NUMBER.sub("#", piece.text), at_top, height)) for part, piece in parts])
    return found


# PDF: PDFium by its geometry, or pypdf's plain text where PDFium cannot open the file.

ENCRYPTED = "Incorrect password"
"""So PDFium words it."""
MAX_LISTED = 20


def read_pdf(name: str, data: bytes) -> Document:
    """Read it with PDFium.

    Raises:
        InvalidInput: it is encrypted, has too many pages or no text.
        RuntimeError: PDFium cannot read it (`PdfiumError` is one).
    """
    import pypdfium2

    try:
        file = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if ENCRYPTED in str(error):
            raise encrypted(name) from error
        raise
    with file:
        _check_count(name, len(file))
        pages: list[list[PlacedLine]] = []
        characters = 0
        for page in file:
            text_page = page.get_textpage()
            characters += text_page.count_chars()
            if characters > MAX_CHARACTERS:
                raise too_long(name)
            pages.append(placed_lines(text_page))
            text_page.close()
            page.close()
        title = shortened(file.get_metadata_value("Title"))
    kept = without_furniture(pages)
    body = body_of(kept)
    read = pages_of([list(lines_of(page, body)) for page in kept])
    return Document("pdf", title or title_of(read, name), read, _remarks(name, read))


def read_pdf_plainly(name: str, data: bytes) -> Document:
    """Read it with pypdf: no geometry, so paragraphs are a guess.

    Raises:
        InvalidInput: it is encrypted, damaged, has too many pages or no text.
    """
    import pypdf
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        file = pypdf.PdfReader(io.BytesIO(data))
        if file.is_encrypted and not file.decrypt(""):
            raise encrypted(name)
        _check_count(name, len(file.pages))
        texts: list[str] = []
        for page in file.pages:
            texts.append(page.extract_text())
            if sum(map(len, texts)) > MAX_CHARACTERS:
                raise too_long(name)
        title = shortened(file.metadata.title or "") if file.metadata else ""
    except (PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise damaged(name) from error
    read = document_of_text("pdf", name, texts, title)
    remark = "It is damaged, or unusual: it was read without its layout, so paragraphs and headings are a guess."
    return Document("pdf", read.title, read.pages, (remark, *_remarks(name, read.pages)))


def encrypted(name: str) -> InvalidInput:
    """The error for documents with a password."""
    return InvalidInput(f"{name} is encrypted.", hint="Save it without a password, and give that file.")


def damaged(name: str) -> InvalidInput:
    """The error for what no reader understands."""
    return InvalidInput(
        f"{name} is damaged: neither of two readers understands it.", hint="Open it, save or print it as PDF again."
    )


def too_long(name: str) -> InvalidInput:
    """The error for more text than is read."""
    return InvalidInput(f"{name} has more than {MAX_CHARACTERS:,} characters of text.", hint="Split the document.")


def _check_count(name: str, count: int) -> None:
    if count == 0:
        raise InvalidInput(f"{name} has no pages.", hint="Open it, and save or print it as PDF again.")
    if count > MAX_PAGES:
        raise InvalidInput(f"{name} has {count:,} pages; up to {MAX_PAGES:,} are read.", hint="Split the document.")


def _remarks(name: str, pages: tuple[Page, ...]) -> tuple[str, ...]:
    """What is to be said of pages without text.

    Raises:
        InvalidInput: no page has any.
    """
    empty = [page.number for page in pages if not page.text.strip()]
    if len(empty) == len(pages):
        raise InvalidInput(
            f"{name} has {len(pages)} pages, but no text: it is scanned, or drawn.",
            hint="Run text recognition (OCR) on it, for example with ocrmypdf, and give the result.",
        )
    if not empty:
        return ()
    listed = ", ".join(map(str, empty[:MAX_LISTED])) + (" …" if len(empty) > MAX_LISTED else "")
    return (f"Pages without text (scanned, drawn or empty): {listed}.",)


# HTML: headings, paragraphs, items and rows of what a reader sees, without scripts, navigation and hidden parts.

UNSEEN = (
    "script", "style", "noscript", "template", "svg", "iframe", "object", "select", "nav", "math", "canvas", "textarea",
)  # fmt: skip
HIDDEN = (
    '[hidden], [aria-hidden="true"], [style*="display:none" i], [style*="display: none" i], '
    '[style*="visibility:hidden" i], [style*="visibility: hidden" i]'
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
INLINE_NAMES = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike "
    "strong sub sup time tt u var wbr td th"
)
INLINE = frozenset(INLINE_NAMES.split())
"""Elements inside a line; cells count as such, because a row is one line."""
PARTING = frozenset(("-text", "br", "td", "th"))
MAX_DEPTH = 400
CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{2,40})""", re.IGNORECASE)
CHARSET_WITHIN = 2_048
BULLET = "•"


def read_html(name: str, data: bytes) -> Document:
    """Read it as one page.

    Raises:
        InvalidInput: it has no text, or too much.
    """
    from selectolax.lexbor import LexborHTMLParser

    charset = CHARSET.search(data[:CHARSET_WITHIN])
    tree = LexborHTMLParser(decoded(name, data, charset[1].decode("ascii") if charset else ""))
    titled = tree.css_first("title")
    title = shortened(titled.text()) if titled is not None else ""
    tree.strip_tags(list(UNSEEN))
    for node in tree.css(HIDDEN):
        node.decompose()
    blocks = list(_blocks(name, tree.body)) if tree.body is not None else []
    if not blocks:
        raise InvalidInput(f"{name} has no text.", hint="Save the page as the browser shows it, and give that file.")
    if sum(len(block.text) for block in blocks) > MAX_CHARACTERS:
        raise InvalidInput(f"{name} has more than {MAX_CHARACTERS:,} characters of text.", hint="Split the document.")
    page = page_of(1, blocks)
    return Document("html", title or title_of([page], name), (page,))


def _blocks(name: str, body: "LexborNode") -> Iterator[Block]:
    """Runs of text that stand in the same element, inline elements put aside."""
    words: list[str] = []
    holder = body
    for node, above in _texts(name, body):
        if above.mem_id != holder.mem_id:
            yield from _block(words, holder)
            words, holder = [], above
        if node.tag == "-text":
            words.append(node.text_content or "")
        else:
            words.append(" " if node.tag == "br" else " | ")
    yield from _block(words, holder)


def _texts(name: str, body: "LexborNode") -> Iterator[tuple["LexborNode", "LexborNode"]]:
    """Texts, line breaks and cells in their order, each with the nearest block element around it.

    Raises:
        InvalidInput: elements stand in one another deeper than any page needs.
    """
    holders = [body]
    node = body
    while True:
        if node.tag in PARTING:
            yield node, holders[-1]
        if node.first_child is not None:
            holders.append(holders[-1] if node.tag in INLINE else node)
            node = node.first_child
            if len(holders) > MAX_DEPTH:
                raise InvalidInput(
                    f"{name} nests its elements more than {MAX_DEPTH} deep.", hint="Save the page as text or as PDF."
                )
            continue
        while node.next is None:
            if len(holders) == 1 or node.parent is None:
                return
            node = node.parent
            holders.pop()
        if len(holders) == 1:
            return
        node = node.next


def _block(words: list[str], holder: "LexborNode") -> Iterator[Block]:
    text = " ".join("".join(words).split()).strip("| ")
    if not text:
        return
    tag = holder.tag or ""
    if tag in HEADINGS:
        yield Block("heading", text, HEADINGS[tag])
    elif tag in ("li", "dd"):
        yield Block("item", text, 1, BULLET)
    else:
        yield Block("paragraph", text)


READERS: dict[str, Callable[[str, bytes], Document]] = {
    "pdf": read_pdf,
    "plain_pdf": read_pdf_plainly,
    "docx": read_docx,
    "html": read_html,
}


def main(reader: str, name: str) -> None:
    """Read standard input and write the document, or why it was refused, as JSON. Anything else ends the process."""
    _limit(resource.RLIMIT_CPU, READING_SECONDS)
    _limit(resource.RLIMIT_DATA, READING_MEGABYTES * 2**20)
    _limit(resource.RLIMIT_FSIZE, 0)
    try:
        answer = to_json(READERS[reader](name, sys.stdin.buffer.read()))
    except InvalidInput as error:
        answer = {"error": error.message, "hint": error.hint}
    sys.stdout.write(json.dumps(answer))


def _limit(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (wanted, hard))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The lines of a PDF page with their places, as PDFium finds them."""

from ctypes import c_double, c_int, create_string_buffer
from typing import TYPE_CHECKING, NamedTuple

from loopwright.agents.jobs.documents.geometry import Piece, PlacedLine

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

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

"""Plain text: paragraphs parted by empty lines, or by lines that were ended by hand; form feeds part pages."""

from collections.abc import Iterator
from itertools import zip_longest

from loopwright.agents.jobs.documents.decoding import decoded
from loopwright.agents.jobs.documents.document import Document, Kind
from loopwright.agents.jobs.documents.layout import pages_of
from loopwright.agents.jobs.documents.lines import Line
from loopwright.agents.jobs.documents.titles import title_of

LONG = 200
"""Characters; nobody breaks lines by hand there: text with such lines has one line for each paragraph."""
SURE = 8
"""Characters that must have been left on a line, beyond the next word, to say that it was ended by hand."""


def read_text(name: str, data: bytes) -> Document:
    """Read it.

    Raises:
        InvalidInput: it is no text.
    """
    return document_of_text("text", name, decoded(name, data).split("\f"))


def document_of_text(kind: Kind, name: str, pages: list[str], title: str = "") -> Document:
    """The document made of the plain text of its pages."""
    laid_out = pages_of([list(text_lines(page)) for page in pages])
    return Document(kind, title or title_of(laid_out, name), laid_out)


def text_lines(text: str) -> Iterator[Line]:
    """The lines that are not empty; they stand apart behind an empty one, or behind one that was ended by hand."""
    lines = [line.strip() for line in text.split("\n")]
    one_each = any(len(line) > LONG for line in lines)
    before = ""
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        if line:
            apart = not before or one_each or len(before) + 1 + len(line.split(" ", 1)[0]) + SURE < len(line)
            alone = not before and not following
            yield Line(line, apart=apart, strong=alone and line.isupper())
        before = line

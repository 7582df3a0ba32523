"""PDF: PDFium by its geometry, or pypdf's plain text where PDFium cannot open the file."""

import io
import logging

from loopwright.agents.jobs.documents.document import Document, Page
from loopwright.agents.jobs.documents.furniture import without_furniture
from loopwright.agents.jobs.documents.geometry import PlacedLine, body_of, lines_of
from loopwright.agents.jobs.documents.layout import pages_of
from loopwright.agents.jobs.documents.limits import MAX_CHARACTERS, MAX_PAGES
from loopwright.agents.jobs.documents.pdf_lines import placed_lines
from loopwright.agents.jobs.documents.read_text import document_of_text
from loopwright.agents.jobs.documents.titles import shortened, title_of
from loopwright.kernel.errors import InvalidInput

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

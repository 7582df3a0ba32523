"""Which format a file has: by its content where that is plain, else by its name."""

from pathlib import PurePosixPath

from loopwright.agents.jobs.documents.document import Kind
from loopwright.agents.jobs.documents.limits import MAX_BYTES
from loopwright.kernel.errors import InvalidInput

BY_SUFFIX: dict[str, Kind] = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
}
READABLE = "PDF, DOCX, HTML, Markdown and plain text"
PDF_WITHIN = 1_024
"""Bytes among which a PDF may begin; mail programs put lines before it."""
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def format_of(name: str, data: bytes) -> Kind:
    """The format of a document.

    Raises:
        InvalidInput: the file is empty, too large, or in a format that cannot be read.
    """
    if not data:
        raise InvalidInput(f"{name} is empty.", hint="Put the document there again; something went wrong on the way.")
    if len(data) > MAX_BYTES:
        raise InvalidInput(
            f"{name} has {len(data):,} bytes; documents of up to {MAX_BYTES:,} are read.", hint="Split the document."
        )
    if b"%PDF-" in data[:PDF_WITHIN]:
        return "pdf"
    suffix = PurePosixPath(name).suffix.lower()
    kind = BY_SUFFIX.get(suffix)
    if data.startswith(OLD_OFFICE):
        raise InvalidInput(
            f"{name} is in an old Office format, or encrypted.", hint="Save it as DOCX or PDF without a password."
        )
    packed = data.startswith(b"PK")
    if kind == "pdf" or packed != (kind == "docx"):
        raise InvalidInput(
            f"{name} is not what its name says: its content is no {suffix.lstrip('.').upper() or 'document'}.",
            hint=f"What can be read is {READABLE}.",
        )
    if kind is None:
        raise InvalidInput(f"Files like {name} cannot be read.", hint=f"What can be read is {READABLE}.")
    return kind

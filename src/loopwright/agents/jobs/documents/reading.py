"""Reading a document: by a reader of its format, foreign formats in a process of their own."""

import json
import signal
import subprocess
import sys
from functools import lru_cache
from typing import Any

from loopwright.agents.jobs.documents.document import Block, Document, Kind, page_of
from loopwright.agents.jobs.documents.formats import format_of
from loopwright.agents.jobs.documents.limits import MAX_CHARACTERS, READING_SECONDS
from loopwright.agents.jobs.documents.read_markdown import read_markdown
from loopwright.agents.jobs.documents.read_text import read_text
from loopwright.kernel.errors import InvalidInput

READER = "loopwright.agents.jobs.documents.reader"
KEPT_DOCUMENTS = 4
"""Documents that stay in memory: citing is asking for the same one again and again."""
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
"""No key and no password of the parent's reaches a process that reads what strangers wrote."""


@lru_cache(maxsize=KEPT_DOCUMENTS)
def read_document(name: str, data: bytes) -> Document:
    """Read a document; it blocks, for up to a second and a half with long PDFs.

    PDF, DOCX and HTML are read in a process of their own, with limits on its time and memory: their readers parse what
    strangers have written, and one that crashes or does not end must not take the agent with it.

    Args:
        name: the file's name, which decides the format where the content does not, and which errors name.
        data: the file's content.

    Raises:
        InvalidInput: it is empty, too large, encrypted, damaged, has no text, or is in a format that is not read.
    """
    kind = format_of(name, data)
    if kind == "text":
        return _checked(name, read_text(name, data))
    if kind == "markdown":
        return _checked(name, read_markdown(name, data))
    if kind == "pdf":
        found = _read_apart("pdf", name, data)
        # PDFium broke down; pypdf understands some of what it does not.
        return found or _read_apart("plain_pdf", name, data) or _broken_down(name)
    return _read_apart(kind, name, data) or _broken_down(name)


def _checked(name: str, document: Document) -> Document:
    length = sum(len(page.text) for page in document.pages)
    if length > MAX_CHARACTERS:
        raise InvalidInput(f"{name} has {length:,} characters; up to {MAX_CHARACTERS:,} are read.", hint="Split it.")
    if not any(page.text.strip() for page in document.pages):
        raise InvalidInput(f"{name} has no text.", hint="Put the document there again.")
    return document


def _broken_down(name: str) -> Document:
    raise InvalidInput(f"{name} is damaged: its reader broke down.", hint="Open it, and save it again as PDF or DOCX.")


def _read_apart(reader: str, name: str, data: bytes) -> Document | None:
    """What a reader process makes of it; None if the process broke down.

    Raises:
        InvalidInput: the reader refused the document, or took too long.
    """
    command = [sys.executable, "-P", "-s", "-m", READER, reader, name]
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=READING_SECONDS, env=ENVIRONMENT, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise _too_slow(name) from error
    if done.returncode == -signal.SIGXCPU:
        raise _too_slow(name)
    if done.returncode != 0:
        return None
    answer: dict[str, Any] = json.loads(done.stdout)
    if "error" in answer:
        raise InvalidInput(answer["error"], hint=answer["hint"])
    return _from_json(answer)


def _too_slow(name: str) -> InvalidInput:
    return InvalidInput(
        f"{name} took more than {READING_SECONDS} seconds to read and was given up.",
        hint="Split it, or print it as PDF again: some files are made so that readers do not end.",
    )


def to_json(document: Document) -> dict[str, Any]:
    """The document as the reader process writes it."""
    pages = [[[b.kind, b.text, b.level, b.marker] for b in page.blocks] for page in document.pages]
    return {"kind": document.kind, "title": document.title, "remarks": document.remarks, "pages": pages}


def _from_json(answer: dict[str, Any]) -> Document:
    kind: Kind = answer["kind"]
    pages = tuple(
        page_of(number, [Block(*fields) for fields in blocks]) for number, blocks in enumerate(answer["pages"], start=1)
    )
    return Document(kind, answer["title"], pages, tuple(answer["remarks"]))

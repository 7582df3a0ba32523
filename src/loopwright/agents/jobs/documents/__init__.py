"""Reading a document: by a reader of its format, foreign formats in a process of their own."""

import codecs
import json
import re
import signal
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any

from loopwright.agents.jobs.documents.document import (
    MAX_BYTES,
    MAX_CHARACTERS,
    READING_SECONDS,
    Block,
    Document,
    Kind,
    Page,
    page_of,
    title_of,
)
from loopwright.agents.jobs.documents.layout import Line, joined, pages_of
from loopwright.kernel.errors import InvalidInput

# Whether a quote stands verbatim on a page, whatever line breaks and hyphenation have done to it.

SOFT = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffe\x02")
"""Invisible characters and soft hyphens. PDFium gives a hyphen at a line's end as U+FFFE, or as U+0002 by character."""
DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
SHAPES = str.maketrans(dict.fromkeys("„“”‟«»″", '"') | dict.fromkeys("‚‘’‛‹›′`´", "'"))


def stands_on_page(quote: str, page_text: str) -> bool:
    """Whether the quote stands on the page, from the beginning of a word to the end of one."""
    return find_on_page(quote, page_text) is not None


def find_on_page(quote: str, page_text: str) -> tuple[int, int] | None:
    """Where the quote stands first: `page_text[start:end]`, or None.

    A quote without a letter or digit stands nowhere, for it would stand everywhere.
    """
    sought, _ = _squeezed(quote)
    if not any(character.isalnum() for character in sought):
        return None
    text, places = _squeezed(page_text)
    at = text.find(sought)
    while at >= 0:
        start, end = places[at], places[at + len(sought) - 1] + 1
        if not (_joined(page_text, start - 1, start) or _joined(page_text, end - 1, end)):
            return start, end
        at = text.find(sought, at + 1)
    return None


def _squeezed(text: str) -> tuple[str, list[int]]:
    """The characters that count, and where each stands in the text."""
    kept: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace() or character in SOFT:
            continue
        if character in DASHES:
            if place and text[place - 1].isalpha():
                continue  # it joins or parts a word; a free one is a dash or a sign
            character = "-"
        for plain in unicodedata.normalize("NFKC", character.translate(SHAPES)):
            if not plain.isspace():
                kept.append(plain)
                places.append(place)
    return "".join(kept), places


def _joined(text: str, left: int, right: int) -> bool:
    """Whether two neighbouring characters belong to one word, so that a quote may not begin or end between them."""
    while left >= 0 and text[left] in SOFT:
        left -= 1
    while right < len(text) and text[right] in SOFT:
        right += 1
    return left >= 0 and right < len(text) and text[left].isalnum() and text[right].isalnum()


# Texts whose encoding nobody has written down.

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SNIFFED_BYTES = 4_096
KEPT_CONTROLS = frozenset("\t\n\f")


def decoded(name: str, data: bytes, declared: str = "") -> str:
    """The text, with line feeds between lines and without control characters other than tab and form feed.

    A byte order mark decides; else the declared encoding if it fits; else UTF-8; else UTF-16 where every other byte is
    zero; else Windows-1252, in which old files of Western Europe are.

    Raises:
        InvalidInput: it is not text.
    """
    text = _decoded(name, data, declared).replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n")
    return "".join(c for c in text if c in KEPT_CONTROLS or unicodedata.category(c) not in ("Cc", "Cs"))


def _decoded(name: str, data: bytes, declared: str) -> str:
    marked = next((encoding for mark, encoding in MARKS if data.startswith(mark)), "")
    for encoding in filter(None, (marked, declared, "utf-8", _sixteen_bits(data))):
        try:
            text = data.decode(encoding)
        except (UnicodeError, LookupError):
            continue  # the next guess
        if "\0" not in text:
            return text
    if b"\0" in data:
        raise InvalidInput(f"{name} is not text: it has zero bytes.", hint="Convert it to PDF, DOCX, HTML or text.")
    return data.decode("cp1252", errors="replace")


def _sixteen_bits(data: bytes) -> str:
    sample = data[:SNIFFED_BYTES]
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        if len(sample) >= 4 and zeros.count(0) > 0.4 * len(zeros):
            return encoding
    return ""


# Plain text: paragraphs parted by empty lines, or by lines that were ended by hand.

LONG = 200
"""Characters; nobody breaks lines by hand there: text with such lines has one line for each paragraph."""
SURE = 8
"""Characters that must have been left on a line, beyond the next word, to say that it was ended by hand."""
PAGE_END = re.compile(r"(?<=\[Page )(\d{1,4})\][ \t]*\n")
NUMBER = re.compile(r"\d+")
FEWEST_PAGES = 3
SHARE_OF_PAGES = 0.5
FEWEST_WORDS = 2
"""A running line has at least so many words."""


def read_text(name: str, data: bytes) -> Document:
    """Read it.

    Raises:
        InvalidInput: it is not text.
    """
    text = decoded(name, data)
    pages = text.split("\f") if "\f" in text else PAGE_END.sub(r"\1]\n\f", text).split("\f")
    if len(pages) > 1 and not pages[-1].strip():
        pages.pop()
    return document_of_text("text", name, without_running_lines(pages))


def without_running_lines(pages: Sequence[str]) -> list[str]:
    """The pages without the first and the last line where these recur, but for numbers, on at least half of them."""
    cut = [page.strip("\n ").split("\n") for page in pages]
    for edge in (0, -1):
        seen = Counter(_running(lines[edge]) for lines in cut)
        least = max(FEWEST_PAGES, len(pages) * SHARE_OF_PAGES)
        for lines in cut:
            key = _running(lines[edge])
            if len(key.split()) >= FEWEST_WORDS and seen[key] >= least:
                lines[edge] = ""
    return ["\n".join(lines) for lines in cut]


def _running(line: str) -> str:
    return " ".join(NUMBER.sub("#", line).split())


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


# Markdown: headings, paragraphs, items; the text keeps its inline marks, so that quotes stand as they were written.

COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
"""Nobody sees comments, so nothing is read from them."""
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
UNDERLINE = re.compile(r"(=+|-+)$")
ITEM = re.compile(r"([-*+]|\d{1,9}[.)])\s+(\S.*)$")
RULE = re.compile(r"(?:[-*_]\s*){3,}$")
TABLE_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?$")
FENCE = ("```", "~~~")


def read_markdown(name: str, data: bytes) -> Document:
    """Read it as one page.

    Raises:
        InvalidInput: it is not text.
    """
    text = FRONT_MATTER.sub("", COMMENT.sub("", decoded(name, data).replace("\f", "\n")))
    page = page_of(1, _blocks(text))
    return Document("markdown", title_of([page], name), (page,))


def _blocks(text: str) -> Iterator[Block]:
    block: Block | None = None
    lines: list[str] = []
    for opened, line in _lines(text):
        if opened is None and line and block is not None:
            lines.append(line)
            continue
        if block is not None:
            yield replace(block, text=joined(lines))
        block = opened or (Block("paragraph", "") if line else None)
        lines = [line]
    if block is not None:
        yield replace(block, text=joined(lines))


def _lines(text: str) -> Iterator[tuple[Block | None, str]]:
    """Each line with the block that it opens, if it opens one; an empty line stands for a gap."""
    lines = text.split("\n")
    fenced = False
    for place, raw in enumerate(lines):
        line = re.sub(r"^(?:>\s?)+", "", raw.strip()).strip()
        following = lines[place + 1].strip() if place + 1 < len(lines) else ""
        if line.startswith(FENCE):
            fenced = not fenced
            yield None, ""
        elif fenced or line.startswith("|"):
            cells = line.strip("| ")
            yield (None, "") if TABLE_RULE.match(line) or not cells else (Block("paragraph", ""), cells)
        elif not line or RULE.match(line) or (UNDERLINE.match(line) and place and lines[place - 1].strip()):
            yield None, ""
        elif heading := HEADING.match(line):
            yield (Block("heading", "", len(heading[1])), heading[2]) if heading[2] else (None, "")
        elif len(following) > 1 and UNDERLINE.match(following):
            yield Block("heading", "", 1 if following[0] == "=" else 2), line
        elif item := ITEM.match(line):
            indent = len(raw.expandtabs(4)) - len(raw.expandtabs(4).lstrip())
            yield Block("item", "", indent // 2 + 1, item[1]), item[2]
        else:
            yield None, line


# Which format a file has: by its content where that is plain, else by its name.

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
            f"{name} is not what its name says: its content is not {suffix.lstrip('.').upper() or 'a document'}.",
            hint=f"What can be read is {READABLE}.",
        )
    if kind is None:
        raise InvalidInput(f"Files like {name} cannot be read.", hint=f"What can be read is {READABLE}.")
    return kind


READER = "loopwright.agents.jobs.documents.reader"
KEPT_DOCUMENTS = 4
"""Documents that stay in memory: citing is asking for the same one again and again."""
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
"""No key and no password of the parent's reaches a process that reads what third parties wrote."""


@lru_cache(maxsize=KEPT_DOCUMENTS)
def read_document(name: str, data: bytes) -> Document:
    """Read a document; it blocks, for up to a second and a half with long PDFs.

    PDF, DOCX and HTML are read in a process of their own, with limits on its time and memory: their readers parse what
    third parties have written, and one that crashes or does not end must not take the agent with it.

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


__all__ = ["Block", "Document", "Page", "find_on_page", "read_document", "stands_on_page"]

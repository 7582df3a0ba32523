"""A document's whole text as one file, from which pages and headings can be had again.

A page begins with a form feed and `[page 3]` on a line of its own; no text of a document holds a form feed. A heading
begins with one `#` for each level and a space; other lines that begin so get a backslash before.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.agents.jobs.documents.document import Block, Document

PAGE = re.compile(r"\f\[page (\d+)\]\n")
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


def pages_in(text: str) -> Iterator[tuple[int, str]]:
    """The pages in a full text, with their numbers, as `Page.text` has them."""
    marks = [*PAGE.finditer(text)]
    for mark, end in zip(marks, [*(following.start() for following in marks[1:]), len(text)], strict=True):
        lines = text[mark.end() : end].removesuffix("\n").split("\n")
        yield int(mark[1]), "\n".join(map(_unmarked, lines))


def _line(block: Block) -> str:
    if block.kind == "heading":
        return f"{'#' * block.level} {block.line}"
    return f"\\{block.line}" if ESCAPED.match(block.line) else block.line


def _unmarked(line: str) -> str:
    if line.startswith("\\") and ESCAPED.match(line):
        return line[1:]
    return re.sub(r"^#{1,6} ", "", line)

"""Markdown: headings, paragraphs, items; the text keeps its inline marks, so that quotes stand as they were written."""

import re
from collections.abc import Iterator
from dataclasses import replace

from loopwright.agents.jobs.documents.decoding import decoded
from loopwright.agents.jobs.documents.document import Block, Document, page_of
from loopwright.agents.jobs.documents.lines import joined
from loopwright.agents.jobs.documents.titles import title_of

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
        InvalidInput: it is no text.
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

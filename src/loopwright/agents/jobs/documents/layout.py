"""From lines to blocks: paragraphs, items, headings and entries of the table of contents."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from loopwright.agents.jobs.documents.document import Block, Page, page_of
from loopwright.agents.jobs.documents.lines import Line, joined
from loopwright.agents.jobs.documents.markers import CONTENTS, opening

FEWEST_ENTRIES = 3
"""Lines with dots and a page number that make a table of contents, on one page."""


def pages_of(pages: Iterable[Sequence[Line]]) -> tuple[Page, ...]:
    """The pages, numbered from 1; blocks end with their page, numbers of paragraphs run through all pages."""
    found: list[Page] = []
    last_number = 0
    for number, lines in enumerate(pages, start=1):
        blocks, last_number = _blocks(lines, last_number)
        found.append(page_of(number, blocks))
    return tuple(found)


def _blocks(lines: Sequence[Line], last_number: int) -> tuple[list[Block], int]:
    first, behind = _contents(lines)
    blocks: list[Block] = []
    for part, is_contents in ((lines[:first], False), (lines[first:behind], True), (lines[behind:], False)):
        if is_contents:
            blocks += _entries(part)
            continue
        for whole in _paragraphs(part, last_number):
            blocks.append(whole)
            if whole.kind == "paragraph" and whole.marker:
                last_number = int(whole.marker)
    return blocks, last_number


def _paragraphs(lines: Sequence[Line], last_number: int) -> list[Block]:
    blocks: list[Block] = []  # each with its last line for text, which is all that the next line is compared with
    texts: list[list[str]] = []
    for line in lines:
        before = blocks[-1] if blocks else None
        opened = opening(line, before, last_number)
        if opened is None and before is not None:
            text = f"{line.number} {line.text}".lstrip()
            blocks[-1] = replace(before, text=text)
            texts[-1].append(text)
        elif opened is not None:
            if opened.kind == "paragraph" and opened.marker:
                last_number = int(opened.marker)
            blocks.append(Block(opened.kind, opened.text, opened.level, opened.marker))
            texts.append([opened.text])
    found = (replace(block, text=joined(text)) for block, text in zip(blocks, texts, strict=True))
    return [block for block in found if block.text]


def _contents(lines: Sequence[Line]) -> tuple[int, int]:
    """Where the table of contents begins and where it has ended; twice the same where there is none."""
    entries = [place for place, line in enumerate(lines) if CONTENTS.search(line.text)]
    return (entries[0], entries[-1] + 1) if len(entries) >= FEWEST_ENTRIES else (0, 0)


def _entries(lines: Sequence[Line]) -> list[Block]:
    """Entries of a table of contents; each ends with the line that has its page number."""
    found: list[Block] = []
    open_lines: list[str] = []
    for line in lines:
        open_lines.append(f"{line.number} {line.text}".lstrip())
        if CONTENTS.search(line.text):
            found.append(Block("contents", joined(open_lines)))
            open_lines = []
    return found

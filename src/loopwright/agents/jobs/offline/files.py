"""Reading and writing files of the workspace through its tools."""

import re
from collections.abc import Sequence

from loopwright.agents.jobs.offline.replay import Reading, call, one
from loopwright.agents.jobs.offline.view import Result

HEAD = re.compile(r"^.+: (?P<unit>line|page)s (?P<first>\d+)–(?P<last>\d+) of (?P<total>\d+)$")
DATA = re.compile(r"<data source=\"[^\"\n]*\">\n(?P<text>.*?)\n</data>", re.DOTALL)
GO_ON = re.compile(r"^Go on with read_file\(path=.+, line_start=(?P<line>\d+)\)\.$")
MOST_PARTS = 12
"""Parts of one file: what is longer is not read whole."""
PAGED = (".pdf", ".docx")
PEEKED_PAGES, PEEKED_LINES = 2, 80


def read_whole(path: str, first: int | None = None, last: int | None = None) -> Reading[str | None]:
    """The text of a file, or of its lines from `first` to `last`; None where it cannot be read."""
    parts: list[str] = []
    start = first
    for _ in range(MOST_PARTS):
        result = yield from one(call("read_file", path=path, line_start=start, line_end=last))
        if not result.ok:
            break
        parts.append(text_of(result))
        more = GO_ON.match(result.text.rsplit("\n", 1)[-1])
        if more is None:
            break
        start = int(more["line"])
    return "\n".join(parts) if parts else None


def peek(path: str) -> Reading[str | None]:
    """The beginning of a document, or None where it cannot be read."""
    if path.lower().endswith(PAGED):
        result = yield from one(call("read_file", path=path, page_start=1, page_end=PEEKED_PAGES))
    else:
        result = yield from one(call("read_file", path=path, line_end=PEEKED_LINES))
    return text_of(result) if result.ok else None


def read_page(path: str, page: int) -> Reading[str | None]:
    """One page of a document, or None where it cannot be read."""
    result = yield from one(call("read_file", path=path, page_start=page, page_end=page))
    return text_of(result) if result.ok else None


def text_of(result: Result) -> str:
    """The file's own text in what `read_file` said: without the line above it, the marks of data, the hints below."""
    head, _, rest = result.text.partition("\n")
    match = HEAD.match(head)
    if match is None:
        return ""  # an empty file
    marked = [part["text"] for part in DATA.finditer(rest)]
    if marked:
        return "\n".join(marked)
    lines = rest.split("\n")
    return "\n".join(lines[: int(match["last"]) - int(match["first"]) + 1])


def write(path: str, content: str) -> Reading[Result]:
    """Write a file; the result tells whether it was taken."""
    return (yield from one(call("write_file", path=path, content=content)))


def append(path: str, lines: Sequence[str]) -> Reading[Result]:
    """Add lines to a file."""
    return (yield from one(call("append_file", path=path, content="\n".join(lines) + "\n")))

"""What is whole of an answer that was cut off at its length limit, ended so that it can be read."""

import re

from loopwright.agents.pages.compliance.extract import DOCUMENT_START
from loopwright.agents.pages.compliance.markup import scan
from loopwright.agents.pages.editing.markup_names import VOID
from loopwright.agents.pages.parsing.fences import fences


def whole_page(answer: str) -> str | None:
    """The page up to its last end tag, with everything closed that is open there; None where it has no content yet."""
    begun = DOCUMENT_START.search(answer)
    if begun is None:
        return None
    html = answer[begun.start() :]
    open_elements: list[str] = []
    end, left_open = 0, list[str]()
    for token in scan(html):
        if token.kind == "start" and token.name not in VOID and html[token.end - 2] != "/":
            open_elements.append(token.name)
        elif token.kind == "end" and token.name in open_elements:
            while open_elements.pop() != token.name:
                pass
            if "body" in open_elements:
                end, left_open = token.end, open_elements.copy()
    if not left_open:
        return None
    return html[:end] + "\n" + "".join(f"</{name}>\n" for name in reversed(left_open))


def whole_sheet(answer: str) -> str | None:
    """The sheet up to its last whole rule, in a fence; None where the answer has no open fence of CSS."""
    block = next((fence for fence in fences(answer) if not fence.closed and fence.tag in ("css", "")), None)
    if block is None:
        return None
    depth, end = 0, 0
    for mark in re.finditer(r"/\*.*?(?:\*/|\Z)|[{}]", block.content, re.DOTALL):
        if mark[0] in "{}":
            depth += 1 if mark[0] == "{" else -1
            end = mark.end() if depth == 0 else end
    return f"```css\n{block.content[:end]}\n```" if end else None

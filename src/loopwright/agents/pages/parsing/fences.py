"""Fenced blocks in a model's text."""

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<tag>[\w-]*)[^\n]*(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True)
class Fence:
    """A fenced block: its tag, its content, and where it stands with its marks. `closed`: its end was there."""

    tag: str
    content: str
    start: int
    end: int
    closed: bool


def fences(text: str) -> list[Fence]:
    """All fenced blocks in order; one that is never closed reaches to the end of the text."""
    found: list[Fence] = []
    position = 0
    while opening := _FENCE.search(text, position):
        closing = _closing(text, opening.end(), opening["mark"])
        end = closing.end() if closing else len(text)
        content = text[opening.end() : closing.start() if closing else len(text)]
        found.append(Fence(opening["tag"].lower(), content, opening.start(), end, closing is not None))
        position = max(end, opening.end())
    return found


def _closing(text: str, position: int, mark: str) -> re.Match[str] | None:
    """The line that closes a fence: the same mark, at least as long, and nothing else."""
    return re.compile(rf"^[ \t]*{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$\n?", re.MULTILINE).search(text, position)


# The style sheet in a model's answer.

_RULE = re.compile(r"[^{}]+\{[^{}]*\}")


def extract_css(answer: str) -> str | None:
    """The CSS of an answer: the longest closed fence tagged `css` (or with no tag), else an answer that is all CSS.

    None when there is none, or when the only one was cut off.
    """
    blocks = [fence for fence in fences(answer) if fence.tag in ("css", "") and _RULE.search(fence.content)]
    closed = [fence.content.strip() for fence in blocks if fence.closed]
    if closed:
        return max(closed, key=len) + "\n"
    bare = answer.strip()
    looks_like_css = bare.endswith("}") and bare.count("{") == bare.count("}") and _RULE.search(bare) is not None
    if blocks or not looks_like_css or not re.match(r"(?:/\*|:root|[.#*@\[]|[a-z]+[^.!?\n]*\{)", bare):
        return None
    return bare + "\n"

"""The style sheet in a model's answer."""

import re

from loopwright.agents.pages.parsing.fences import fences

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

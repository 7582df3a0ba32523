"""Which elements text is written in, and how large it is."""

from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import input_type
from loopwright.agents.pages.compliance.page import Page

LARGE = 24.0
"""CSS pixels, 18 points: from here on text is large (WCAG 2.2, "large scale")."""
LARGE_WHEN_BOLD = 56 / 3
"""CSS pixels, 14 points."""
BOLD = 700
_ROUNDING = 0.01
_NO_TEXT = frozenset({"script", "style", "template", "title", "noscript", "head", "textarea", "option", "optgroup"})
_BUTTONS = frozenset({"button", "submit", "reset"})
_TYPED = frozenset({"text", "search", "tel", "url", "email", "password", "number", "date", "time", "month", "week"})


@dataclass(frozen=True, slots=True)
class Text:
    """Words that stand directly in an element."""

    node: LexborNode
    words: str
    is_typed: bool = False
    """Whether they are, or will be, the value of a field, and so no text of the page's source."""


def written_texts(page: Page) -> Iterator[Text]:
    """The texts of a page in document order, drawings left out, whether or not they are shown."""
    drawn = {node.mem_id for node in page.find("svg, svg *, math, math *")}
    for node in page.find("body, body *"):
        if node.mem_id in drawn:
            continue
        if node.tag in ("input", "select", "textarea"):
            yield from _typed(node)
        elif node.tag not in _NO_TEXT:
            words = "".join(child.text_content or "" for child in node.iter(include_text=True) if child.is_text_node)
            if words.strip():
                yield Text(node, " ".join(words.split()))


def _typed(node: LexborNode) -> Iterator[Text]:
    if node.tag != "input":
        yield Text(node, " ".join(node.text(deep=True).split()), is_typed=True)
        return
    kind = input_type(node)
    if kind in _BUTTONS | _TYPED:
        yield Text(node, (node.attributes.get("value") or "").strip(), is_typed=True)


def is_large(page: Page, node: LexborNode) -> bool | None:
    """Whether text counts as large: 24 pixels, or 18.66 when bold; None when its size is not known."""
    size = page.cascade.font_size(node)
    if size is None:
        return None
    if size >= LARGE - _ROUNDING:
        return True
    if size < LARGE_WHEN_BOLD - _ROUNDING:
        return False
    weight = font_weight(page, node)
    return None if weight is None else weight >= BOLD


def font_weight(page: Page, node: LexborNode) -> int | None:
    """The weight as a number; None when not known."""
    value = page.cascade.value(node, "font-weight")
    if value in ("bold", "bolder"):
        return BOLD
    if value in ("normal", "lighter"):
        return 400
    return int(float(value)) if value is not None and value.replace(".", "", 1).isdigit() else None

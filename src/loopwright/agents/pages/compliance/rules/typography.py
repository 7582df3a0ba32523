"""Rules about the size of text: readable everywhere, and 16 pixels where a phone would otherwise zoom in."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule

BODY_MINIMUM = 16.0
FIELD_MINIMUM = 16.0
"""Safari on iOS zooms into a field with smaller text as soon as it gets the focus."""
TEXT_MINIMUM = 12.0
_NOT_TYPED_INTO = frozenset(
    ["hidden", "checkbox", "radio", "range", "color", "file", "button", "submit", "reset", "image"]
)
_ROUNDING = 0.05


def check_body_text(page: Page) -> Iterator[Issue]:
    """Running text has 16 pixels: the size of the body, from which the rest is inherited."""
    body = page.document.body
    if page.css_is_complete and body is not None:
        yield from _smaller_than(
            page, body, BODY_MINIMUM, "body-text-size", "The body text is too small. Set body { font-size: 16px }."
        )


def check_fields(page: Page) -> Iterator[Issue]:
    """Fields that are typed into have at least 16 pixels."""
    if not page.css_is_complete:
        return
    for node in page.rendered("input, select, textarea"):
        if node.tag == "input" and (node.attributes.get("type") or "text").strip().lower() in _NOT_TYPED_INTO:
            continue
        message = "The text of the field is so small that iPhones zoom in. Set font-size: 16px."
        yield from _smaller_than(page, node, FIELD_MINIMUM, "field-text-size", message)


def check_smallest_text(page: Page) -> Iterator[Issue]:
    """No text is below 12 pixels."""
    if not page.css_is_complete:
        return
    for node in page.rendered("body, body *:not(script):not(style):not(svg *)"):
        if node.text(deep=False, strip=True):
            message = "The text is too small to read on a phone. Use at least 12px."
            yield from _smaller_than(page, node, TEXT_MINIMUM, "text-size", message)


def _smaller_than(page: Page, node: LexborNode, minimum: float, rule: str, message: str) -> Iterator[Issue]:
    size = page.cascade.font_size(node)
    if size is not None and size < minimum - _ROUNDING:
        yield Issue(
            rule=rule,
            severity="error",
            message=message,
            selector=page.selector_of(node),
            measured=f"{size:.3g}px",
            required=f"{minimum:.0f}px",
            auto_fixable=True,
        )


TYPOGRAPHY_RULES = (
    Rule("body-text-size", "The body text has at least 16 pixels.", check_body_text),
    Rule("field-text-size", "Fields have text of at least 16 pixels.", check_fields),
    Rule("text-size", "No text is below 12 pixels.", check_smallest_text),
)

"""Accessible names: pictures, fields, links and buttons can be told apart by ear.

A short form of the Accessible Name computation (accname 1.2): aria-labelledby, aria-label, the host language's own
means (label, alt, value, content), title, placeholder.
"""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule

_BUTTON_INPUTS = frozenset({"submit", "reset", "button", "image"})
_NAMED_BY_CONTENT = "a[href], button, summary, [role=button], [role=link], [role=tab], [role=switch], [role=menuitem]"
_FIELDS = "input, select, textarea"


def check_images(page: Page) -> Iterator[Issue]:
    """Every picture has a text for those who do not see it; an empty one says it is decoration (WCAG 1.1.1)."""
    for node in page.find("img, input[type=image], area[href]"):
        if "alt" in node.attributes or _named_by_aria(page, node) or _is_presentation(node):
            continue
        message = 'The picture has no alternative text. Add alt="what it shows", or alt="" if it is decoration.'
        yield Issue(rule="image-alt", severity="error", message=message, selector=page.selector_of(node))


def check_fields(page: Page) -> Iterator[Issue]:
    """Every field has a label (WCAG 1.3.1, 4.1.2)."""
    for node in page.rendered(_FIELDS):
        kind = (node.attributes.get("type") or "text").strip().lower() if node.tag == "input" else ""
        if kind == "hidden" or kind in _BUTTON_INPUTS or _is_hidden_from_readers(node):
            continue
        if _named_by_aria(page, node) or _text(node, "title") or any(_content(label) for label in _labels(page, node)):
            continue
        selector = page.selector_of(node)
        if _text(node, "placeholder"):
            message = "The field has only a placeholder, which vanishes while typing. Add a <label for> or aria-label."
            yield Issue(rule="field-label", severity="warning", message=message, selector=selector)
        else:
            message = "The field has no label. Add a <label for> with its id, or aria-label."
            yield Issue(rule="field-label", severity="error", message=message, selector=selector)


def check_controls(page: Page) -> Iterator[Issue]:
    """Every link and button says what it does (WCAG 2.4.4, 4.1.2)."""
    for node in page.rendered(_NAMED_BY_CONTENT + ", input[type=button], input[type=image]"):
        if _is_hidden_from_readers(node) or _named_by_aria(page, node) or _text(node, "title"):
            continue
        own = _text(node, "value") or _text(node, "alt") if node.tag == "input" else _content(node)
        if not own:
            kind = "link" if node.tag == "a" else "button"
            message = f"The {kind} has no name. Give it text, or aria-label where it holds only an icon."
            yield Issue(rule="control-name", severity="error", message=message, selector=page.selector_of(node))


def _text(node: LexborNode, attribute: str) -> str:
    return (node.attributes.get(attribute) or "").strip()


def _named_by_aria(page: Page, node: LexborNode) -> bool:
    if _text(node, "aria-label"):
        return True
    identifiers = _text(node, "aria-labelledby").split()
    named = {_text(element, "id"): element for element in page.find("[id]")} if identifiers else {}
    return any(_content(named[name]) for name in identifiers if name in named)


def _is_presentation(node: LexborNode) -> bool:
    return _text(node, "role") in ("presentation", "none") or _is_hidden_from_readers(node)


def _is_hidden_from_readers(node: LexborNode) -> bool:
    current: LexborNode | None = node
    while current is not None:
        if _text(current, "aria-hidden") == "true":
            return True
        current = element_parent(current)
    return False


def _labels(page: Page, node: LexborNode) -> list[LexborNode]:
    identifier = _text(node, "id")
    labels = [label for label in page.find("label[for]") if identifier and _text(label, "for") == identifier]
    parent = element_parent(node)
    while parent is not None:
        if parent.tag == "label":
            labels.append(parent)
        parent = element_parent(parent)
    return labels


def _content(node: LexborNode) -> str:
    """The text a reader hears for the content of an element: words, and the alternatives of pictures."""
    if node.text(deep=True, strip=True):
        return node.text(deep=True, strip=True)
    pieces = [_text(child, "alt") or _text(child, "aria-label") for child in node.css("img, svg, [aria-label]")]
    return " ".join(piece for piece in pieces if piece)


NAME_RULES = (
    Rule("image-alt", "Every picture has an alternative text.", check_images),
    Rule("field-label", "Every field has a label.", check_fields),
    Rule("control-name", "Every link and button has a name.", check_controls),
)

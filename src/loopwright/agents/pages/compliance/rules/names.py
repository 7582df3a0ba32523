"""Accessible names: pictures, fields, links and buttons can be told apart by ear.

The names are those of the Accessible Name computation (accname 1.2), see `compliance.accessibility.names`.
"""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.native import IMAGE_BUTTON_DEFAULT, placeholder
from loopwright.agents.pages.compliance.accessibility.roles import inherits_from, input_type
from loopwright.agents.pages.compliance.accessibility.tree import AccessibilityTree
from loopwright.agents.pages.compliance.act.names import FIELD_ROLES
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule

_BUTTON_INPUTS = frozenset({"submit", "reset", "button", "image"})
_CONTROL_ROLES = frozenset({"button", "tab", "menuitem", "option", "treeitem"})
_PICTURES = "img, area[href], [role=img]"
_CONTROLS = "a, area, button, summary, input, [role]"
_FIELDS = "input, select, textarea, [role]"


def check_images(page: Page) -> Iterator[Issue]:
    """Every picture has a text for those who do not see it; an empty one says it is decoration (WCAG 1.1.1)."""
    tree = page.once(AccessibilityTree)
    for node in page.find(_PICTURES):
        if not tree.includes(node) or (node.tag == "img" and "alt" in node.attributes) or tree.name(node):
            continue
        message = 'The picture has no alternative text. Add alt="what it shows", or alt="" if it is decoration.'
        if node.tag not in ("img", "area"):
            message = "The picture has no name. Add aria-label, or aria-hidden if it is decoration."
        yield Issue(rule="image-alt", severity="error", message=message, selector=page.selector_of(node))


def check_fields(page: Page) -> Iterator[Issue]:
    """Every field has a label (WCAG 1.3.1, 4.1.2)."""
    tree = page.once(AccessibilityTree)
    for node in page.rendered(_FIELDS):
        if not _is_field(tree, node) or tree.is_hidden(node):
            continue
        name, hint = tree.name(node), placeholder(node)
        selector = page.selector_of(node)
        if not name:
            message = "The field has no label. Add a <label for> with its id, or aria-label."
            yield Issue(rule="field-label", severity="error", message=message, selector=selector)
        elif hint and name == " ".join(hint.split()) and not _is_named_otherwise(tree, node):
            message = "The field has only a placeholder, which vanishes while typing. Add a <label for> or aria-label."
            yield Issue(rule="field-label", severity="warning", message=message, selector=selector)


def check_controls(page: Page) -> Iterator[Issue]:
    """Every link and button says what it does (WCAG 2.4.4, 4.1.2)."""
    tree = page.once(AccessibilityTree)
    for node in page.rendered(_CONTROLS):
        is_link = inherits_from(tree.role(node), "link") and node.tag != "area"
        if not (is_link or tree.role(node) in _CONTROL_ROLES or node.tag == "summary") or tree.is_hidden(node):
            continue
        name = tree.name(node)
        if not name or (name == IMAGE_BUTTON_DEFAULT and node.tag == "input"):
            kind = "link" if is_link else "button"
            message = f"The {kind} has no name. Give it text, or aria-label where it holds only an icon."
            yield Issue(rule="control-name", severity="error", message=message, selector=page.selector_of(node))


def _is_field(tree: AccessibilityTree, node: LexborNode) -> bool:
    """Whether an element is filled in; fields for dates, colours, files and passwords have no role but are."""
    if tree.role(node) in FIELD_ROLES:
        return True
    kind = input_type(node) if node.tag == "input" else "hidden"
    return kind not in _BUTTON_INPUTS | {"hidden"} and not tree.role(node)


def _is_named_otherwise(tree: AccessibilityTree, node: LexborNode) -> bool:
    """Whether something other than the placeholder says the same."""
    attributes = any((node.attributes.get(name) or "").strip() for name in ("aria-label", "aria-labelledby", "title"))
    return attributes or any(not tree.is_hidden(label) for label in tree.names.labels.of(node))


NAME_RULES = (
    Rule("image-alt", "Every picture has an alternative text.", check_images),
    Rule("field-label", "Every field has a label.", check_fields),
    Rule("control-name", "Every link and button has a name.", check_controls),
)

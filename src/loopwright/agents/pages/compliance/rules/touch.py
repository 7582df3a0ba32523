"""Touch targets: everything that can be tapped is at least 44 by 44 CSS pixels.

WCAG 2.5.5 (Target Size, Enhanced) with its exception for links in a sentence, which are as tall as the line.
"""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule

MINIMUM_TARGET = 44.0
ROUNDING = 0.5
"""Pixels by which a target may fall short, so that fractions of a line height are not reported."""
TARGETS = (
    "a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=tab], [role=switch], "
    "[role=checkbox], [role=radio], [role=menuitem]"
)


def check_touch_targets(page: Page) -> Iterator[Issue]:
    """Report the targets that are certainly too small."""
    if not page.css_is_complete:
        return
    targets = list(page.rendered(TARGETS))
    identifiers = {node.mem_id for node in targets}
    for node in targets:
        if is_in_sentence(page, node, identifiers) or _is_hidden_by_position(page, node):
            continue
        areas = [node, *_labels(page, node)]
        height = max(page.boxes.height_at_most(area) for area in areas)
        width = max(page.boxes.width_at_most(area) for area in areas)
        if min(height, width) < MINIMUM_TARGET - ROUNDING:
            yield _too_small(page, node, width, height)


def is_in_sentence(page: Page, node: LexborNode, targets: set[int]) -> bool:
    """Whether a link stands in running text: it is inline, and its block has words besides the targets."""
    is_link = node.tag == "a" or node.attributes.get("role") == "link"
    if not is_link or page.boxes.display(node) != "inline":
        return False
    block = element_parent(node)
    while block is not None and page.boxes.display(block) == "inline":
        block = element_parent(block)
    return block is not None and any(character.isalnum() for character in _text_outside(page, block, targets, 0))


def _text_outside(page: Page, node: LexborNode, targets: set[int], depth: int) -> str:
    """The text on an element's own lines, without that of the targets on them."""
    if depth > 20:
        return ""
    pieces = []
    for child in node.iter(include_text=True):
        if child.is_text_node:
            pieces.append(child.text_content or "")
        elif child.is_element_node and child.mem_id not in targets and page.boxes.display(child) == "inline":
            pieces.append(_text_outside(page, child, targets, depth + 1))
    return "".join(pieces)


def _labels(page: Page, node: LexborNode) -> list[LexborNode]:
    """The labels of a form control: tapping one is tapping the control."""
    if node.tag != "input":
        return []
    labels = []
    identifier = node.attributes.get("id")
    if identifier:
        labels = [label for label in page.rendered("label[for]") if label.attributes.get("for") == identifier]
    parent = element_parent(node)
    while parent is not None:
        if parent.tag == "label":
            labels.append(parent)
        parent = element_parent(parent)
    return labels


def _is_hidden_by_position(page: Page, node: LexborNode) -> bool:
    """Whether an element is moved off the screen or clipped away until it gets the focus, or may be."""
    if not page.boxes.is_out_of_flow(node):
        return False
    if any(page.cascade.value(node, name) not in ("auto", "none") for name in ("clip", "clip-path")):
        return True
    offsets = (page.cascade.length(node, side, percent_of=1.0) for side in ("top", "left", "right", "bottom"))
    moved = any(isinstance(offset, float) and offset < -MINIMUM_TARGET / 2 for offset in offsets)
    return moved or page.cascade.value(node, "transform") != "none"


def _too_small(page: Page, node: LexborNode, width: float, height: float) -> Issue:
    too_low, too_narrow = height < MINIMUM_TARGET - ROUNDING, width < MINIMUM_TARGET - ROUNDING
    parts = [f"{height:.0f}px high"] if too_low else []
    parts += [f"{width:.0f}px wide"] if too_narrow else []
    advice = " and ".join(
        text for wanted, text in ((too_low, "min-height: 44px"), (too_narrow, "min-width: 44px")) if wanted
    )
    if page.boxes.display(node) == "inline":
        advice += " with display: inline-flex (an inline element ignores its height)"
    name = {"a": "link", "input": "field", "select": "field", "textarea": "field"}.get(node.tag or "", "button")
    return Issue(
        rule="touch-target",
        severity="error",
        message=f"The {name} is too small to tap. Give it {advice}.",
        selector=page.selector_of(node),
        measured=" and ".join(parts),
        required="44px by 44px",
    )


TOUCH_RULES = (Rule("touch-target", "Everything that can be tapped is at least 44 by 44 pixels.", check_touch_targets),)

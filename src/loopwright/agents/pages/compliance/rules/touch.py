"""Touch targets: everything that can be tapped is at least 44 by 44 CSS pixels.

WCAG 2.5.5 (Target Size, Enhanced) with its exception for links in a sentence, which are as tall as the line.
"""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.labels import LabelIndex
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule

MINIMUM_TARGET = 44.0
MAXIMUM_DEPTH = 20
"""How deep inline elements are followed in search of words."""
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
    inside_pictures = {node.mem_id for node in page.find("svg *")}  # sized by the picture, not by CSS boxes
    targets = [node for node in page.rendered(TARGETS) if node.mem_id not in inside_pictures]
    lines = _Lines(page, {node.mem_id for node in targets})
    for node in targets:
        if lines.hold_a_sentence_around(node) or _is_hidden_by_position(page, node):
            continue
        areas = [node, *_labels(page, node)]
        height = max(page.boxes.height_at_most(area) for area in areas)
        width = max(page.boxes.width_at_most(area) for area in areas)
        if min(height, width) < MINIMUM_TARGET - ROUNDING:
            yield _too_small(page, node, width, height)


class _Lines:
    """The lines of text that targets stand on; each block is read once, however many targets it holds."""

    def __init__(self, page: Page, targets: set[int]) -> None:
        self.page = page
        self.targets = targets
        self._has_words: dict[int, bool] = {}

    def hold_a_sentence_around(self, node: LexborNode) -> bool:
        """Whether a link stands in running text: it is inline, and its block has words besides the targets."""
        is_link = node.tag == "a" or node.attributes.get("role") == "link"
        if not is_link or self.page.boxes.display(node) != "inline":
            return False
        block = element_parent(node)
        while block is not None and self.page.boxes.display(block) == "inline":
            block = element_parent(block)
        if block is None:
            return False
        if block.mem_id not in self._has_words:
            self._has_words[block.mem_id] = self._find_words(block, 0)
        return self._has_words[block.mem_id]

    def _find_words(self, node: LexborNode, depth: int) -> bool:
        """Whether words stand on an element's own lines, outside the targets on them."""
        if depth > MAXIMUM_DEPTH:
            return False
        return any(self._is_wordy(child, depth) for child in node.iter(include_text=True))

    def _is_wordy(self, child: LexborNode, depth: int) -> bool:
        if child.is_text_node:
            return any(character.isalnum() for character in child.text_content or "")
        if not child.is_element_node or child.mem_id in self.targets:
            return False
        return self.page.boxes.display(child) == "inline" and self._find_words(child, depth + 1)


def _labels(page: Page, node: LexborNode) -> list[LexborNode]:
    """The labels of a form control: tapping one is tapping the control."""
    labels = page.once(LabelIndex).of(node) if node.tag == "input" else []
    return [label for label in labels if page.is_rendered(label)]


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

"""Text of what cannot be used now, which may be faint (WCAG 1.4.3, inactive user interface components)."""

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.focus import is_disabled
from loopwright.agents.pages.compliance.accessibility.roles import inherits_from
from loopwright.agents.pages.compliance.accessibility.tree import AccessibilityTree
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.page import Page


class DisabledText:
    """Finds the text of disabled widgets and groups, and that of their labels."""

    def __init__(self, page: Page, tree: AccessibilityTree) -> None:
        self.tree = tree
        self._outermost = {node.mem_id for node in page.find("*") if self._is_disabled(node)}
        self._labels: set[int] = set()
        for node in page.find("[aria-disabled], :disabled, input, select, textarea, button"):
            if node.mem_id in self._outermost or self._is_inside(node, self._outermost):
                words = (node.attributes.get("aria-labelledby") or "").split()
                named = [element for word in words if (element := page.by_id.get(word)) is not None]
                self._labels.update(element.mem_id for element in (*named, *tree.names.labels.of(node)))

    def holds(self, node: LexborNode) -> bool:
        """Whether an element is part of something disabled, or of its label."""
        return self._is_inside(node, self._outermost | self._labels)

    def _is_disabled(self, node: LexborNode) -> bool:
        if not (is_disabled(node) or (node.attributes.get("aria-disabled") or "").strip().lower() == "true"):
            return False
        role = self.tree.role(node)
        # Fields without a role of their own, such as one for passwords, are widgets too.
        return not role or inherits_from(role, "widget") or inherits_from(role, "group")

    def _is_inside(self, node: LexborNode, elements: set[int]) -> bool:
        if not elements:
            return False
        current: LexborNode | None = node
        while current is not None:
            if current.mem_id in elements:
                return True
            current = element_parent(current)
        return False

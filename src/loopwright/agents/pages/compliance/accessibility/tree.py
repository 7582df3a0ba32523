"""The accessibility tree of a page at rest: which elements are in it, with which role and name.

WAI-ARIA 1.2, section 7 (inclusion and exclusion), Core-AAM 1.2.
"""

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.focus import is_in_tab_order, takes_focus
from loopwright.agents.pages.compliance.accessibility.generated import GeneratedContent
from loopwright.agents.pages.compliance.accessibility.names import NameComputation
from loopwright.agents.pages.compliance.accessibility.roles import find_role
from loopwright.agents.pages.compliance.cascade.ancestors import from_root_down
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.page import Page

_NEVER_EXPOSED = frozenset({"script", "style", "template", "head", "noscript", "link", "meta", "title"})


class AccessibilityTree:
    """What assistive technologies are given; answers are kept, so the page must not change."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.is_uncertain = False
        """Whether an answer depended on CSS that could not be judged; what it hides was then taken as shown."""
        self.names = NameComputation(page, self.is_hidden, self.role, GeneratedContent(page.cascade))
        self._removed: dict[int, bool] = {}
        self._live: dict[int, bool] = {}
        self._roles: dict[int, str] = {}

    def includes(self, node: LexborNode) -> bool:
        """Whether an element is exposed: not hidden from anybody, and not declared meaningless by its role."""
        return not self.is_hidden(node) and self.role(node) != "none"

    def is_hidden(self, node: LexborNode) -> bool:
        """Whether an element is hidden from assistive technologies: by CSS, `hidden`, `inert` or `aria-hidden`."""
        if node.tag == "area":
            return self._is_unused_area(node)
        return self._is_removed(node) or self._value(node, "visibility", "visible") != "visible"

    def role(self, node: LexborNode) -> str:
        """The semantic role; empty when HTML gives the element none."""
        if node.mem_id not in self._roles:
            self._roles[node.mem_id] = find_role(node, self.is_focusable)
        return self._roles[node.mem_id]

    def name(self, node: LexborNode) -> str:
        """The accessible name, white space collapsed."""
        return self.names.name(node)

    def is_focusable(self, node: LexborNode) -> bool:
        """Whether an element can take the focus now."""
        return takes_focus(node) and self._is_reachable(node)

    def is_in_tab_order(self, node: LexborNode) -> bool:
        """Whether the Tab key reaches an element now."""
        return is_in_tab_order(node) and self._is_reachable(node)

    def _is_reachable(self, node: LexborNode) -> bool:
        """Rendered and not inert; `aria-hidden` takes nothing out of the tab order."""
        live = from_root_down(node, self._live, True, lambda around, each: around and self._lets_in(each))
        return live and self._value(node, "visibility", "visible") == "visible"

    def _lets_in(self, node: LexborNode) -> bool:
        return "inert" not in node.attributes and self._value(node, "display", "block") != "none"

    def _is_removed(self, node: LexborNode) -> bool:
        """Whether something on the way up takes the element out with all it holds."""
        return from_root_down(node, self._removed, False, lambda around, each: around or self._removes(each))

    def _removes(self, node: LexborNode) -> bool:
        attributes = node.attributes
        if node.tag in _NEVER_EXPOSED and not _is_in_picture(node):
            return True
        if "inert" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true":
            return True
        if self._value(node, "display", "block") == "none":
            return True
        parent = element_parent(node)
        if parent is None:
            return False
        if parent.tag == "details" and "open" not in parent.attributes and node.tag != "summary":
            return True
        return self._value(parent, "content-visibility", "visible") == "hidden"

    def _value(self, node: LexborNode, name: str, otherwise: str) -> str:
        value = self.page.cascade.value(node, name)
        if value is None:
            self.is_uncertain = True
        return otherwise if value is None else value

    def _is_unused_area(self, node: LexborNode) -> bool:
        """An area is never rendered itself; it is there when a picture that is there uses its map."""
        owner = element_parent(node)
        while owner is not None and owner.tag != "map":
            owner = element_parent(owner)
        name = "" if owner is None else (owner.attributes.get("name") or "").strip()
        hidden = (node.attributes.get("aria-hidden") or "").strip().lower() == "true"
        return hidden or not any(
            (picture.attributes.get("usemap") or "").strip() == f"#{name}" and not self.is_hidden(picture)
            for picture in (self.page.find("img[usemap]") if name else ())
        )


def _is_in_picture(node: LexborNode) -> bool:
    """Whether an element is part of an SVG drawing, where `title` and `style` are children like others."""
    parent = element_parent(node)
    while parent is not None:
        if parent.tag == "svg":
            return node.tag != "style" and node.tag != "script"
        parent = element_parent(parent)
    return False

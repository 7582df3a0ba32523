"""One page, parsed once, as every rule sees it."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.cascade.box import BoxModel
from loopwright.agents.pages.compliance.cascade.computed import Cascade, element_parent
from loopwright.agents.pages.compliance.links import Link, collect_links
from loopwright.agents.pages.compliance.skeleton import Skeleton, read_skeleton

DESIGN_SYSTEM_FILE = "design-system.css"
_PLAIN_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*")
"""Ids and classes that need no escaping in a selector."""


@dataclass(slots=True)
class Page:
    """A page with its DOM, its outer structure, its links and its computed styles."""

    slug: str
    source: str
    document: LexborHTMLParser
    skeleton: Skeleton
    links: tuple[Link, ...]
    cascade: Cascade
    boxes: BoxModel
    known_slugs: frozenset[str] | None
    css_is_complete: bool
    """False when the page loads a stylesheet whose text was not given; then nothing about sizes is certain."""
    _rendered: dict[int, bool] = field(default_factory=dict)
    _selector_counts: Counter[str] = field(default_factory=Counter)
    _numbers: dict[int, int] = field(default_factory=dict)

    @classmethod
    def read(cls, html: str, *, css: str, slug: str, known_slugs: Collection[str] | None) -> "Page":
        """Parse a page; total on any text."""
        document = LexborHTMLParser(html)
        skeleton = read_skeleton(html)
        sheets = [node.text() for node in document.css("style")]
        cascade = Cascade(document, [css, *sheets] if css else sheets)
        loaded = [link.value("href") or "" for link in skeleton.stylesheets()]
        unknown = [href for href in loaded if not (css and is_design_system(href)) and not is_font_service(href)]
        slugs = None if known_slugs is None else frozenset(known_slugs)
        return cls(slug, html, document, skeleton, collect_links(html), cascade, BoxModel(cascade), slugs, not unknown)

    def find(self, selector: str) -> list[LexborNode]:
        """All elements that match, in document order, each once."""
        return list({node.mem_id: node for node in self.document.css(selector)}.values())

    def rendered(self, selector: str) -> Iterator[LexborNode]:
        """The elements that match and are certainly shown when the page has loaded."""
        return (node for node in self.find(selector) if self.is_rendered(node))

    def is_rendered(self, node: LexborNode) -> bool:
        """Whether an element is certainly shown: nothing on the way up hides it or may hide it."""
        chain: list[LexborNode] = []
        current: LexborNode | None = node
        while current is not None and current.mem_id not in self._rendered:
            chain.append(current)
            current = element_parent(current)
        shown = True if current is None else self._rendered[current.mem_id]
        for element in reversed(chain):
            shown = shown and self._shows_itself(element)
            self._rendered[element.mem_id] = shown
        return shown and self.cascade.value(node, "visibility") == "visible"

    def _shows_itself(self, node: LexborNode) -> bool:
        if self.cascade.value(node, "display") in (None, "none"):
            return False
        parent = element_parent(node)
        if parent is None or parent.tag != "details" or "open" in parent.attributes:
            return True
        return node.tag == "summary"

    def selector_of(self, node: LexborNode) -> str:
        """A short CSS selector that leads to exactly this element."""
        steps: list[str] = []
        current: LexborNode | None = node
        while current is not None:
            unique = next((name for name in _simple_selectors(current) if self._counts()[name] == 1), None)
            steps.append(unique or self._numbered_step(current))
            current = None if unique else element_parent(current)
        return " > ".join(reversed(steps))

    def _counts(self) -> Counter[str]:
        """How many elements each simple selector finds."""
        if not self._selector_counts:
            for element in self.find("*"):
                self._selector_counts.update(_simple_selectors(element))
        return self._selector_counts

    def _numbered_step(self, node: LexborNode) -> str:
        """An element among its siblings of the same tag."""
        if node.mem_id not in self._numbers:
            parent = element_parent(node)
            seen: Counter[str | None] = Counter()
            for sibling in [node] if parent is None else parent.iter():
                seen[sibling.tag] += 1
                self._numbers[sibling.mem_id] = seen[sibling.tag]
        return f"{node.tag}:nth-of-type({self._numbers[node.mem_id]})"


def is_design_system(href: str) -> bool:
    """Whether an address leads to the design system, wherever it lies."""
    return href.partition("?")[0].partition("#")[0].rpartition("/")[2].lower() == DESIGN_SYSTEM_FILE


def is_font_service(href: str) -> bool:
    """Whether a stylesheet can only bring fonts, which decide no size that a rule looks at."""
    return "//fonts." in href


def _simple_selectors(node: LexborNode) -> list[str]:
    """The selectors that name an element by its id, by its tag and one class, or by its tag, the best first."""
    tag = node.tag or "*"
    classes = dict.fromkeys((node.attributes.get("class") or "").split())
    names = [f"#{node.id}"] if node.id and _PLAIN_NAME.fullmatch(node.id) else []
    return [*names, *(f"{tag}.{name}" for name in classes if _PLAIN_NAME.fullmatch(name)), tag]

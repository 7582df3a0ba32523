"""One page, parsed once, as every rule sees it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.cascade.box import BoxModel
from loopwright.agents.pages.compliance.cascade.computed import Cascade, element_parent
from loopwright.agents.pages.compliance.links import Link, collect_links
from loopwright.agents.pages.compliance.skeleton import Skeleton, read_skeleton

DESIGN_SYSTEM_FILE = "design-system.css"


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
        """All elements that match, in document order."""
        return self.document.css(selector)

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
            identifier = current.attributes.get("id")
            if identifier and identifier.replace("-", "").replace("_", "").isalnum() and not identifier[0].isdigit():
                steps.append(f"#{identifier}")
                if len(self.find(steps[-1])) == 1:
                    break
                steps.pop()
            steps.append(_step(current))
            short = " > ".join(reversed(steps))
            if len(self.find(short)) == 1:
                break
            current = element_parent(current)
        return " > ".join(reversed(steps))


def is_design_system(href: str) -> bool:
    """Whether an address leads to the design system, wherever it lies."""
    return href.partition("?")[0].partition("#")[0].rpartition("/")[2].lower() == DESIGN_SYSTEM_FILE


def is_font_service(href: str) -> bool:
    """Whether a stylesheet can only bring fonts, which decide no size that a rule looks at."""
    return "//fonts." in href


def _step(node: LexborNode) -> str:
    """An element among its siblings: its tag and first plain class, or its number where those are not unique."""
    tag = node.tag or "*"
    classes = [name for name in (node.attributes.get("class") or "").split() if name.replace("-", "").isalnum()]
    classes = [name for name in classes if not name[0].isdigit() and not name.startswith("-")]
    step = f"{tag}.{classes[0]}" if classes else tag
    parent = element_parent(node)
    if parent is None:
        return step
    siblings = [child for child in parent.iter() if child.tag == node.tag]
    alike = [child for child in siblings if child.css_matches(step)] if len(siblings) > 1 else siblings
    if len(alike) <= 1:
        return step
    position = next(number for number, child in enumerate(siblings, 1) if child.mem_id == node.mem_id)
    return f"{tag}:nth-of-type({position})"

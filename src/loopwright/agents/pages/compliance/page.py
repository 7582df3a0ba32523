"""One page, parsed once, as every rule sees it."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.cascade.ancestors import from_root_down
from loopwright.agents.pages.compliance.cascade.box import BoxModel
from loopwright.agents.pages.compliance.cascade.colours import Scheme
from loopwright.agents.pages.compliance.cascade.computed import Cascade, element_parent
from loopwright.agents.pages.compliance.cascade.media import Orientation
from loopwright.agents.pages.compliance.javascript import Script, collect_scripts
from loopwright.agents.pages.compliance.links import Link, collect_links
from loopwright.agents.pages.compliance.skeleton import Skeleton, read_skeleton

MAXIMUM_ELEMENTS = 20_000
"""Elements of a page that is checked, fifty times what a rich phone page has; it takes a few seconds."""
DESIGN_SYSTEM_FILE = "design-system.css"
Reading = TypeVar("Reading")
_PLAIN_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*")
"""Ids and classes that need no escaping in a selector."""


@dataclass(slots=True)
class Page:
    """A page with its DOM, its outer structure, its links and its computed styles."""

    slug: str
    source: str
    css: str
    """The design system, as far as it was given."""
    document: LexborHTMLParser
    skeleton: Skeleton
    links: tuple[Link, ...]
    cascade: Cascade
    boxes: BoxModel
    known_slugs: frozenset[str] | None
    scripts: tuple[Script, ...]
    css_is_complete: bool
    """False when the page loads a stylesheet whose text was not given; then nothing about sizes is certain."""
    _ids: dict[str, LexborNode] = field(default_factory=dict, init=False)
    _made: dict[object, object] = field(default_factory=dict, init=False)
    _rendered: dict[int, bool] = field(default_factory=dict, init=False)
    _selector_counts: Counter[str] = field(default_factory=Counter, init=False)
    _numbers: dict[int, int] = field(default_factory=dict, init=False)

    @classmethod
    def read(
        cls,
        html: str,
        *,
        css: str = "",
        slug: str = "index",
        known_slugs: Collection[str] | None = None,
        scheme: Scheme = "light",
        orientation: Orientation = "portrait",
        root_attributes: Mapping[str, str] | None = None,
    ) -> "Page":
        """Parse a page; total on any text.

        Args:
            html: the page's source.
            css: the design system, as if linked first.
            slug: what the page is called.
            known_slugs: the pages of the app; None when they are not known.
            scheme: what the owner of the phone prefers.
            orientation: how the phone is held.
            root_attributes: attributes that a script would set on the root element, say `data-mode`.
        """
        document = LexborHTMLParser(html)
        skeleton = read_skeleton(html)
        cascade = _styled(document, css, scheme, orientation, root_attributes or {})
        loaded = [link.value("href") or "" for link in skeleton.stylesheets()]
        unknown = [href for href in loaded if not (css and is_design_system(href)) and not is_font_service(href)]
        slugs = None if known_slugs is None else frozenset(known_slugs)
        return cls(
            slug,
            html,
            css,
            document,
            skeleton,
            collect_links(html),
            cascade,
            BoxModel(cascade),
            slugs,
            collect_scripts(document),
            not unknown,
        )

    def variant(
        self,
        *,
        scheme: Scheme,
        root_attributes: Mapping[str, str],
        change: Callable[[LexborHTMLParser], None] | None = None,
    ) -> "Page":
        """The same page in another colour scheme, or changed by its script; scripts and links are those of this one."""
        document = LexborHTMLParser(self.source)
        if change is not None:
            change(document)
        cascade = _styled(document, self.css, scheme, "portrait", root_attributes)
        return replace(self, document=document, cascade=cascade, boxes=BoxModel(cascade))

    def once(self, reader: Callable[["Page"], Reading]) -> Reading:
        """What a reader makes of this page; it is asked once, however many rules need it."""
        if reader not in self._made:
            self._made[reader] = reader(self)
        made: Reading = self._made[reader]  # type: ignore[assignment]
        return made

    @property
    def by_id(self) -> Mapping[str, LexborNode]:
        """The first element with each id, the one that references and scripts find."""
        if not self._ids:
            for node in self.document.css("[id]"):
                self._ids.setdefault(node.id or "", node)
        return self._ids

    def find(self, selector: str) -> list[LexborNode]:
        """All elements that match, in document order, each once."""
        return list({node.mem_id: node for node in self.document.css(selector)}.values())

    def rendered(self, selector: str) -> Iterator[LexborNode]:
        """The elements that match and are certainly shown when the page has loaded."""
        return (node for node in self.find(selector) if self.is_rendered(node))

    def is_rendered(self, node: LexborNode) -> bool:
        """Whether an element is certainly shown: nothing on the way up hides it or may hide it."""
        shown = from_root_down(node, self._rendered, True, lambda around, each: around and self._shows_itself(each))
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


def _styled(
    document: LexborHTMLParser, css: str, scheme: Scheme, orientation: Orientation, root_attributes: Mapping[str, str]
) -> Cascade:
    """The computed styles of a page whose root element is given some attributes first."""
    if document.root is not None:
        for name, value in root_attributes.items():
            document.root.attrs[name] = value
    sheets = [_style_text(node) for node in document.css("style")]
    return Cascade(document, [css, *sheets] if css else sheets, scheme, orientation)


def _style_text(node: LexborNode) -> str:
    """The CSS of a `style` element, under the condition of its `media`."""
    if (node.attributes.get("type") or "text/css").strip().lower() != "text/css":
        return ""
    media = (node.attributes.get("media") or "").strip()
    return f"@media {media} {{{node.text()}}}" if media else node.text()


def is_too_large(html: str) -> bool:
    """Whether a page has so many elements that checking it would take too long."""
    # Parsing is quick, but most pages are spared it by counting the signs that begin a tag.
    return html.count("<") > MAXIMUM_ELEMENTS and len(LexborHTMLParser(html).css("*")) > MAXIMUM_ELEMENTS


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

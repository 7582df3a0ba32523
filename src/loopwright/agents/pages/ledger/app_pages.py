"""The app as the checks see it: all pages at one moment, each parsed when it is first asked for."""

from collections.abc import Mapping
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.page import Page

UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "title"})
"""Elements whose text nobody reads on the page."""


@lru_cache(maxsize=32)
def _parsed(html: str, css: str, slug: str) -> Page:
    return Page.read(html, css=css, slug=slug, known_slugs=None)


@lru_cache(maxsize=64)
def _document(html: str) -> LexborHTMLParser:
    return LexborHTMLParser(html)


class AppPages:
    """Pages by slug under one design system; `planned` are those that links may lead to although they are not made."""

    def __init__(self, sources: Mapping[str, str], css: str, planned: tuple[str, ...] = ()) -> None:
        """Keep the sources; nothing is parsed yet."""
        self.sources = dict(sources)
        self.css = css
        self.known = frozenset((*sources, *planned))
        self._planned = planned

    def source(self, slug: str) -> str | None:
        """The page's HTML, or None when there is no such page."""
        return self.sources.get(slug)

    def document(self, slug: str) -> LexborHTMLParser:
        """The page's DOM alone, which costs next to nothing."""
        return _document(self.sources[slug])

    def page(self, slug: str) -> Page:
        """The page with its computed styles; the same page under the same styles is read once."""
        return _parsed(self.sources[slug], self.css, slug)

    def replaced(self, slug: str, html: str) -> "AppPages":
        """The app with another version of one page."""
        return AppPages({**self.sources, slug: html}, self.css, self._planned)

    def without(self, slug: str) -> "AppPages":
        """The app without one page, which no link may lead to any more."""
        others = {name: html for name, html in self.sources.items() if name != slug}
        return AppPages(others, self.css, tuple(name for name in self._planned if name != slug))

    def restyled(self, css: str) -> "AppPages":
        """The app under another design system."""
        return AppPages(self.sources, css, self._planned)


def find(document: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """All elements that match, in document order, each once."""
    return list({node.mem_id: node for node in document.css(selector)}.values())


def normalised(text: str) -> str:
    """Words as they are compared: one blank between them, case aside."""
    return " ".join(text.split()).casefold()


def seen_text(node: LexborNode) -> str:
    """The words of an element as people read them, one blank between them."""
    pieces: list[str] = []
    unseen: set[int] = set()
    for child in node.traverse(include_text=True):
        parent = child.parent
        if parent is not None and parent.mem_id in unseen:
            unseen.add(child.mem_id)
        elif child.tag == "-text":
            pieces.append(child.text_content or "")
        elif child.tag in UNSEEN:
            unseen.add(child.mem_id)
    return " ".join(" ".join(pieces).split())


def certainly_hidden(page: Page, node: LexborNode) -> bool:
    """Whether a style or the `hidden` attribute keeps an element from being seen, without any doubt."""
    if page.cascade.value(node, "visibility") in ("hidden", "collapse"):
        return True
    current: LexborNode | None = node
    while current is not None:
        if page.cascade.value(current, "display") == "none":
            return True
        current = element_parent(current)
    return False

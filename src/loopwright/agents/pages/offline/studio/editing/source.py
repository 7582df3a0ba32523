"""A page's source with the places of its elements, for edits that touch nothing else."""

from dataclasses import dataclass
from functools import cached_property

from loopwright.agents.pages.compliance.markup import Edit, Token, apply_edits, scan

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])


@dataclass(frozen=True, slots=True)
class Element:
    """An element's start tag, and where its content and the whole of it end in the source."""

    tag: Token
    content_end: int
    end: int

    @property
    def classes(self) -> frozenset[str]:
        """The names in its class attribute."""
        return frozenset((self.tag.value("class") or "").split())

    def matches(self, selector: str) -> bool:
        """Whether it is meant by a simple selector: `tag`, `.class` or `#id`."""
        if selector.startswith("."):
            return selector[1:] in self.classes
        if selector.startswith("#"):
            return self.tag.value("id") == selector[1:]
        return self.tag.name == selector


class Source:
    """One version of a page."""

    def __init__(self, html: str) -> None:
        """Read the page; nothing is scanned before it is asked for."""
        self.html = html

    @cached_property
    def tokens(self) -> list[Token]:
        """All tokens, in order."""
        return list(scan(self.html))

    @cached_property
    def elements(self) -> list[Element]:
        """All elements in the order of their start tags; one that is never closed ends where its parent does."""
        found: dict[int, Element] = {}
        open_tags: list[Token] = []
        for token in self.tokens:
            if token.kind == "start" and token.name not in VOID:
                open_tags.append(token)
            elif token.kind == "start":
                found[token.start] = Element(token, token.end, token.end)
            elif token.kind == "end" and any(tag.name == token.name for tag in open_tags):
                while open_tags:
                    tag = open_tags.pop()
                    own = tag.name == token.name
                    found[tag.start] = Element(tag, token.start, token.end if own else token.start)
                    if own:
                        break
        for tag in open_tags:
            found[tag.start] = Element(tag, len(self.html), len(self.html))
        return [found[start] for start in sorted(found)]

    def find(self, selector: str) -> list[Element]:
        """The elements that a simple selector means."""
        return [element for element in self.elements if element.matches(selector)]

    def first(self, *selectors: str) -> Element | None:
        """The first element that the first matching selector means."""
        return next((found[0] for selector in selectors if (found := self.find(selector))), None)

    def text_of(self, element: Element) -> str:
        """The element's text without the tags in it."""
        inside = [t for t in self.tokens if t.kind == "text" and element.tag.end <= t.start < element.content_end]
        return " ".join("".join(self.html[t.start : t.end] for t in inside if not t.name).split())

    def replaced(self, *edits: tuple[int, int, str]) -> str:
        """The source with these spans replaced."""
        return apply_edits(self.html, [Edit(start, end, text) for start, end, text in sorted(edits)])

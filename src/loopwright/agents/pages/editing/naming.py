"""Selectors that lead to one element, short enough to be read by people and models."""

import re
from collections import Counter
from difflib import SequenceMatcher

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.editing.source_map import SourceElement, SourceMap

_PLAIN = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*")
"""Ids and classes that need no escaping in a selector."""

MAXIMUM_STEPS = 40
NAMES_TOLD, NAMES_COMPARED, SELECTOR_COMPARED = 8, 500, 100
"""How many selectors are told to who has named none of the page, and how far it is searched for them."""


class Names:
    """The selectors of a page's elements."""

    def __init__(self, source: SourceMap) -> None:
        """Count what each simple selector finds."""
        self._counts: Counter[str] = Counter()
        for element in source.elements:
            self._counts.update(_simple(element.node))

    def like(self, selector: str) -> list[str]:
        """The simple selectors that find one element of the page, those first that read most like this one."""
        names = [name for name, count in self._counts.items() if count == 1]
        matcher = SequenceMatcher(b=selector[:SELECTOR_COMPARED])
        likeness = {}
        for name in names[:NAMES_COMPARED]:
            matcher.set_seq1(name)
            likeness[name] = matcher.ratio()
        return sorted(likeness, key=lambda name: -likeness[name])[:NAMES_TOLD]

    def of(self, element: SourceElement) -> str:
        """A selector that finds exactly this element; beyond 40 levels one that ends in it."""
        return self.of_node(element.node)

    def of_node(self, node: LexborNode) -> str:
        """As `of`, for a node of the parsed page."""
        steps: list[str] = []
        current: LexborNode | None = node
        while current is not None and current.is_element_node and len(steps) < MAXIMUM_STEPS:
            unique = next((name for name in _simple(current) if self._counts[name] == 1), None)
            steps.append(unique or _numbered(current))
            current = None if unique else current.parent
        return " > ".join(reversed(steps))


def _simple(node: LexborNode) -> list[str]:
    """The selectors that name an element by its id, by its tag and one class, or by its tag, the best first."""
    tag = node.tag or "*"
    name = node.attributes.get("id") or ""
    classes = dict.fromkeys((node.attributes.get("class") or "").split())
    found = [f"#{name}"] if _PLAIN.fullmatch(name) else []
    return [*found, *(f"{tag}.{each}" for each in classes if _PLAIN.fullmatch(each)), tag]


def _numbered(node: LexborNode) -> str:
    """An element among its siblings of the same tag."""
    number, sibling = 1, node.prev
    while sibling is not None:
        number += sibling.is_element_node and sibling.tag == node.tag
        sibling = sibling.prev
    return f"{node.tag}:nth-of-type({number})"

"""What it costs to ask a page for a selector, told before it is asked.

The selector engine tries every way through ancestors and siblings, so that a few combinators on a deep page or in a
long list keep it busy for hours.  The costs here are upper bounds of its steps, each of some 200 nanoseconds.
"""

import math
import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser

MAXIMUM_STEPS = 20_000_000
"""Steps for all selectors of a page together."""
_WALK = 0.2
"""Steps that it takes to look at one element for a simple selector."""
_COUNTING = 0.02
"""Steps that it takes to pass one sibling when siblings are numbered."""
_ATTRIBUTE = re.compile(r"\[[^\]]*\]")
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+")
_KEY = re.compile(r"([.#])([\w-]+)|^([a-z][\w-]*)")
_FUNCTION = re.compile(r":[\w-]+$")


class SelectorIndex:
    """How often each id, class and tag occurs on a page, how deep it is and how long its longest list."""

    def __init__(self, document: LexborHTMLParser) -> None:
        self.counts: Counter[str] = Counter()
        self.elements = 0
        self.deepest = self.longest = 1
        depths: dict[int, int] = {}
        children: Counter[int] = Counter()
        for node in document.css("*"):
            self.elements += 1
            attributes = node.attributes
            keys = {f".{name.lower()}" for name in (attributes.get("class") or "").split()}
            keys |= {f"#{(attributes.get('id') or '').lower()}", (node.tag or "").lower()}
            self.counts.update(keys)
            parent = node.parent
            around = 0 if parent is None else parent.mem_id
            depths[node.mem_id] = depths.get(around, 0) + 1
            children[around] += 1
        if self.elements:
            self.deepest, self.longest = max(depths.values()), max(children.values())

    def steps(self, selector: str) -> float:
        """An upper bound of the steps that a complex selector takes; 0 when no element can match it."""
        plain = selector.lower()
        if "\\" in plain or "|" in plain or '"' in plain or "'" in plain:
            plain, known = (
                _ATTRIBUTE.sub("", plain),
                False,
            )  # names may be written in other ways than they are looked up
        else:
            plain, known = _ATTRIBUTE.sub("", plain), True
        outer, inner = _take_out_functions(plain)
        compounds = _COMBINATOR.split(outer.strip())[::2]
        candidates = [self._candidates(each) if known else self.elements for each in compounds if each is not None]
        if 0 in candidates:
            return 0
        return self.elements * _WALK + (candidates[-1] if candidates else self.elements) * self._ways(outer, inner)

    def _ways(self, outer: str, inner: list[tuple[str, str]]) -> float:
        """In how many ways the engine can go through a page from one element that may match."""
        signs = [match[1] or " " for match in _COMBINATOR.finditer(outer.strip())]
        ways = float(math.comb(self.deepest, min(signs.count(" "), self.deepest)))
        ways *= math.comb(self.longest, min(signs.count("~"), self.longest))
        return ways * (1 + sum(self._function(name, content) for name, content in inner))

    def _function(self, name: str, content: str) -> float:
        if name.startswith(":nth"):
            return self.longest * _COUNTING
        below = self.deepest if name == ":has" else 1  # what all elements hold together is this many times the page
        return below * sum(self._ways(*_take_out_functions(part)) for part in content.split(","))

    def _candidates(self, compound: str) -> int:
        """How many elements have the rarest of the names that a compound selector asks for."""
        names = [f"{match[1] or ''}{match[2] or match[3]}" for match in _KEY.finditer(compound.partition(":")[0])]
        return min((self.counts[name] for name in names), default=self.elements)


def _take_out_functions(selector: str) -> tuple[str, list[tuple[str, str]]]:
    """A selector without the arguments of its functions, and those, each with the function's name."""
    outer: list[str] = []
    inner: list[tuple[str, str]] = []
    depth, start = 0, 0
    for position, character in enumerate(selector):
        if character == "(":
            if depth == 0:
                start = position + 1
            depth += 1
        elif character == ")" and depth:
            depth -= 1
            if depth == 0:
                name = _FUNCTION.search("".join(outer[-30:]))
                inner.append((name[0] if name else "", selector[start:position]))
        elif depth == 0:
            outer.append(character)
    return "".join(outer), inner

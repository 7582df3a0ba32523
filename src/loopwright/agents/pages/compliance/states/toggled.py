"""Classes and attributes that scripts set on elements of the page, as far as its styles make colours of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode, SelectolaxError

from loopwright.agents.pages.compliance.cascade.selector_cost import SelectorIndex
from loopwright.agents.pages.compliance.javascript.changes import ScriptChanges
from loopwright.agents.pages.compliance.javascript.values import UNKNOWN
from loopwright.agents.pages.compliance.page import Page

_COLOURING = ("color", "background", "opacity", "-webkit-text-fill-color", "--")
"""Beginnings of the properties that change how a text stands out."""
_STATE = re.compile(
    r"\.(?P<name>[A-Za-z_][\w-]*)|\[\s*(?P<attribute>(?:aria|data)-[\w-]+)\s*(?:=\s*[\"']?(?P<value>[^\"'\]]*)[\"']?)?\s*\]"
)
MAXIMUM_STEPS = 2_000_000
"""Steps of the selector engine in finding elements, a tenth of what the styles of a page may take."""
MAXIMUM_TOGGLES = 64
"""States of a page that are looked at."""
_COMPOUND_END = re.compile(r"[\s>+~,]|$")


@dataclass(frozen=True, slots=True)
class Toggle:
    """One state of some elements, given by their places in the document."""

    label: str
    """How a stylesheet names it: `.is-open`, `[aria-pressed="true"]`, `:checked`."""
    name: str
    """The attribute that is changed."""
    value: str | None
    """What it is set to, or the class that is added; None takes it away."""
    places: frozenset[int]
    removes: bool = False
    """Whether the class is taken away."""

    def apply(self, node: LexborNode) -> None:
        """Bring an element into the state."""
        if self.name == "class":
            classes = [each for each in (node.attributes.get("class") or "").split() if each != self.value]
            node.attrs["class"] = " ".join(classes if self.removes else [*classes, self.value or ""])
        elif self.value is None:
            del node.attrs[self.name]
        else:
            node.attrs[self.name] = self.value


def toggles_of(page: Page, changes: ScriptChanges) -> list[Toggle]:
    """The states that scripts and taps can bring elements of a page into."""
    finder = _Finder(page, changes)
    marks = {
        (match[0], before + rule.selector.text[match.end() : _end(rule.selector.text, match)]): match
        for rule in page.cascade.sheet.rules
        if rule.origin == "author" and any(each.name.startswith(_COLOURING) for each in rule.declarations)
        for match in _STATE.finditer(rule.selector.text)
        if "(" not in (before := rule.selector.text[: match.start()])
    }
    found = dict.fromkeys(
        toggle
        for (_, around), match in marks.items()
        for toggle in (finder.classes(match, around) if match["name"] else finder.attributes(match, around))
    )
    return [toggle for toggle in (*found, *_taps(finder)) if toggle.places][:MAXIMUM_TOGGLES]


def _end(selector: str, match: re.Match[str]) -> int:
    """Where the compound selector ends in which a state stands."""
    end = _COMPOUND_END.search(selector, match.end())
    return len(selector) if end is None else end.start()


class _Finder:
    """Finds the elements of one page that a state can come to."""

    def __init__(self, page: Page, changes: ScriptChanges) -> None:
        self.page, self.changes = page, changes
        self.index = SelectorIndex(page.document)
        self.steps = 0.0
        self.places = {node.mem_id: place for place, node in enumerate(page.find("*"))}
        self._found: frozenset[int] | None = None

    def classes(self, match: re.Match[str], around: str) -> Iterator[Toggle]:
        """The states of a class: with it and without it."""
        mark, name = match[0], match["name"]
        if name not in self.changes.classes:
            return
        on = self.matching(mark)
        targets = {place for word, query in self.changes.targets if word == name for place in self.matching(query)}
        alike = self.found_by_scripts() | self._siblings(on)
        off = (self.matching(around) & alike if around.strip() else frozenset()) | (self.matching(around) & targets)
        yield Toggle(mark, "class", name, off - on)
        yield Toggle(f":not({mark})", "class", name, on, removes=True)

    def attributes(self, match: re.Match[str], around: str) -> Iterator[Toggle]:
        """The states of an attribute of elements that have it."""
        mark, name, value = match[0], match["attribute"], match["value"]
        known = {each for key, each in self.changes.attributes if key == name}
        if not known or not (value is None or value in known or UNKNOWN in known):
            return
        on = self.matching(around + mark)
        off = self.matching(f"{around}[{name}]") - on
        yield Toggle(mark, name, "true" if value is None else value, off)
        if name.startswith("aria-") and value == "true":
            yield Toggle(f'[{name}="false"]', name, "false", on)

    def matching(self, selector: str) -> frozenset[int]:
        """The places of the elements that a selector finds, as long as finding them takes no long time."""
        selector = selector.strip() or "*"
        self.steps += self.index.steps(selector)
        if self.steps > MAXIMUM_STEPS:
            return frozenset()
        try:
            return frozenset(self.places[node.mem_id] for node in self.page.find(selector) if node.tag != "html")
        except SelectolaxError:
            return frozenset()

    def found_by_scripts(self) -> frozenset[int]:
        """The elements that scripts look for."""
        if self._found is None:
            self._found = frozenset().union(*(self.matching(query) for query in sorted(self.changes.queries)))
        return self._found

    def _siblings(self, places: frozenset[int]) -> frozenset[int]:
        """Elements of the same name beside those at the places."""
        elements = self.page.find("*")
        parents = {
            (parent.mem_id, elements[place].tag): parent for place in places if (parent := elements[place].parent)
        }
        return frozenset(
            self.places[each.mem_id]
            for (_, tag), parent in parents.items()
            for each in parent.iter()
            if each.tag == tag
        )


def _taps(finder: _Finder) -> Iterator[Toggle]:
    """Boxes that are ticked and unticked, where styles make something of it."""
    if any(":checked" in rule.selector.text for rule in finder.page.cascade.sheet.rules):
        boxes = finder.matching("input[type=checkbox]") | finder.matching("input[type=radio]")
        on = boxes & finder.matching("[checked]")
        yield Toggle(":checked", "checked", "", boxes - on)
        yield Toggle(":not(:checked)", "checked", None, on)

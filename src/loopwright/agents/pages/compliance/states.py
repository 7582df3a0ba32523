"""The states that a page can reach by its own scripts and by taps, each as a change of its document."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from loopwright.agents.pages.compliance.cascade.computed import SelectorIndex, element_parent
from loopwright.agents.pages.compliance.javascript.values import UNKNOWN
from loopwright.agents.pages.compliance.javascript.variants import (
    MAXIMUM_VARIANTS,
    ScriptChanges,
    changes_of,
    written_markup,
)
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


# What scripts write into a page, put where they write it, one example of each variant.

MAXIMUM_CHARACTERS = 200_000
"""Of markup for all elements; more of it is left out."""
WRITTEN = "data-loopwright-written"
"""Attribute by which a changed document tells by which selector a script writes into an element."""
_OPEN = "\ue000"
"""Stands for what is not known: unlike a null character it is kept by HTML parsers."""
_UNKNOWN_STYLE = "color:var(--?);background:var(--?);opacity:var(--?)"
"""Declarations whose values cannot be told, so that nothing is said of the colours."""


def markup_by_container(page: Page) -> dict[str, str]:
    """What the scripts of a page write, by the selector of the element that they write it into."""
    found: dict[str, dict[str, None]] = {}
    for script in page.scripts:
        for written in written_markup(script.text, script.kind):
            found.setdefault(written.container, {}).update(dict.fromkeys(written.variants))
    markup: dict[str, str] = {}
    left = MAXIMUM_CHARACTERS
    for container, variants in found.items():
        text = "".join(islice(variants, MAXIMUM_VARIANTS)).replace(UNKNOWN, _OPEN)
        left -= len(text)
        if left >= 0:
            markup[container] = text
    return markup


def write_into(document: LexborHTMLParser, markup: Mapping[str, str]) -> None:
    """Put the markup into a document; what it says of colours that are not known counts as not known."""
    waiting = dict(markup)
    for _ in range(2):  # the second time for containers that were written themselves
        for container in list(waiting):
            node = _first_match(document, container)
            if node is not None:
                node.inner_html = waiting.pop(container)
                _leave_open(node)
                node.attrs[WRITTEN] = container


def _first_match(document: LexborHTMLParser, selector: str) -> LexborNode | None:
    """The element that a selector of a script finds first; None for none, and for what is no selector."""
    try:
        return document.css_first(selector)
    except SelectolaxError:
        return None


def _leave_open(container: LexborNode) -> None:
    for node in container.css("*"):
        names = [name for name, value in node.attributes.items() if _decides_colours(name, value)]
        if names:
            node.attrs["style"] = _UNKNOWN_STYLE


def _decides_colours(name: str, value: str | None) -> bool:
    """Whether something that is not known may change the colours of an element."""
    return _OPEN in name or (name in ("class", "style", "id") and _OPEN in (value or ""))


# The states of a page, gathered into a few documents: what does not touch is changed in the same one.

MAXIMUM_ELEMENTS = 3_000
"""Elements of a page whose states are looked at; each state is a page of its own, so large pages would take long."""
MAXIMUM_STATES = 6
"""Documents that are made of one page."""
STATE = "data-loopwright-state"
"""Attribute by which a changed document tells what was changed on an element."""


@dataclass(frozen=True, slots=True)
class State:
    """A change of a page's document that its scripts, or taps, can bring about."""

    toggles: tuple[Toggle, ...]
    markup: Mapping[str, str]
    reveals: bool

    def change(self, document: LexborHTMLParser) -> None:
        """Bring a document, parsed from the page's source, into this state."""
        elements = list({node.mem_id: node for node in document.css("*")}.values())
        for toggle in self.toggles:
            for place in toggle.places:
                toggle.apply(elements[place])
                elements[place].attrs[STATE] = toggle.label
        if self.reveals:
            _reveal(document)
        write_into(document, self.markup)

    def label_of(self, node: LexborNode) -> str:
        """What brings an element of a changed document into its state: selectors as a stylesheet has them."""
        labels = [label for each in _outwards(node) if (label := each.attributes.get(STATE))]
        return ", ".join(labels or dict.fromkeys(toggle.label for toggle in self.toggles))

    def written_selector(self, node: LexborNode) -> str | None:
        """The classes that lead to an element which a script writes; None for one of the page's source."""
        steps: list[str] = []
        for each in _outwards(node):
            if steps and (container := each.attributes.get(WRITTEN)):
                return " > ".join([container, *reversed(steps)])
            classes = dict.fromkeys((each.attributes.get("class") or "").split())
            steps.append("".join([each.tag or "*", *(f".{name}" for name in classes)]))
        return None


def _outwards(node: LexborNode) -> Iterator[LexborNode]:
    current: LexborNode | None = node
    while current is not None:
        yield current
        current = element_parent(current)


def states_of(page: Page) -> list[State]:
    """The states in which a page may look otherwise than when it has loaded; none for very large pages."""
    if len(page.find("*")) > MAXIMUM_ELEMENTS:
        return []
    changes = _changes(page)
    markup = markup_by_container(page)
    rounds = _rounds(page, toggles_of(page, changes))
    if not rounds and not markup and not changes.reveals:
        return []
    states = [State(tuple(toggles), {}, changes.reveals) for toggles in rounds or [[]]]
    return [State(states[0].toggles, markup, changes.reveals), *states[1:MAXIMUM_STATES]]


def _changes(page: Page) -> ScriptChanges:
    """What all scripts of a page change together."""
    each = [changes_of(script.text, script.kind) for script in page.scripts]
    return ScriptChanges(
        frozenset().union(*(one.classes for one in each)),
        frozenset().union(*(one.attributes for one in each)),
        frozenset().union(*(one.queries for one in each)),
        frozenset().union(*(one.targets for one in each)),
        any(one.reveals for one in each),
    )


def _rounds(page: Page, toggles: Iterable[Toggle]) -> list[list[Toggle]]:
    """Toggles that do not touch each other's elements go together, so that each is seen by itself."""
    elements = page.find("*")
    places = {node.mem_id: place for place, node in enumerate(elements)}
    rounds: list[tuple[list[Toggle], set[int], set[int]]] = []
    for toggle in toggles:
        around = {place for own in toggle.places for place in _around(elements[own], places)}
        for members, taken, above in rounds:
            if not (toggle.places & (taken | above) or around & taken):
                members.append(toggle)
                taken |= toggle.places
                above |= around
                break
        else:
            rounds.append(([toggle], set(toggle.places), around))
    return [members for members, _, _ in rounds]


def _around(node: LexborNode, places: Mapping[int, int]) -> Iterable[int]:
    yield from (places[each.mem_id] for each in _outwards(node) if each is not node)


def _reveal(document: LexborHTMLParser) -> None:
    """Show what scripts may show; a dialog stands in the flow, as nothing lies between it and its text either."""
    for node in document.css("[hidden]"):
        del node.attrs["hidden"]
        node.attrs[STATE] = ":not([hidden])"
    for node in document.css("dialog:not([open]), details:not([open])"):
        node.attrs["open"] = ""
        node.attrs[STATE] = "[open]"
        if node.tag == "dialog":
            node.attrs["style"] = f"{node.attributes.get('style') or ''};position:static"

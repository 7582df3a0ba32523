"""The states of a page, gathered into a few documents: what does not touch is changed in the same one."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.javascript.changes import ScriptChanges, changes_of
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.states.toggled import Toggle, toggles_of
from loopwright.agents.pages.compliance.states.written import WRITTEN, markup_by_container, write_into

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

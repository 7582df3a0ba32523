"""Classes and attributes that scripts set on elements of the page, as far as its styles make colours of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode, SelectolaxError

from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.javascript.changes import ScriptChanges
from loopwright.agents.pages.compliance.javascript.values import UNKNOWN
from loopwright.agents.pages.compliance.page import Page

_COLOURING = ("color", "background", "opacity", "-webkit-text-fill-color", "--")
"""Beginnings of the properties that change how a text stands out."""
_STATE = re.compile(
    r"\.(?P<name>[A-Za-z_][\w-]*)|\[\s*(?P<attribute>(?:aria|data)-[\w-]+)\s*(?:=\s*[\"']?(?P<value>[^\"'\]]*)[\"']?)?\s*\]"
)
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


def toggles_of(page: Page, changes: ScriptChanges) -> Iterator[Toggle]:
    """The states that scripts and taps can bring elements of a page into."""
    elements = page.find("*")
    places = {node.mem_id: place for place, node in enumerate(elements)}
    found = _found_by_scripts(page, changes)
    marks = dict.fromkeys(
        (
            match[0],
            rule.selector.text[: match.start()] + rule.selector.text[match.end() : _end(rule.selector.text, match)],
        )
        for rule in page.cascade.sheet.rules
        if rule.origin == "author" and any(each.name.startswith(_COLOURING) for each in rule.declarations)
        for match in _STATE.finditer(rule.selector.text)
        if "(" not in rule.selector.text[: match.start()]
    )
    for mark, around in marks:
        yield from _toggles(page, changes, mark, around, found, places)
    yield from _taps(page, places)


def _end(selector: str, match: re.Match[str]) -> int:
    """Where the compound selector ends in which a state stands."""
    end = _COMPOUND_END.search(selector, match.end())
    return len(selector) if end is None else end.start()


def _toggles(
    page: Page, changes: ScriptChanges, mark: str, around: str, found: frozenset[int], places: dict[int, int]
) -> Iterator[Toggle]:
    state = _STATE.fullmatch(mark)
    if state is None:
        return
    has_it = {node.mem_id for node in _matching(page, mark)}
    candidates = [node for node in _matching(page, around or mark) if node is not page.document.root]
    if name := state["name"]:
        if name not in changes.classes:
            return
        alike = found | {id_ for node in _matching(page, mark) for id_ in _siblings(node)}
        off = frozenset(
            places[node.mem_id] for node in candidates if node.mem_id not in has_it and node.mem_id in alike
        )
        on = frozenset(places[node.mem_id] for node in candidates if node.mem_id in has_it)
        yield Toggle(mark, "class", name, off)
        yield Toggle(f":not({mark})", "class", name, on, removes=True)
        return
    attribute, value = state["attribute"], state["value"]
    known = {each for key, each in changes.attributes if key == attribute}
    if not known or not (value is None or value in known or UNKNOWN in known):
        return
    given = "true" if value is None else value
    off = frozenset(
        places[node.mem_id] for node in candidates if node.mem_id not in has_it and attribute in node.attributes
    )
    on = frozenset(places[node.mem_id] for node in candidates if node.mem_id in has_it)
    yield Toggle(mark, attribute, given, off)
    if attribute.startswith("aria-") and value == "true":
        yield Toggle(f'[{attribute}="false"]', attribute, "false", on)


def _taps(page: Page, places: dict[int, int]) -> Iterator[Toggle]:
    """Boxes that are ticked and unticked, where styles make something of it."""
    if not any(":checked" in rule.selector.text for rule in page.cascade.sheet.rules):
        return
    boxes = [node for node in page.find("input") if node.attributes.get("type") in ("checkbox", "radio")]
    on = frozenset(places[node.mem_id] for node in boxes if "checked" in node.attributes)
    yield Toggle(":checked", "checked", "", frozenset(places[node.mem_id] for node in boxes) - on)
    yield Toggle(":not(:checked)", "checked", None, on)


def _found_by_scripts(page: Page, changes: ScriptChanges) -> frozenset[int]:
    """The elements that scripts look for, by their identifiers in the document."""
    return frozenset(
        node.mem_id for query in sorted(changes.queries) for node in _matching(page, query) if node.tag != "html"
    )


def _siblings(node: LexborNode) -> Iterator[int]:
    parent = element_parent(node)
    yield from (each.mem_id for each in (() if parent is None else parent.iter()) if each.tag == node.tag)


def _matching(page: Page, selector: str) -> list[LexborNode]:
    try:
        return page.find(selector.strip() or "*")
    except SelectolaxError:
        return []

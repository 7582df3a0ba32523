"""Operations carried out on the source text: spans are spliced, nothing is parsed and written out again."""

import html as html_entities
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance.javascript import collect_scripts, facts_of
from loopwright.agents.pages.compliance.markup import RAW_TEXT_ELEMENTS, Attribute, Edit
from loopwright.agents.pages.compliance.page import collect_links, slug_of
from loopwright.agents.pages.editing.operations import (
    ChangeClass,
    Insertion,
    Move,
    Operation,
    Position,
    Remove,
    RemoveAttribute,
    SetAttribute,
    SetStyle,
    SetText,
)
from loopwright.agents.pages.editing.regions import Revision, Unmappable
from loopwright.agents.pages.editing.source_map import BadSelector, Names, SourceElement, SourceMap
from loopwright.agents.pages.editing.style_rules import BadStyle, set_style
from loopwright.agents.pages.editing.verifier import Preservation, prove

FIXED = frozenset({"html", "head", "body"})
"""Elements without which a page is none: their attributes may change and their content may grow, they stay."""

_UNESCAPED = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes"})
"""Their text is code, in which nothing can be escaped."""


BLANKS = " \t\n\f\r"


class Inapplicable(ValueError):
    """An operation cannot be carried out on this page; the message says which and why."""


def apply_operations(revision: Revision, operations: Sequence[Operation]) -> Revision:
    """Carry the operations out in order, each on what the one before left.

    Raises:
        Inapplicable: one of them cannot be carried out; none is then.
    """
    for number, operation in enumerate(operations, 1):
        try:
            revision = _apply(revision, operation)
        except (BadSelector, BadStyle, Inapplicable, Unmappable) as error:
            what = f"Operation {number} ({operation.op} on {operation.selector!r})"
            raise Inapplicable(f"{what} cannot be carried out: {error}.") from error
    return revision


def _apply(revision: Revision, operation: Operation) -> Revision:
    source = SourceMap(revision.after)
    if isinstance(operation, SetStyle):
        edit = set_style(source, operation.selector, operation.property, operation.value)
        return revision.spliced([] if edit is None else [edit])
    elements = _meant(source, operation)
    if isinstance(operation, Move):
        return revision.spliced(_moved(source, elements[0], operation))
    if isinstance(operation, Insertion) and "\r\n" in source.html:
        operation = operation.model_copy(update={"html": re.sub(r"\r?\n", "\r\n", operation.html)})
    edits = [edit for element in elements if (edit := _edit(source, element, operation)) is not None]
    return revision.spliced(edits)


def _meant(source: SourceMap, operation: Operation) -> list[SourceElement]:
    """The elements that an operation means: exactly one, unless it says `all`."""
    found = source.select(operation.selector)
    if not found:
        raise Inapplicable(f"no element matches; the page has {', '.join(Names(source).like(operation.selector))}")
    if len(found) > 1 and (not operation.all or isinstance(operation, Move)):
        raise Inapplicable(f"{len(found)} elements match; name one, or say all: true where all are meant")
    if any(not element.whole for element in found):
        raise Inapplicable("the page's tags overlap there, so that the element has no place of its own")
    replaces = isinstance(operation, Remove | SetText) or (
        isinstance(operation, Insertion) and operation.op in ("replace", "append", "prepend")
    )
    if replaces:  # of an element and one inside it, the outer one is changed as a whole
        nested = [e for e in found if any(o is not e and o.start <= e.start and e.end <= o.end for o in found)]
        if nested:
            raise Inapplicable("some of the elements that match stand in others that match")
    return found


def _edit(source: SourceMap, element: SourceElement, operation: Operation) -> Edit | None:
    match operation:
        case Insertion():
            return _inserted(source, element, operation)
        case SetText():
            return _text(element, operation.text)
        case SetAttribute():
            return _attribute(element, operation.name.lower(), operation.value)
        case RemoveAttribute():
            found = element.tag.attribute(operation.name.lower())
            return None if found is None else without_attribute(source.html, found)
        case ChangeClass():
            return _classes(source.html, element, operation)
        case Remove():
            _must_not_be_fixed(element)
            return Edit(*whole_lines(source.html, element), "")
        case SetStyle() | Move():
            raise AssertionError("carried out before")
        case _:
            assert_never(operation)


def _must_not_be_fixed(element: SourceElement) -> None:
    if element.name in FIXED:
        raise Inapplicable(f"a page keeps its <{element.name}>")


def _inserted(source: SourceMap, element: SourceElement, operation: Insertion) -> Edit:
    if operation.op == "replace":
        _must_not_be_fixed(element)
        return Edit(element.start, element.end, operation.html.strip())
    position: Position = {
        "insert_before": "before", "insert_after": "after", "append": "append", "prepend": "prepend",
    }[operation.op]  # type: ignore[assignment]  # fmt: skip
    return placed(source, element, position, operation.html.strip())


def placed(source: SourceMap, element: SourceElement, position: Position, html: str) -> Edit:
    """HTML put before or after an element, or into it as the first or last, on a line of its own where it stands so.

    Raises:
        Inapplicable: nothing can stand there.
    """
    text = source.html
    if position in ("before", "after"):
        if element.parent is None or element.name in ("head", "body"):
            raise Inapplicable(f"nothing can stand beside <{element.name}>")
        indent = _indent(text, element.start)
        if position == "before":
            return Edit(element.start, element.start, html if indent is None else f"{html}\n{indent}")
        own_line = indent is not None and element.has_end_tag
        return Edit(element.end, element.end, f"\n{indent}{html}" if own_line else html)
    if not element.has_content or element.name in RAW_TEXT_ELEMENTS:
        raise Inapplicable(f"nothing can be put into <{element.name}>")
    if position == "prepend":
        return Edit(element.tag.end, element.tag.end, html if _indent(text, element.start) is None else f"\n{html}")
    closing = _indent(text, element.content_end)
    if closing is None or not element.has_end_tag:
        return Edit(element.content_end, element.content_end, html)
    at = element.content_end - len(closing)
    return Edit(at, at, f"{closing}{html}\n")


def _moved(source: SourceMap, element: SourceElement, operation: Move) -> list[Edit]:
    _must_not_be_fixed(element)
    targets = source.select(operation.to)
    if len(targets) != 1:
        raise Inapplicable(f"{len(targets)} elements match {operation.to!r}; it must be one")
    target = targets[0]
    if element.start <= target.start and target.end <= element.end:
        raise Inapplicable("an element cannot be moved into itself")
    if not target.whole:
        raise Inapplicable("the page's tags overlap where it should go")
    start, end = whole_lines(source.html, element)
    insertion = placed(source, target, operation.position, source.html[element.start : element.end])
    if start < insertion.start < end:  # it stands there already
        return []
    return [Edit(start, end, ""), insertion]


def _text(element: SourceElement, text: str) -> Edit:
    if element.name in _UNESCAPED:
        raise Inapplicable(f"the code of a <{element.name}> is changed by search/replace blocks")
    if not element.has_content or element.name in FIXED:
        raise Inapplicable(f"<{element.name}> has no text of its own")
    return Edit(element.tag.end, element.content_end, html_entities.escape(text, quote=False))


def _attribute(element: SourceElement, name: str, value: str) -> Edit | None:
    found = element.tag.attribute(name)
    escaped = html_entities.escape(value, quote=True)
    if found is None:
        after_name = element.start + 1 + len(element.name)
        return Edit(after_name, after_name, f' {name}="{escaped}"')
    if found.value == value and found.quote:
        return None
    if found.quote:
        return Edit(found.value_start, found.value_end, escaped)
    return Edit(found.start, found.end, f'{name}="{escaped}"')


def without_attribute(html: str, attribute: Attribute) -> Edit:
    """The attribute goes with the blanks before it, unless these are needed to keep its neighbours apart."""
    start = attribute.start
    while html[start - 1] in BLANKS:
        start -= 1
    apart = html[attribute.end] in BLANKS + "/>"
    return Edit(start if apart else attribute.start, attribute.end, "")


def _classes(html: str, element: SourceElement, operation: ChangeClass) -> Edit | None:
    found = element.tag.attribute("class")
    names = [] if found is None else found.value.split()
    if operation.op == "add_class":
        if operation.name in names:
            return None
        if found is None or not found.quote:
            return _attribute(element, "class", " ".join([*names, operation.name]))
        lead = " " if names and not found.value[-1:].isspace() else ""
        escaped = html_entities.escape(operation.name, quote=True)
        return Edit(found.value_end, found.value_end, f"{lead}{escaped}")
    if found is None or operation.name not in names:
        return None
    kept = [name for name in names if name != operation.name]
    return _attribute(element, "class", " ".join(kept)) if kept else without_attribute(html, found)


def whole_lines(html: str, element: SourceElement) -> tuple[int, int]:
    """An element's span, with the line break and indentation that would stay behind as an empty line."""
    indent = _indent(html, element.start)
    newline = re.compile(r"[ \t]*\r?\n").match(html, element.end)
    if indent is not None and newline is not None and element.has_end_tag:
        return element.start - len(indent), newline.end()
    return element.start, element.end


def _indent(html: str, position: int) -> str | None:
    """The blanks between the line's beginning and this place; None when something else stands there."""
    line = html.rfind("\n", 0, position) + 1
    blanks = html[line:position]
    return blanks if not blanks.strip(" \t") else None


# Taking the links to a page out of another page, when the page that they lead to is to go.

_LANDMARKS = frozenset({"nav", "header", "footer"})
_ROLES = frozenset({"navigation", "banner", "contentinfo", "tablist", "menu", "menubar"})
_WRAPPERS = frozenset({"li", "div", "span"})
_ADDRESSES = {"a": "href", "area": "href", "form": "action"}

MAXIMUM_WORDS = 80
"""Characters of a link's words that are told."""


@dataclass(frozen=True, slots=True)
class Unlinked:
    """A page without its links to another one.

    `removed` are the links that were taken out, by their words: entries of a navigation, a page's head or foot, and
    cards and list items that do nothing but lead there.
    `emptied` stay where they are and lead nowhere now: what a link of the content says is not the link's alone.
    `left` says where the page still leads there, in a way that cannot be taken out of the source safely.
    """

    html: str
    removed: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    preserved: Preservation | None = None


def without_links_to(html: str, slug: str) -> Unlinked:
    """The page without its links to the page `slug`; everything else is proven to be what it was.

    A page whose markup leaves open what belongs to what stays as it is, and its links are told as `left`.
    """
    try:
        return _taken_out(html, slug) or Unlinked(html, left=tuple(_ways_to(html, slug)))
    except Unmappable:
        return Unlinked(html, left=tuple(_ways_to(html, slug)))


def _taken_out(html: str, slug: str) -> Unlinked | None:
    """The page without the links; None where something else would change with them.

    Raises:
        Unmappable: the page's markup leaves open what belongs to what.
    """
    source = SourceMap(html)
    links = [element for element in source.elements if element.whole and _leads_to(element, slug)]
    entries = [_entry(html, element) for element in links if _is_navigation(element)]
    entries += [tile for element in links if (tile := _tile(source, element, links)) and tile not in entries]
    entries = list({(section := _section_of(html, each, entries)).start: section for each in entries}.values())
    entries = [each for each in entries if not any(_holds(other, each) for other in entries if other is not each)]
    emptied = [element for element in links if not any(_holds(entry, element) for entry in entries)]
    edits = [Edit(*whole_lines(html, entry), "") for entry in entries]
    edits += [_without_address(html, element) for element in emptied]
    revision = Revision.of(html).spliced(edits)
    proof = prove(revision)
    if not isinstance(proof, Preservation):
        return None
    return Unlinked(
        revision.after,
        tuple(_called(element) for element in links if element not in emptied),
        tuple(_called(element) for element in emptied),
        tuple(_ways_to(revision.after, slug)),
        proof if edits else None,
    )


def _leads_to(element: SourceElement, slug: str) -> bool:
    address = element.tag.value(_ADDRESSES.get(element.name, ""))
    return address is not None and slug_of(address) == slug


def _is_navigation(element: SourceElement) -> bool:
    """Whether the link is one of the ways through the app that stand beside a page's content."""
    if element.name != "a":
        return False
    around = element.parent
    while around is not None:
        if around.name in _LANDMARKS or (around.tag.value("role") or "").strip().lower() in _ROLES:
            return True
        around = around.parent
    return False


_TILES = ("article", "li")
_CONTROLS = ("a", "button", "input", "select", "textarea", "form")


def _tile(source: SourceMap, element: SourceElement, links: Sequence[SourceElement]) -> SourceElement | None:
    """The card or list item of the content that does nothing but lead there: without the page it is a dead end."""
    around = element.parent
    while around is not None and around.name not in _TILES:
        around = around.parent
    if around is None or not around.whole or element.name != "a" or _is_navigation(element):
        return None
    inside = [each for each in source.elements if each.name in _CONTROLS and _holds(around, each)]
    return around if all(each in links for each in inside) else None


_ONLY_A_HEADING = re.compile(r"\s*(?:<(h[2-6])\b[^>]*>(?:(?!</?h[2-6]\b).)*</\1>)?\s*", re.DOTALL)


def _section_of(html: str, entry: SourceElement, entries: Sequence[SourceElement]) -> SourceElement:
    """The section of a list of which nothing is left: its heading would stand over nothing."""
    around = entry.parent
    section = around.parent if around is not None else None
    if around is None or section is None or section.name != "section" or not (around.whole and section.whole):
        return entry
    left = html[around.tag.end : around.content_end]
    for each in entries:
        if each.parent is around:
            left = left.replace(html[each.start : each.end], "", 1)
    beside = html[section.tag.end : around.start] + html[around.end : section.content_end]
    return section if not left.strip() and _ONLY_A_HEADING.fullmatch(beside) else entry


def _entry(html: str, element: SourceElement) -> SourceElement:
    """The link together with the list item or wrapper that holds nothing else."""
    around = element.parent
    while around is not None and around.whole and around.name in _WRAPPERS:
        beside = html[around.tag.end : element.start] + html[element.end : around.content_end]
        if beside.strip():
            break
        element, around = around, around.parent
    return element


def _holds(outer: SourceElement, inner: SourceElement) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _without_address(html: str, element: SourceElement) -> Edit:
    found = element.tag.attribute(_ADDRESSES[element.name])
    if found is None:
        raise AssertionError("only elements with an address are emptied")
    return without_attribute(html, found)


def _called(element: SourceElement) -> str:
    """What people call the link: its label, else its words, else its tag."""
    words = (element.tag.value("aria-label") or element.node.text(deep=True, separator=" ")).split()
    return " ".join(words)[:MAXIMUM_WORDS] or f"<{element.name}>"


def _ways_to(html: str, slug: str) -> Iterator[str]:
    """Where the page leads to the other one: links of the source, and what its scripts write and open."""
    for link in collect_links(html):
        if link.slug == slug:
            yield f"a link to {link.href}"
    for script in collect_scripts(LexborHTMLParser(html)):
        for way in facts_of(script.text, script.kind).navigations:
            if slug_of(way.address) == slug:
                yield f"a script that opens {way.address}"

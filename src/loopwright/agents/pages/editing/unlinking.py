"""Taking the links to a page out of another page, when the page that they lead to is to go."""

from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance.javascript import collect_scripts, facts_of
from loopwright.agents.pages.compliance.links import collect_links, slug_of
from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.editing.applying import whole_lines, without_attribute
from loopwright.agents.pages.editing.marking import Unmappable
from loopwright.agents.pages.editing.regions import Revision
from loopwright.agents.pages.editing.source_map import SourceElement, SourceMap
from loopwright.agents.pages.editing.verifier import Preservation, prove

_LANDMARKS = frozenset({"nav", "header", "footer"})
_ROLES = frozenset({"navigation", "banner", "contentinfo", "tablist", "menu", "menubar"})
_WRAPPERS = frozenset({"li", "div", "span"})
_ADDRESSES = {"a": "href", "area": "href", "form": "action"}

MAXIMUM_WORDS = 80
"""Characters of a link's words that are told."""


@dataclass(frozen=True, slots=True)
class Unlinked:
    """A page without its links to another one.

    `removed` are the links that were taken out, by their words: entries of a navigation, a page's head or foot.
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

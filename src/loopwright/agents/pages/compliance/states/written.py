"""What scripts write into a page, put where they write it, one example of each variant."""

from collections.abc import Mapping
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from loopwright.agents.pages.compliance.javascript.markup import written_markup
from loopwright.agents.pages.compliance.javascript.values import UNKNOWN
from loopwright.agents.pages.compliance.javascript.variants import MAXIMUM_VARIANTS
from loopwright.agents.pages.compliance.page import Page

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

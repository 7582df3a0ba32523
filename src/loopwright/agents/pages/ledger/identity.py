"""By what an element can be recognised in later versions of its page: names, not places."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.ledger.app_pages import find, normalised, seen_text
from loopwright.agents.pages.ledger.relation import singular

NAMED_BY_TEXT = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "button", "summary", "label", "legend", "th"})
"""Elements that people call by what they say."""

FIELDS = frozenset({"input", "select", "textarea", "form", "output", "meter", "progress"})
MAX_TEXT = 80
"""Characters of words by which an element is recognised; longer ones are content, no name."""

_PLAIN = re.compile(r"[A-Za-z_][\w-]{0,60}")
_DRAWING = frozenset({"path", "g", "circle", "rect", "defs", "stop", "line", "ellipse", "polygon", "use", "symbol"})


@dataclass(frozen=True, slots=True)
class Name:
    """One way to recognise an element: a selector, and the words that it must contain where it is known by them."""

    selector: str
    text: str | None = None


def names_of(node: LexborNode) -> Iterator[Name]:
    """The names of an element, the most lasting first; none for one that only its place tells apart."""
    tag, attributes = node.tag or "*", node.attributes
    if tag in _DRAWING or (node.parent is not None and node.parent.tag == "defs"):
        return
    identifier = attributes.get("id") or ""
    if _PLAIN.fullmatch(identifier):
        yield Name(f"#{identifier}")
    hooks = [name for name in attributes if name.startswith("data-") and _PLAIN.fullmatch(name)]
    for hook in hooks:
        yield Name(f"[{hook}]")
    if tag in FIELDS and (name := attributes.get("name")) and _quotable(name):
        yield Name(f'{tag}[name="{name}"]')
    if (label := attributes.get("aria-label")) and _quotable(label):
        yield Name(f'{tag}[aria-label="{label}"]')
    if tag == "img" and (alt := attributes.get("alt")) and _quotable(alt):
        yield Name(f'img[alt="{alt}"]')
    if tag in NAMED_BY_TEXT and 0 < len(words := seen_text(node)) <= MAX_TEXT:
        yield Name(tag, words)
    for hook in hooks:
        value = attributes.get(hook)
        if value and _quotable(value):
            yield Name(f'[{hook}="{value}"]')


def class_names_of(node: LexborNode) -> list[str]:
    """The classes of an element that can stand in a selector."""
    return [name for name in (node.attributes.get("class") or "").split() if _PLAIN.fullmatch(name)]


def element_names(selector: str) -> list[frozenset[str]]:
    """The names by which the last compound of a selector calls its element, each as the words that it is made of.

    None for a selector that leads to several things, or to one by its place: `.cart .badge` is not called cart.
    """
    last = re.split(r"[\s>+~]+", selector.strip())[-1]
    if "," in selector or ":" in last:
        return []
    marks = re.findall(r"(?:^|[.#])([A-Za-z][\w-]*)|\[(?:data-)?([\w-]+)(?:=[^\]]*)?\]", last)
    return [
        frozenset(singular(word) for word in re.split(r"[-_]+", (one or two).lower()) if word) for one, two in marks
    ]


def lasting_selector(node: LexborNode, document: LexborHTMLParser) -> str | None:
    """A selector that recognises the element later: by a name, else by its tag with its first classes."""
    for name in names_of(node):
        if name.text is None and len(find(document, name.selector)) == 1:
            return name.selector
    classes = class_names_of(node)
    if classes:
        return f"{node.tag}.{classes[0]}"
    return node.tag if node.tag in ("h1", "header", "footer", "main", "nav", "body") else None


def known_names(document: LexborHTMLParser) -> dict[Name, list[LexborNode]]:
    """All names of a page with the elements that bear them, in document order; words are compared without case."""
    found: dict[Name, list[LexborNode]] = defaultdict(list)
    for node in find(document, "*"):
        for name in names_of(node):
            found[comparable(name)].append(node)
    return found


def comparable(name: Name) -> Name:
    """The name as it is compared with others."""
    return name if name.text is None else Name(name.selector, normalised(name.text))


def _quotable(value: str) -> bool:
    return 0 < len(value) <= MAX_TEXT and not any(sign in value for sign in '"\\\n]')

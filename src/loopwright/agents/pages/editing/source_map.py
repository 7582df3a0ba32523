"""Which span of the source each element of a page is, as the parser decides it."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from loopwright.agents.pages.compliance.markup import RAW_TEXT_ELEMENTS, Token
from loopwright.agents.pages.editing.regions import VOID, Marked, Placed, Unmappable, has_mark_behind, mark, walk

MAXIMUM_SELECTOR = 300
"""Characters of a selector; longer ones are refused before they are matched."""

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


class BadSelector(ValueError):
    """The text is no CSS selector that can be matched; the message says why."""


@dataclass(frozen=True, slots=True)
class SourceElement:
    """An element with its span, `html[tag.start:end]`; its content is `html[tag.end:content_end]`.

    An element without an end tag in the source ends where the parser closes it; then `end` is `content_end`.
    """

    tag: Token
    content_end: int
    end: int
    parent: "SourceElement | None"
    """The nearest enclosing element that has a start tag in the source."""
    implied: tuple[str, ...]
    """Names of the elements between `parent` and this one that the parser added, from the outside in."""
    fingerprint: bytes
    """Digest of the subtree: names, attributes, texts, comments and children in order."""
    whole: bool
    """False when the parser tore the element apart, so that it is no single span of the source."""
    node: LexborNode

    @property
    def name(self) -> str:
        """The tag's name in lower case."""
        return self.tag.name

    @property
    def start(self) -> int:
        """Where its start tag begins."""
        return self.tag.start

    @property
    def has_end_tag(self) -> bool:
        """Whether the source closes it."""
        return self.end > self.content_end

    @property
    def has_content(self) -> bool:
        """Whether something can stand in it: it is no void element."""
        return self.has_end_tag or self.content_end > self.tag.end or self.name not in VOID


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text or comment that says something, and the element it stands in."""

    token: Token
    parent: SourceElement | None
    implied: tuple[str, ...]


class SourceMap:
    """One version of a page: its source, its elements and their spans."""

    def __init__(self, html: str) -> None:
        """Parse the page.

        Raises:
            Unmappable: the markup leaves open what belongs to what.
        """
        self.html = html
        self._marked = mark(html)
        self._placed = walk(self._marked)
        places = _places(self._marked, self._placed)
        spans = _Spans(html, self._marked.tokens, places)
        self.elements: tuple[SourceElement, ...] = _elements(self._placed, self._marked, spans)
        self._by_start = {element.tag.start: element for element in self.elements}
        self._places = places

    @property
    def document(self) -> LexborHTMLParser:
        """The parsed page, with its marks."""
        return self._marked.document

    @property
    def mark_name(self) -> str:
        """The attribute by which the marks are known; no attribute of the page itself."""
        return self._marked.attribute

    def at(self, start: int) -> SourceElement | None:
        """The element whose start tag begins at this position."""
        return self._by_start.get(start)

    def of(self, node: LexborNode) -> SourceElement | None:
        """The source of a node of `document`; None for elements that the parser implied."""
        number = node.attributes.get(self.mark_name)
        return self.at(self._marked.tokens[int(number)].start) if number is not None else None

    def first(self, *names: str) -> SourceElement | None:
        """The first element with one of these tag names."""
        return next((element for element in self.elements if element.name in names), None)

    def select(self, selector: str) -> list[SourceElement]:
        """The elements that a CSS selector finds, in document order.

        Raises:
            BadSelector: the selector cannot be read, is too long, or finds what the source does not hold.
        """
        if len(selector) > MAXIMUM_SELECTOR:
            raise BadSelector(f"the selector has more than {MAXIMUM_SELECTOR} characters")
        try:
            nodes = self.document.css(selector)
        except SelectolaxError as error:
            raise BadSelector(f"{selector!r} is no CSS selector") from error
        found = {node.mem_id: self.of(node) for node in nodes}
        if any(element is None for element in found.values()):
            raise BadSelector(f"{selector!r} finds an element that has no tag in the page's source")
        return sorted((element for element in found.values() if element is not None), key=lambda each: each.start)

    @cached_property
    def texts(self) -> tuple[SourceText, ...]:
        """Texts and comments that are more than blanks; the text of scripts, styles and titles is their elements'."""
        found: list[SourceText] = []
        for number, token in enumerate(self._marked.tokens):
            plain = token.kind == "comment" or (token.kind == "text" and not token.name)
            if plain and number in self._places and self.html[token.start : token.end].strip():
                parent, implied = _enclosing(self._places[number])
                source = None if parent is None else self.at(self._marked.tokens[parent].start)
                found.append(SourceText(token, source, implied))
        return tuple(found)


def _places(marked: Marked, placed: Iterable[Placed]) -> dict[int, Placed | None]:
    """By token, the node in which its mark lies: the innermost element that is open behind the token."""
    found: dict[int, Placed | None] = {}
    for each in placed:
        if not each.node.is_comment_node:
            continue
        content = each.node.comment_content or ""
        if content.startswith(marked.attribute):
            number = int(content[len(marked.attribute) :])
            if number in found:
                raise Unmappable(f"the parser reads the part at character {marked.tokens[number].start:,} twice")
            found[number] = each.parent
    for number, token in enumerate(marked.tokens):
        if number not in found and has_mark_behind(marked.tokens, number):
            raise Unmappable(f"the markup at character {token.start:,} is part of a text, a script or a comment")
    return found


def _enclosing(place: Placed | None) -> tuple[int | None, tuple[str, ...]]:
    """The number of the nearest element with a start tag, and the names of the implied ones on the way."""
    implied: list[str] = []
    while place is not None and place.number is None:
        implied.append(place.node.tag or "")
        place = place.parent
    return (None if place is None else place.number), tuple(reversed(implied))


class _Spans:
    """Where each element's content and the whole of it end, by the number of its start tag."""

    def __init__(self, html: str, tokens: Sequence[Token], places: dict[int, Placed | None]) -> None:
        self.tokens = tokens
        self.ends: dict[int, tuple[int, int]] = {}
        self.torn: set[int] = set()
        self._opened: set[int] = set()
        limit = tokens[-1].start if tokens and tokens[-1].kind == "unfinished" else len(html)
        open_now: list[int] = []
        for number in sorted(places):
            chain = _numbers(places[number])
            kept = set(chain)
            for element in reversed(open_now):
                if element not in kept:
                    self._close(element, number)
            before = set(open_now)
            for element in chain:
                if element not in before:
                    if element in self._opened:
                        self.torn.add(element)
                    self._opened.add(element)
            open_now = chain
        for element in open_now:
            self.ends[element] = (limit, limit)

    def _close(self, element: int, number: int) -> None:
        tag, closer = self.tokens[element], self.tokens[number]
        own = closer.kind == "end" and (closer.name == tag.name or (closer.name in _HEADINGS and tag.name in _HEADINGS))
        self.ends[element] = (closer.start, closer.end if own else closer.start)

    def of(self, element: int) -> tuple[int, int]:
        """The end of the content and the end of an element."""
        if element in self.ends:
            return self.ends[element]
        tag = self.tokens[element]
        if tag.name not in RAW_TEXT_ELEMENTS:
            return tag.end, tag.end
        following = self.tokens[element + 1 : element + 3]
        content_end = tag.end
        if following and following[0].kind == "text" and following[0].name == tag.name:
            content_end = following[0].end
            following = following[1:]
        if following and following[0].kind == "end" and following[0].name == tag.name:
            return following[0].start, following[0].end
        return content_end, content_end


def _numbers(place: Placed | None) -> list[int]:
    """The start tags of the open elements, from the outside in."""
    found: list[int] = []
    while place is not None:
        if place.number is not None:
            found.append(place.number)
        place = place.parent
    return found[::-1]


def _elements(placed: Sequence[Placed], marked: Marked, spans: _Spans) -> tuple[SourceElement, ...]:
    prints = _fingerprints(placed, marked.attribute)
    found: dict[int, SourceElement] = {}
    for each in placed:
        if each.number is None:
            continue
        if each.number in found:  # the parser made several elements of one tag: misnested formatting
            spans.torn.add(each.number)
            continue
        parent, implied = _enclosing(each.parent)
        content_end, end = spans.of(each.number)
        found[each.number] = SourceElement(
            tag=marked.tokens[each.number],
            content_end=content_end,
            end=end,
            parent=None if parent is None else found[parent],
            implied=implied,
            fingerprint=prints[id(each)],
            whole=True,
            node=each.node,
        )
    ordered = sorted(found)
    return tuple(found[number] if number not in spans.torn else _torn(found[number]) for number in ordered)


def _torn(element: SourceElement) -> SourceElement:
    return SourceElement(
        element.tag, element.content_end, element.end, element.parent, element.implied, element.fingerprint, False,
        element.node,
    )  # fmt: skip


def _fingerprints(placed: Sequence[Placed], mark_name: str) -> dict[int, bytes]:
    """The digest of each node's subtree. Marks are left out, and a text that a mark divides counts as one."""
    parts: dict[int, list[bytes]] = {id(each): [] for each in placed}
    texts: dict[int, list[str]] = {}
    done: dict[int, bytes] = {}
    for each in reversed(placed):  # children before their parents, the last child first
        node, owner = each.node, 0 if each.parent is None else id(each.parent)
        if node.is_text_node:
            texts.setdefault(owner, []).append(node.text_content or "")
            continue
        if node.is_comment_node and (node.comment_content or "").startswith(mark_name):
            continue
        if node.is_element_node or node.is_document_node:
            _flush(texts, parts, id(each))
            digest = _digest(node, parts[id(each)], mark_name)
        else:
            digest = hashlib.sha256(b"comment\0" + (node.html or "").encode()).digest()
        done[id(each)] = digest
        if owner:
            _flush(texts, parts, owner)
            parts[owner].append(digest)
    return done


def _flush(texts: dict[int, list[str]], parts: dict[int, list[bytes]], owner: int) -> None:
    """Turn the texts gathered since the last element into one part."""
    if pieces := texts.pop(owner, None):
        parts[owner].append(b"text\0" + "".join(reversed(pieces)).encode())


def _digest(node: LexborNode, parts: Sequence[bytes], mark_name: str) -> bytes:
    digest = hashlib.sha256((node.tag or "").encode())
    for name, value in sorted(node.attributes.items()):
        if name != mark_name:
            digest.update(b"\0attribute\0" + name.encode() + b"\0" + (value or "").encode())
    for part in reversed(parts):
        digest.update(b"\0child\0" + str(len(part)).encode() + b"\0" + part)
    return digest.digest()


# Selectors that lead to one element, short enough to be read by people and models.

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

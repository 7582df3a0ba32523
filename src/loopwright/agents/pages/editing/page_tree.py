"""A page as a tree of what means something, and two such trees side by side.

Blanks, quotes, the order of attributes and comments are left out, so that parts are equal where they mean the same.
"""

import html as html_entities
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from loopwright.agents.pages.compliance.markup import Token
from loopwright.agents.pages.editing.source_map import SourceElement, SourceMap

MAXIMUM_CHILDREN = 1_500
"""Children of one element up to which two versions are aligned; the alignment takes quadratic time."""

_BLANKS = re.compile(r"[ \t\n\f\r]+")


class TooManyParts(ValueError):
    """An element has more children than can be aligned."""


@dataclass(slots=True)
class Part:
    """An element or a text in a tree that leaves out what means nothing; `key` is equal where the meaning is."""

    start: int
    end: int
    element: SourceElement | None = None
    children: list["Part"] = field(default_factory=list)
    key: tuple[object, ...] = ()

    @property
    def likeness(self) -> str:
        """Parts of the same likeness may be versions of each other."""
        if self.element is None:
            return "text"
        name = self.element.tag.value("id") or (self.element.tag.value("class") or "").partition(" ")[0]
        return f"{self.element.name} {name}"


def tree_of(source: SourceMap) -> Part:
    """The page's elements and texts as a tree under one root."""
    root = Part(0, len(source.html))
    parts: dict[int, Part] = {}
    texts = [text for text in source.texts if text.token.kind == "text"]
    items: list[tuple[int, SourceElement | None, Token, SourceElement | None]] = [
        *((e.start, e, e.tag, e.parent) for e in source.elements),
        *((t.token.start, None, t.token, t.parent) for t in texts),
    ]
    for start, element, token, parent in sorted(items, key=lambda item: item[0]):
        owner = root if parent is None else parts[parent.start]
        if element is not None and element.name == "tbody" and not element.tag.attributes:
            parts[start] = owner  # written or implied, it is the same table
            continue
        part = Part(start, token.end if element is None else element.end, element)
        if element is not None:
            parts[start] = part
        owner.children.append(part)
    for part in reversed([*all_parts(root)]):  # children before their parents
        part.key = _key(source.html, part)
    return root


def all_parts(root: Part) -> Iterator[Part]:
    """The part and all in it, in document order."""
    stack = [root]
    while stack:
        part = stack.pop()
        yield part
        stack += reversed(part.children)


def _key(html: str, part: Part) -> tuple[object, ...]:
    element = part.element
    if element is None and not part.children and part.end - part.start < len(html):
        return ("text", _BLANKS.sub(" ", html_entities.unescape(html[part.start : part.end])).strip())
    inner = tuple(hash(child.key) for child in part.children)
    if element is None:
        return ("page", inner)
    code = ""
    if not part.children:
        code = "\n".join(line.strip() for line in html[element.tag.end : element.content_end].split("\n")).strip()
    implied = tuple(name for name in element.implied if name != "tbody")
    return (element.name, implied, attributes_of(element.tag), code, inner)


def attributes_of(tag: Token) -> tuple[tuple[str, object], ...]:
    """The attributes by name; of the class, the names in it."""
    values: dict[str, object] = {}
    for attribute in tag.attributes:
        value: object = tuple(sorted(attribute.value.split())) if attribute.name == "class" else attribute.value.strip()
        values.setdefault(attribute.name, value)
    return tuple(sorted(values.items(), key=lambda pair: pair[0]))


def align(old: Sequence[Part], new: Sequence[Part]) -> list[tuple[Part | None, Part | None]]:
    """Children of two versions of an element side by side, in order; None where one has no counterpart.

    Equal parts are paired first, then those between them that are like each other.

    Raises:
        TooManyParts: one side is too long.
    """
    if max(len(old), len(new)) > MAXIMUM_CHILDREN:
        raise TooManyParts(f"an element has more than {MAXIMUM_CHILDREN:,} children")
    found: list[tuple[Part | None, Part | None]] = []
    for is_equal, ours, theirs in _runs(old, new, [hash(p.key) for p in old], [hash(p.key) for p in new]):
        if is_equal:
            found += zip(ours, theirs, strict=True)
            continue
        for is_alike, one, other in _runs(ours, theirs, [p.likeness for p in ours], [p.likeness for p in theirs]):
            if is_alike:
                found += zip(one, other, strict=True)
            else:
                found += [*((part, None) for part in one), *((None, part) for part in other)]
    return found


def _runs(
    old: Sequence[Part], new: Sequence[Part], keys: Sequence[object], new_keys: Sequence[object]
) -> Iterator[tuple[bool, Sequence[Part], Sequence[Part]]]:
    for kind, i, j, k, m in SequenceMatcher(None, keys, new_keys, autojunk=False).get_opcodes():
        yield kind == "equal", old[i:j], new[k:m]

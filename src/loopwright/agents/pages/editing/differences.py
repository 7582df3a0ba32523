"""What is different between two versions of a page: the source as a unified diff, and the elements that differ."""

import difflib
import html as html_entities
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import SequenceMatcher
from typing import Literal, TypedDict

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.compliance.markup import Token
from loopwright.agents.pages.editing.source_map import Names, SourceElement, SourceMap
from loopwright.agents.pages.ports import PageVersionRow

# The changes of a page in order, folded from its versions: what can be undone, and what redone.


class _State(TypedDict):
    version: int
    at: datetime
    deleted: bool


@dataclass(frozen=True, slots=True)
class Change:
    """What one run, or one act of the user, did to a page; `version` is what the page was after it."""

    group: str
    version: int
    at: datetime
    deleted: bool
    """Whether there was no page after it."""
    calls: tuple[tuple[str, str], ...]
    """Run and call of each version of it that a tool made."""
    versions: tuple[int, ...]
    """The numbers of its versions."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The page's changes, oldest first, and which of them is the newest that counts; -1 when none does any more."""

    changes: tuple[Change, ...]
    position: int

    @property
    def current(self) -> Change | None:
        """The change that an undo would take back."""
        return self.changes[self.position] if self.position >= 0 else None

    @property
    def before(self) -> Change | None:
        """The change to whose state an undo leads; None when the page began with the current one."""
        return self.changes[self.position - 1] if self.position > 0 else None

    @property
    def after(self) -> Change | None:
        """The change that a redo would bring again."""
        return self.changes[self.position + 1] if self.position + 1 < len(self.changes) else None


def fold(versions: Iterable[PageVersionRow]) -> Timeline:
    """The timeline of a page's versions, which may come in any order."""
    changes: list[Change] = []
    position = -1
    for version in sorted(versions, key=lambda each: each.version):
        if version.source == "undo":
            position = max(-1, position - 1)
        elif version.source == "redo":
            position = min(len(changes) - 1, position + 1)
        else:
            calls = ((version.run_id, version.call_id),) if version.run_id and version.call_id else ()
            group = _group(version)
            del changes[position + 1 :]
            if changes and changes[-1].group == group:
                last = changes[-1]
                changes[-1] = replace(
                    last, calls=(*last.calls, *calls), versions=(*last.versions, version.version), **_state(version)
                )
            else:
                changes.append(Change(group=group, calls=calls, versions=(version.version,), **_state(version)))
            position = len(changes) - 1
    return Timeline(tuple(changes), position)


def _group(version: PageVersionRow) -> str:
    """What belongs together: what one run did, or one act of the user; work by hand stands alone."""
    if version.source != "manual" and version.run_id is not None:
        return f"run {version.run_id}"
    if version.source != "manual" and version.call_id is not None:
        return f"act {version.call_id}"
    return f"{version.slug} version {version.version}"


def _state(version: PageVersionRow) -> _State:
    return {"version": version.version, "at": version.created_at, "deleted": version.deleted}


# A page as a tree of what means something, and two such trees side by side.

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


MAXIMUM_EXCERPT = 120
"""Characters of a text that are shown of it."""

Kind = Literal["added", "removed", "moved", "changed"]


class ElementChange(BaseModel):
    """One element that differs.

    `selector` finds it in the new version, or in the old one where it was removed. `text` is what it says, or said;
    `attributes` are those that differ, with their old and new values; `words` the old and new text of a changed one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    selector: str
    text: str = ""
    attributes: dict[str, tuple[str | None, str | None]] = {}
    words: tuple[str, str] | None = None


class PageDifference(BaseModel):
    """Two versions of a page side by side; `lines` is the unified diff of their sources."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str
    old: str
    new: str
    elements: tuple[ElementChange, ...]
    lines: tuple[str, ...]

    @property
    def counts(self) -> dict[Kind, int]:
        """How many elements were added, removed, moved and changed."""
        found: dict[Kind, int] = {"added": 0, "removed": 0, "moved": 0, "changed": 0}
        for change in self.elements:
            found[change.kind] += 1
        return found


def difference(slug: str, before: str, after: str, *, old: str, new: str) -> PageDifference:
    """Compare two versions; `old` and `new` are what they are called.

    Raises:
        Unmappable: one of the versions has markup that leaves open what belongs to what.
        TooManyParts: an element has too many children to be compared.
    """
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"{slug}.html ({old})", f"{slug}.html ({new})", lineterm=""
    )
    changes = () if before == after else tuple(_told_moves(_Comparison(before, after).changes()))
    return PageDifference(slug=slug, old=old, new=new, elements=changes, lines=tuple(lines))


class _Comparison:
    """The trees of two versions."""

    def __init__(self, before: str, after: str) -> None:
        self.old, self.new = SourceMap(before), SourceMap(after)
        self.old_names, self.new_names = Names(self.old), Names(self.new)

    def changes(self) -> list[tuple[ElementChange, tuple[object, ...]]]:
        """The changes in document order, each with the key of what it is about."""
        found: list[tuple[ElementChange, tuple[object, ...]]] = []
        stack: list[tuple[Part | None, Part | None]] = [(tree_of(self.old), tree_of(self.new))]
        while stack:
            one, other = stack.pop()
            if one is not None and other is not None:
                if one.key != other.key:
                    found += ((change, ()) for change in self._own_change(one, other))
                    stack += reversed(self._children(one, other))
            elif other is not None and other.element is not None:
                text = _excerpt(self.new, other)
                change = ElementChange(kind="added", selector=self.new_names.of(other.element), text=text)
                found.append((change, other.key))
            elif one is not None and one.element is not None:
                text = _excerpt(self.old, one)
                change = ElementChange(kind="removed", selector=self.old_names.of(one.element), text=text)
                found.append((change, one.key))
        return found

    @staticmethod
    def _children(one: Part, other: Part) -> list[tuple[Part | None, Part | None]]:
        return align(one.children, other.children)

    def _own_change(self, one: Part, other: Part) -> Iterator[ElementChange]:
        """What differs in an element itself: its attributes, its direct text, its code."""
        old, new = one.element, other.element
        if old is None or new is None:
            return
        before, after = dict(attributes_of(old.tag)), dict(attributes_of(new.tag))
        attributes = {
            name: (old.tag.value(name), new.tag.value(name))
            for name in sorted({*before, *after})
            if before.get(name) != after.get(name)
        }
        words = self._direct_text(self.old, one, old), self._direct_text(self.new, other, new)
        if attributes or words[0] != words[1]:
            told = (_cut(words[0]), _cut(words[1])) if words[0] != words[1] else None
            yield ElementChange(kind="changed", selector=self.new_names.of(new), attributes=attributes, words=told)

    @staticmethod
    def _direct_text(source: SourceMap, part: Part, element: SourceElement) -> str:
        if not part.children:
            return " ".join(source.html[element.tag.end : element.content_end].split())
        texts = (source.html[child.start : child.end] for child in part.children if child.element is None)
        return " ".join(" ".join(texts).split())


def _told_moves(changes: list[tuple[ElementChange, tuple[object, ...]]]) -> Iterator[ElementChange]:
    """The changes; an element that went here and came there unchanged is told once, as moved."""
    gone = {key for change, key in changes if change.kind == "removed"}
    come = {key for change, key in changes if change.kind == "added"}
    for change, key in changes:
        if key in gone & come and key:
            if change.kind == "added":
                yield change.model_copy(update={"kind": "moved"})
        else:
            yield change


def _excerpt(source: SourceMap, part: Part) -> str:
    """The words of an element, without those of scripts and styles."""
    words: list[str] = []
    stack = [part]
    while stack and len(" ".join(words)) < MAXIMUM_EXCERPT:
        each = stack.pop()
        if each.element is None:
            words.append(" ".join(source.html[each.start : each.end].split()))
        stack += reversed(each.children)
    return _cut(" ".join(words))


def _cut(text: str) -> str:
    return text if len(text) <= MAXIMUM_EXCERPT else text[: MAXIMUM_EXCERPT - 2].rstrip() + " …"

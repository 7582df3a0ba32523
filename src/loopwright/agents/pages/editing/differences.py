"""What is different between two versions of a page: the source as a unified diff, and the elements that differ."""

import difflib
from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.editing.naming import Names
from loopwright.agents.pages.editing.page_tree import Part, align, attributes_of, tree_of
from loopwright.agents.pages.editing.source_map import SourceElement, SourceMap

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

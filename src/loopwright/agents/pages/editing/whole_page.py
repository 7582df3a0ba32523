"""From a whole page that a model sent to the smallest edit that gives the same page.

Models that are asked for an edit like to send the page again, with other blanks, quotes and attribute orders.  What
means the same is left as it stands in the old source; only what differs is taken from the new one.
"""

from dataclasses import dataclass

from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.editing.marking import Unmappable
from loopwright.agents.pages.editing.naming import Names
from loopwright.agents.pages.editing.page_tree import Part, TooManyParts, align, all_parts, attributes_of, tree_of
from loopwright.agents.pages.editing.regions import Revision
from loopwright.agents.pages.editing.source_map import SourceElement, SourceMap

OWN_HEAD = frozenset({"style", "script", "title"})
"""What a model may change in a page's head; the rest of it is the house's: charset, viewport, design system."""


@dataclass(frozen=True, slots=True)
class Derived:
    """The edit that leads to a whole page; `removed` names the elements that the page lacks and nothing stands for."""

    revision: Revision
    removed: tuple[str, ...]


def edit_towards(before: str, wanted: str) -> Derived | None:
    """The old page with what differs in the wanted one; None when no edit of single elements leads there.

    Raises:
        Unmappable: one of the pages has markup that leaves open what belongs to what.
    """
    old, new = SourceMap(before), SourceMap(wanted)
    if any(not element.whole for element in (*old.elements, *new.elements)):
        return None
    alignment = _Alignment(old, new)
    try:
        revision = Revision.of(before).spliced(alignment.edits())
        reached = tree_of(SourceMap(revision.after))
    except (TooManyParts, Unmappable):
        return None
    if _body_keys(reached) != _body_keys(tree_of(new)):
        return None
    names = Names(old)
    return Derived(revision, tuple(names.of(element) for element in alignment.removed))


def _body_keys(root: Part) -> list[tuple[object, ...]]:
    """The meanings of what the model may change: everything outside the head, and its own elements in it."""
    found = []
    for part in all_parts(root):
        element = part.element
        if element is None or element.name in ("html", "head"):
            continue
        in_head = element.parent is not None and element.parent.name == "head"
        if element.name == "body" or (in_head and element.name in OWN_HEAD):
            found.append(part.key)
    return found


class _Alignment:
    """The edits that lead from one page to another."""

    def __init__(self, old: SourceMap, new: SourceMap) -> None:
        self.old = old
        self.new = new
        self.found: list[Edit] = []
        self.removed: list[SourceElement] = []

    def edits(self) -> list[Edit]:
        """The edits.

        Raises:
            TooManyParts: too much would have to be compared.
        """
        pairs = [(tree_of(self.old), tree_of(self.new))]
        while pairs:
            pairs += self._compare(*pairs.pop())
        return self.found

    def _compare(self, old: Part, new: Part) -> list[tuple[Part, Part]]:
        """Take over what differs in the parts themselves; gives the children that have to be compared in turn."""
        if old.key == new.key:
            return []
        one, other = old.element, new.element
        if one is not None and other is not None:
            if attributes_of(one.tag) != attributes_of(other.tag) and one.name not in ("html", "head"):
                self._replace(one.start, one.tag.end, other.start, other.tag.end)
            if not old.children and not new.children:
                self._replace(one.tag.end, one.content_end, other.tag.end, other.content_end)
                return []
        elif not old.children and not new.children:
            self._replace_text(old, new)
            return []
        return self._children(old, new)

    def _children(self, old: Part, new: Part) -> list[tuple[Part, Part]]:
        in_head = old.element is not None and old.element.name == "head"
        place = old.start if old.element is None else old.element.tag.end
        pairs = []
        for one, other in align(old.children, new.children):
            mine = not in_head or all(part is None or _name(part) in OWN_HEAD for part in (one, other))
            if one is not None and other is not None:
                pairs += [(one, other)] if mine else []
            elif one is not None and mine:
                self.found.append(Edit(one.start, one.end, ""))
                self.removed += [one.element] if one.element is not None else []
            elif other is not None and mine:
                text = self._own_line(place, self.new.html[other.start : other.end])
                self.found.append(Edit(place, place, text))
            place = one.end if one is not None else place
        return pairs

    def _replace(self, start: int, end: int, new_start: int, new_end: int) -> None:
        self.found.append(Edit(start, end, self.new.html[new_start:new_end]))

    def _replace_text(self, old: Part, new: Part) -> None:
        """The words change, the blanks around them stay."""
        text, wanted = self.old.html[old.start : old.end], self.new.html[new.start : new.end].strip()
        first = old.start + len(text) - len(text.lstrip())
        self.found.append(Edit(first, first + len(text.strip()), wanted))

    def _own_line(self, at: int, text: str) -> str:
        """A newcomer on a line of its own, where its neighbours stand so."""
        starts_line = self.old.html[at : at + 1] in ("\n", "\r")
        return f"\n{text}" if starts_line else text


def _name(part: Part) -> str:
    return "" if part.element is None else part.element.name

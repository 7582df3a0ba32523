"""The proof that an edit left alone what it did not name.

Both versions are parsed.  Outside the regions that the edit declares, the source must be the same byte for byte; every
element and text there must be read by the parser exactly as before: the same subtree (by fingerprint), in the same
element, closed by the same tag.  And nothing else may appear there.  So a tag that is never closed is found even where
every byte around it is unchanged: the elements behind it stand in another parent then.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.agents.pages.compliance.markup import RAW_TEXT_ELEMENTS
from loopwright.agents.pages.editing.regions import Ground, Region, Revision, Unmappable, sharpened
from loopwright.agents.pages.editing.source_map import Names, SourceElement, SourceMap, SourceText

MAXIMUM_NAMED = 200
"""Changed elements, and damages, that are named."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Something outside the declared regions that is not as it was; `selector` is that of the old page."""

    selector: str
    what: str


@dataclass(frozen=True, slots=True)
class Preservation:
    """What a proven edit left alone.

    `subtrees` are the elements of the old page, `outside` those with nothing of the edit in them, `untouched` those of
    them that were found again unchanged and at their place. `changed` names the innermost elements that it touched.
    """

    subtrees: int
    outside: int
    untouched: int
    changed: tuple[str, ...]
    regions: tuple[Region, ...]

    @property
    def share(self) -> float:
        """Which share of the subtrees outside the edit is preserved; an edit with less than all is never saved."""
        return self.untouched / self.outside if self.outside else 1.0

    def as_line(self) -> str:
        """The proof for people and models."""
        return (
            f"Preserved: {self.untouched} of {self.subtrees} subtrees untouched, {self.share:.0%} of those outside the "
            "edit are as they were."
        )

    def as_artifact(self) -> dict[str, object]:
        """The proof as JSON data."""
        return {
            "subtrees": self.subtrees,
            "outside": self.outside,
            "untouched": self.untouched,
            "share": self.share,
            "changed": list(self.changed),
        }


def prove(revision: Revision) -> Preservation | tuple[Damage, ...]:
    """What the edit provably left alone, or what it damaged outside its regions.

    The regions are tried as sharp as possible first, because they prove more; the claim that must hold is the edit's.

    Raises:
        Unmappable: one of the versions has markup that leaves open what belongs to what.
    """
    before = SourceMap(revision.before)
    try:
        after = SourceMap(revision.after)
    except Unmappable as error:
        return (Damage("html", f"the page can no longer be taken apart: {error}"),)
    damages: tuple[Damage, ...] = ()
    for regions in (sharpened(revision), revision.regions):
        comparison = _Comparison(before, after, Ground(regions))
        damages = comparison.damages()
        if not damages:
            return comparison.preservation()
    return damages


class _Comparison:
    """Two versions of a page, seen from what lies outside the regions."""

    def __init__(self, before: SourceMap, after: SourceMap, ground: Ground) -> None:
        self.before = before
        self.after = after
        self.ground = ground
        self.names = Names(before)
        self.found: list[Damage] = []
        self.outside = 0
        self.untouched = 0

    def damages(self) -> tuple[Damage, ...]:
        if not self._same_bytes():
            return (Damage("html", "text outside the edit is not what it was"),)
        if not _doctype_kept(self.before.html, self.after.html):
            self.found.append(Damage("html", "the doctype is gone"))
        for element in self.before.elements:
            self._check_element(element)
        self._check_texts()
        self._check_newcomers()
        return tuple(self.found[:MAXIMUM_NAMED])

    def preservation(self) -> Preservation:
        changed = dict.fromkeys(name for region in self.ground.regions for name in self._names_of(region))
        return Preservation(
            len(self.before.elements),
            self.outside,
            self.untouched,
            tuple(changed)[:MAXIMUM_NAMED],
            self.ground.regions,
        )

    def _same_bytes(self) -> bool:
        position, new_position = 0, 0
        for region in self.ground.regions:
            if not (position <= region.start <= region.end and new_position <= region.new_start <= region.new_end):
                return False
            if self.before.html[position : region.start] != self.after.html[new_position : region.new_start]:
                return False
            position, new_position = region.end, region.new_end
        return self.before.html[position:] == self.after.html[new_position:]

    def _check_element(self, element: SourceElement) -> None:
        counterpart = self.after.at(self.ground.start_now(element.start))
        same_name = counterpart is not None and counterpart.name == element.name
        if self.ground.touches(element.start, element.tag.end):
            # What begins within a region has no place of its own any more: another element may stand there by chance.
            if counterpart is not None and self.ground.touches(element.start, element.start + 1):
                same_name = same_name and self._same_region(element.start, element.tag.end, counterpart.start)
            self._check_rewritten_tag(element, counterpart if same_name else None)
            return
        is_outside = not self.ground.touches(element.start, element.end)
        self.outside += is_outside
        if counterpart is None or not same_name:
            self._damage(element, "is no longer an element of the page")
        elif not self._same_parent(element.parent, counterpart.parent) or element.implied != counterpart.implied:
            self._damage(element, f"now stands in {_told(counterpart.parent)} instead of {_told(element.parent)}")
        elif element.whole and not counterpart.whole:
            self._damage(element, "is torn apart by tags that overlap")
        elif is_outside and self._same_subtree(element, counterpart):
            self.untouched += 1
        elif is_outside:
            self._damage(element, "is not what it was")
        elif not self._same_end(element, counterpart):
            self._damage(element, "now ends elsewhere: a tag in the edit is not closed, or is closed twice")
        elif _own_attributes(self.before, element) != _own_attributes(self.after, counterpart):
            self._damage(element, "has other attributes")

    def _check_rewritten_tag(self, element: SourceElement, counterpart: SourceElement | None) -> None:
        """An element whose start tag the edit changed: it may be another one now, but where it stays, it stays."""
        if counterpart is not None:
            if not self._same_parent(element.parent, counterpart.parent):
                self._damage(element, f"now stands in {_told(counterpart.parent)} instead of {_told(element.parent)}")
            elif not self._same_end(element, counterpart):
                self._damage(element, "now ends elsewhere: a tag in the edit is not closed, or is closed twice")
        elif element.name in RAW_TEXT_ELEMENTS and not self.ground.touches(element.tag.end, element.end):
            self._damage(element, "has lost its start tag, so that its text is markup now")

    def _same_subtree(self, element: SourceElement, counterpart: SourceElement) -> bool:
        same_place = counterpart.end == self.ground.end_now(element.end)
        return same_place and element.fingerprint == counterpart.fingerprint

    def _same_end(self, element: SourceElement, counterpart: SourceElement) -> bool:
        """Whether an element with changes in it is closed by the same end tag, where it has one outside the edit."""
        if not element.has_end_tag or self.ground.touches(element.content_end, element.end):
            return True
        return counterpart.end == self.ground.end_now(element.end)

    def _same_parent(self, parent: SourceElement | None, new: SourceElement | None) -> bool:
        if parent is None or new is None:
            return parent is new
        if not self.ground.touches(parent.start, parent.start + 1):
            return new.start == self.ground.start_now(parent.start)
        # The parent's own tag was rewritten: the new one must come from the same region and close where it closed.
        if not self._same_region(parent.start, parent.tag.end, new.start):
            return False
        if parent.has_end_tag and self.ground.touches(parent.content_end, parent.end):
            return self._same_region(parent.content_end, parent.end, new.end - 1)
        return new.end in (self.ground.end_now(parent.end), self.ground.start_now(parent.end))

    def _same_region(self, start: int, end: int, new_position: int) -> bool:
        return any(
            region.start < end and start < region.end and region.new_start <= new_position < region.new_end
            for region in self.ground.regions
        )

    def _check_texts(self) -> None:
        starts = [text.token.start for text in self.after.texts]
        for text in self.before.texts:
            token = text.token
            if self.ground.touches(token.start, token.end):
                continue
            now = self.ground.start_now(token.start)
            index = bisect_right(starts, now) - 1
            found = self.after.texts[index] if index >= 0 else None
            if found is None or found.token.end <= now or found.token.kind != token.kind:
                self._damage_text(text, "is no longer text of the page")
            elif not self._same_parent(text.parent, found.parent) or text.implied != found.implied:
                self._damage_text(text, f"now stands in {_told(found.parent)} instead of {_told(text.parent)}")

    def _check_newcomers(self) -> None:
        """Nothing new may stand outside the regions, and no tag of a region may reach out of it."""
        known = {self.ground.start_now(e.start) for e in self.before.elements}
        tag_ends = {self.ground.end_now(e.tag.end) for e in self.before.elements}
        for element in self.after.elements:
            mine = self.ground.new_touches(element.start, element.start + 1)
            if not mine and element.start not in known:
                self.found.append(Damage(_told(element), "appears outside the edit"))
            last = element.tag.end
            if not self.ground.new_touches(last - 1, last) and last not in tag_ends:
                self.found.append(Damage(_told(element), "has a start tag that takes in what stood behind it"))

    def _names_of(self, region: Region) -> list[str]:
        """The outermost elements that a region replaced, and the one in which it lies where that itself has changed."""
        inside = _outermost(self.before, region.start, region.end)
        around: SourceElement | None = None
        for element in self.before.elements:
            if element.start < region.start < element.end and region.end <= element.end:
                around = element
        newcomers = _outermost(self.after, region.new_start, region.new_end)
        says_other = _says(self.before, region.start, region.end) or _says(self.after, region.new_start, region.new_end)
        if around is not None and (says_other or not inside or len(newcomers) > len(inside)):
            inside = [around, *inside]
        return [self.names.of(element) for element in inside]

    def _damage(self, element: SourceElement, what: str) -> None:
        if len(self.found) < MAXIMUM_NAMED:
            self.found.append(Damage(self.names.of(element), what))

    def _damage_text(self, text: SourceText, what: str) -> None:
        if len(self.found) < MAXIMUM_NAMED:
            words = " ".join(self.before.html[text.token.start : text.token.end].split())[:60]
            where = self.names.of(text.parent) if text.parent else "html"
            self.found.append(Damage(where, f"has the text “{words}”, which {what}"))


def _outermost(source: SourceMap, start: int, end: int) -> list[SourceElement]:
    """The elements that lie in a span as a whole, without those in others of them."""
    found: list[SourceElement] = []
    for element in source.elements:
        within = start <= element.start and element.end <= end
        if within and (not found or element.start >= found[-1].end):
            found.append(element)
    return found


def _says(source: SourceMap, start: int, end: int) -> bool:
    """Whether a text in a span belongs to an element that only partly lies in it."""
    return any(
        text.token.start < end and start < text.token.end and (text.parent is None or text.parent.start < start)
        for text in source.texts
    )


def _told(element: SourceElement | None) -> str:
    if element is None:
        return "the document"
    name = element.tag.value("id") or element.tag.value("class") or ""
    return f"<{element.name}{' ' + repr(name[:40]) if name else ''}>"


def _own_attributes(source: SourceMap, element: SourceElement) -> Sequence[tuple[str, str | None]]:
    """What the parser made of the attributes: a second body tag adds its own to those of the first."""
    return sorted((name, value) for name, value in element.node.attributes.items() if name != source.mark_name)


def _doctype_kept(before: str, after: str) -> bool:
    return "<!doctype" not in before[:1_000].lower() or "<!doctype" in after[:1_000].lower()

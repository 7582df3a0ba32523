"""The regions that an edit declares as its own: spans of the old page and what they became in the new one."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.editing.markup_names import VOID

MAXIMUM_PIECES = 1_500
"""Pieces of a region up to which its unchanged parts are looked for; the search takes quadratic time."""

MAXIMUM_SLIDE = 4_000
"""Characters by which an insertion or deletion is moved at most."""

_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*)[^<>]*>")
_PIECES = re.compile(r"<[^<>]*>|[^<>\s]+|\s+|[<>]")


@dataclass(frozen=True, slots=True)
class Region:
    """`before[start:end]` became `after[new_start:new_end]`; an insertion has an empty old span."""

    start: int
    end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class Revision:
    """A page in change: the text now, and which regions of the old one were touched, in order and apart."""

    before: str
    after: str
    regions: tuple[Region, ...] = ()

    @classmethod
    def of(cls, html: str) -> "Revision":
        """A page that nothing has happened to."""
        return cls(html, html)

    def spliced(self, edits: Iterable[Edit]) -> "Revision":
        """The page after these edits, whose places are those of the text now; they must not overlap."""
        regions, pieces, position = list(self.regions), [], 0
        shift = 0
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            pieces += [self.after[position : edit.start], edit.text]
            position = edit.end
            regions = _with(regions, edit.start + shift, edit.end + shift, len(edit.text))
            shift += len(edit.text) - (edit.end - edit.start)
        pieces.append(self.after[position:])
        return Revision(self.before, "".join(pieces), tuple(regions))


def _with(regions: Sequence[Region], start: int, end: int, length: int) -> list[Region]:
    """The regions after `start:end` of the new text became `length` characters; those it touches melt into it."""
    shift = length - (end - start)
    earlier = [region for region in regions if region.new_end < start]
    later = [region for region in regions if region.new_start > end]
    touched = regions[len(earlier) : len(regions) - len(later)]
    offset = earlier[-1].end - earlier[-1].new_end if earlier else 0
    first, last = start + offset, end + offset
    new_start, new_end = start, start + length
    if touched:
        first = min(first, touched[0].start)
        new_start = min(start, touched[0].new_start)
        after_touched = end - touched[-1].new_end
        last = touched[-1].end + max(0, after_touched)
        new_end = max(end, touched[-1].new_end) + shift
    moved = [Region(r.start, r.end, r.new_start + shift, r.new_end + shift) for r in later]
    return [*earlier, Region(first, last, new_start, new_end), *moved]


def sharpened(revision: Revision) -> tuple[Region, ...]:
    """The regions without what is the same on both sides: whole tags and words within them that stayed."""
    found: list[Region] = []
    for region in revision.regions:
        found += _sharpened(revision, region)
    slid: list[Region] = []
    for number, region in enumerate(found):
        low = slid[-1].end if slid else 0
        high = found[number + 1].start if number + 1 < len(found) else len(revision.before)
        slid.append(_slid(revision, region, low, high))
    return tuple(slid)


def _sharpened(revision: Revision, region: Region) -> list[Region]:
    old = _PIECES.findall(revision.before[region.start : region.end])
    new = _PIECES.findall(revision.after[region.new_start : region.new_end])
    if len(old) > MAXIMUM_PIECES or len(new) > MAXIMUM_PIECES:
        return [region]
    starts, new_starts = _offsets(old, region.start), _offsets(new, region.new_start)
    found = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            found.append(_trimmed(revision, Region(starts[i], starts[j], new_starts[k], new_starts[m])))
    return found


def _slid(revision: Revision, region: Region, low: int, high: int) -> Region:
    """An insertion or deletion moved so that it holds whole elements; it may go from `low` to `high` of the old page.

    Between two sections, `</section><section>…` and `<section>…</section>` are the same insertion; only the second
    leaves both neighbours as they are.
    """
    is_insertion = region.start == region.end
    text = revision.after if is_insertion else revision.before
    start, end = (region.new_start, region.new_end) if is_insertion else (region.start, region.end)
    if start == end or _is_balanced(text[start:end]):
        return region
    for step in (1, -1):
        by = 0
        while low <= region.start + by + step and region.end + by + step <= high and abs(by) < MAXIMUM_SLIDE:
            gone, come = (start + by, end + by) if step > 0 else (end + by - 1, start + by - 1)
            if text[gone] != text[come]:
                break
            by += step
            if text[start + by] == "<" and _is_balanced(text[start + by : end + by]):
                return Region(region.start + by, region.end + by, region.new_start + by, region.new_end + by)
    return region


def _is_balanced(text: str) -> bool:
    """Whether the tags in a text close what they open, and nothing else."""
    open_now: list[str] = []
    for tag in _TAG.finditer(text):
        if tag["name"].lower() in VOID or tag[0].endswith("/>"):
            continue
        if not tag["end"]:
            open_now.append(tag["name"].lower())
        elif not open_now or open_now.pop() != tag["name"].lower():
            return False
    return not open_now


def _offsets(pieces: Sequence[str], position: int) -> list[int]:
    found = [position]
    for piece in pieces:
        found.append(found[-1] + len(piece))
    return found


def _trimmed(revision: Revision, region: Region) -> Region:
    """The region without the characters that both sides begin and end with."""
    old, new = revision.before[region.start : region.end], revision.after[region.new_start : region.new_end]
    shorter, lead = min(len(old), len(new)), 0
    while lead < shorter and old[lead] == new[lead]:
        lead += 1
    tail = 0
    while tail < shorter - lead and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Region(region.start + lead, region.end - tail, region.new_start + lead, region.new_end - tail)


class Ground:
    """What lies outside the regions, and how its places in the old page are found in the new one."""

    def __init__(self, regions: Sequence[Region]) -> None:
        """Take the regions in their order; they are apart from each other."""
        self.regions = tuple(regions)
        self._starts = [region.start for region in self.regions]
        self._ends = [region.end for region in self.regions]
        self._new_ends = [region.new_end for region in self.regions]

    def start_now(self, position: int) -> int:
        """Where something that began here begins in the new page; what was inserted at this very place precedes it."""
        return position + self._shift(bisect_right(self._ends, position))

    def end_now(self, position: int) -> int:
        """Where something that ended here ends in the new page; what was inserted at this very place follows it."""
        return position + self._shift(bisect_left(self._starts, position))

    def _shift(self, regions_before: int) -> int:
        region = self.regions[regions_before - 1] if regions_before else None
        return 0 if region is None else region.new_end - region.end

    def touches(self, start: int, end: int) -> bool:
        """Whether something within `start:end` of the old page was changed; its very edges do not count."""
        first = bisect_right(self._ends, start)
        return first < len(self.regions) and self._starts[first] < end

    def new_touches(self, start: int, end: int) -> bool:
        """Whether something within `start:end` of the new page is the edit's."""
        first = bisect_right(self._new_ends, start)
        return first < len(self.regions) and self.regions[first].new_start < end

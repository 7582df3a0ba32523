"""The regions that an edit declares as its own: spans of the old page and what they became in the new one."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib import resources
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.markup import RAW_TEXT_ELEMENTS, Edit, Token, apply_edits, read_skeleton, scan

# A page with a mark at every place where its source can be cut, so that the parser itself says what stands where.

MAXIMUM_DEPTH = 400
"""Elements nested deeper than this are not mapped: browsers stop at 512, and hostile pages nest without end."""

MAXIMUM_TOKENS = 200_000
"""A page of more tokens than this is not mapped; a megabyte of ordinary markup has about a fifth of them."""


class Unmappable(ValueError):
    """The page's markup leaves open what belongs to what; the message says where."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A parsed page with its marks: `attribute` is the marks' name, numbers are positions in `tokens`."""

    tokens: tuple[Token, ...]
    attribute: str
    document: LexborHTMLParser


@dataclass(frozen=True, slots=True)
class Placed:
    """A node of the parsed page; `number` is that of its start tag, None for elements that the parser implied."""

    node: LexborNode
    parent: "Placed | None"
    depth: int
    number: int | None


def mark(html: str) -> Marked:
    """Parse a page with its marks.

    Raises:
        Unmappable: the page has more tokens than are taken.
    """
    tokens = tuple(scan(html))
    if len(tokens) > MAXIMUM_TOKENS:
        raise Unmappable(f"the page has more than {MAXIMUM_TOKENS:,} tags and texts")
    name = _unused_name(html)
    edits: list[Edit] = []
    for number, token in enumerate(tokens):
        if token.kind == "start":
            after_name = token.start + 1 + len(token.name)
            edits.append(Edit(after_name, after_name, f' {name}="{number}"'))
        if has_mark_behind(tokens, number):
            edits.append(Edit(token.end, token.end, f"<!--{name}{number}-->"))
    return Marked(tokens, name, LexborHTMLParser(apply_edits(html, edits)))


def has_mark_behind(tokens: Sequence[Token], number: int) -> bool:
    """Whether a comment may stand behind a token: not within the text of a script, a style, a title and their like."""
    token = tokens[number]
    if token.kind == "unfinished" or (token.kind == "text" and token.name):
        return False
    return token.kind != "start" or token.name not in RAW_TEXT_ELEMENTS


def _unused_name(html: str) -> str:
    lowered = html.lower()
    return next(name for count in range(len(html) + 1) if (name := f"data-mark{count}x") not in lowered)


def walk(marked: Marked) -> list[Placed]:
    """All nodes in document order, contents of templates included.

    Raises:
        Unmappable: elements are nested too deeply.
    """
    found: list[Placed] = []
    root = marked.document.root
    document = None if root is None else root.parent
    stack: list[Placed] = [] if document is None else [Placed(document, None, 0, None)]
    while stack:
        placed = stack.pop()
        found.append(placed)
        if placed.depth > MAXIMUM_DEPTH:
            raise Unmappable(f"elements are nested more than {MAXIMUM_DEPTH} deep")
        if not (placed.node.is_element_node or placed.node.is_document_node):
            continue
        children = list(placed.node.iter(include_text=True))
        if placed.node.tag == "template":
            children += [node for part in placed.node.template_fragments() for node in part.iter(include_text=True)]
        stack += [
            Placed(child, placed, placed.depth + 1, _number(child, marked.attribute)) for child in reversed(children)
        ]
    return found


def _number(node: LexborNode, attribute: str) -> int | None:
    if not node.is_element_node:
        return None
    value = node.attributes.get(attribute)
    return int(value) if value is not None else None


# Names of elements that the syntax of HTML treats in a way of their own.

VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "param",
})  # fmt: skip
"""Elements without content and end tag (HTML standard, 13.1.2)."""


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


# Whether a whole page may be rewritten, and whether an edit is one in disguise.

MAXIMUM_SHARE = 0.6
"""The share of a page's body that an edit may replace; with more of it, it is a rewrite."""

SMALL_BODY = 500
"""Characters of a body below which every change is a large one, so that shares say nothing."""

KEPT_SHARE = 0.2
"""A region that keeps less than this share of its length counts as taken away rather than replaced."""

OPTION = "rewrite_pages"
"""The run option by which a caller allows rewrites: true, or a list of slugs."""


@dataclass(frozen=True, slots=True)
class Asker:
    """What the user said and chose for this run, and the pages there are: title by slug.

    `instructions` are those of the call, in the model's words; they may explain that something is taken away.
    """

    message: str
    options: Mapping[str, Any]
    titles: Mapping[str, str]
    instructions: str = ""

    def wants_rewrite(self, slug: str) -> bool:
        """Whether the user asked, in their own words or by option, that this page be written anew."""
        allowed = self.options.get(OPTION)
        if allowed is True or (isinstance(allowed, list | tuple) and slug in allowed):
            return True
        return any(self._means(clause, slug) for clause in _clauses(self.message) if _says(clause, "rewrite"))

    def wants_removal(self) -> bool:
        """Whether something is meant to be taken away, or to make space for something else."""
        return any(_says(clause, "remove") for clause in _clauses(f"{self.message}\n{self.instructions}"))

    def wants_all_texts(self) -> bool:
        """Whether the user asked for other words everywhere, as a translation has them."""
        return any(_says(clause, "translate") for clause in _clauses(self.message))

    def wants_way_back(self) -> bool:
        """Whether the user asked for something older: to undo, to redo, to bring something back."""
        return any(_says(clause, "way_back") for clause in _clauses(self.message))

    def _means(self, clause: str, slug: str) -> bool:
        """Whether a clause is about this page: it names it, or all pages, or there is no other."""
        targets = self.options.get("target_pages") or ()
        if slug in targets or len(self.titles) == 1 or _says(clause, "everything"):
            return True
        names = [slug, slug.replace("-", " "), self.titles.get(slug, ""), *(["home"] if slug == "index" else [])]
        lowered = clause.lower()
        return any(_names(lowered, name.lower()) for name in names if name)


def replaced_share(revision: Revision, regions: Sequence[Region], *, removal_is_wanted: bool) -> float:
    """Which share of the old page's body the edit replaced, from 0 to 1; what it only added does not count.

    Args:
        revision: the page before and after.
        regions: the proven ones, as sharp as they were found.
        removal_is_wanted: the user asked for something to be taken away, so that does not count either.
    """
    skeleton = read_skeleton(revision.before)
    start = skeleton.head_end if skeleton.body is None else skeleton.body.end
    end = skeleton.end if skeleton.body_close is None else skeleton.body_close.start
    if end - start < SMALL_BODY:
        return 0.0
    replaced = 0
    for region in regions:
        length = region.end - region.start
        is_removal = region.new_end - region.new_start < KEPT_SHARE * length
        if not (is_removal and removal_is_wanted):
            replaced += max(0, min(region.end, end) - max(region.start, start))
    return replaced / (end - start)


def _clauses(message: str) -> list[str]:
    """The message cut where one request may end, so that “don't redo the menu, rewrite the cart” is two."""
    return [clause for clause in re.split(r"[.;!?\n,，。；！？、]+|\bbut\b|但是|但", message) if clause.strip()]


def _says(clause: str, kind: str) -> bool:
    """Whether a clause has such words, and no word before them that says the opposite."""
    found = _pattern(kind).search(clause)
    return found is not None and _pattern("not").search(clause[: found.start()]) is None


def _names(clause: str, name: str) -> bool:
    if name.isascii():
        return re.search(rf"(?<![a-z0-9-]){re.escape(name)}(?![a-z0-9-])", clause) is not None
    return name in clause


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    words = json.loads(resources.files(__package__).joinpath("said_words.json").read_text(encoding="utf-8"))[kind]
    latin = "|".join([*words["en"], *words["de_fr_es"]])
    return re.compile(rf"\b(?:{latin})\b|{'|'.join(words['zh'])}", re.IGNORECASE)

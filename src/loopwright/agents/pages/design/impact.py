"""What a change of tokens touches, before it is made: rules, pages, elements, and every contrast that it moves."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.compliance.cascade.colours import Scheme
from loopwright.agents.pages.compliance.cascade.computed import Cascade
from loopwright.agents.pages.compliance.cascade.tokens import UnresolvedVariableError, substitute
from loopwright.agents.pages.design.change import (
    Followed,
    SchemeChoice,
    change_tokens,
    check_changes,
    follow,
    referring,
)
from loopwright.agents.pages.design.pairs import Proposal, TextPair, pair_of, propose, rule_pairs, texts_of
from loopwright.agents.pages.design.schemes import SCHEMES, probe
from loopwright.agents.pages.design.source import read_source
from loopwright.agents.pages.design.tokens import read_design_system

MAX_RULES = 400
_BLANKS = re.compile(r"\s+")


class TokenChange(BaseModel):
    """A token's value in one scheme, before and after."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token: str
    scheme: Scheme
    before: str
    after: str
    follows: str = ""
    """The changed token that it is derived from; empty for what was asked for."""


class PageImpact(BaseModel):
    """The elements of a page whose look changes: their own values, or the colour of their text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str
    elements: int
    """In the scheme in which most are touched."""


class ContrastChange(BaseModel):
    """A text on its ground whose contrast moves, wherever it occurs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scheme: Scheme
    where: tuple[str, ...]
    """Elements (`page: selector`), or the rule of the sheet for a state that no page shows at rest."""
    count: int
    text_before: str
    ground_before: str
    text: str
    ground: str
    before: float
    after: float
    required: float

    @property
    def fails(self) -> bool:
        """Whether it falls short after the change."""
        return self.after < self.required

    @property
    def falls(self) -> bool:
        """Whether it falls short only because of the change."""
        return self.fails and self.before >= self.required


class Impact(BaseModel):
    """What a change of tokens would touch."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    changes: tuple[TokenChange, ...]
    rules: tuple[str, ...]
    """The selectors of the sheet's rules that refer to a changed token, directly or through others."""
    pages: tuple[PageImpact, ...]
    contrasts: tuple[ContrastChange, ...]
    """Those that move, the worst first."""
    proposals: tuple[Proposal, ...]
    undecided: int = 0
    """Texts over pictures or under effects, whose contrast cannot be told."""

    @property
    def elements(self) -> int:
        """Touched elements of all pages."""
        return sum(page.elements for page in self.pages)

    @property
    def falling(self) -> tuple[ContrastChange, ...]:
        """The contrasts that the change would spoil."""
        return tuple(each for each in self.contrasts if each.falls)


@dataclass
class _Found:
    """One pair while its occurrences are counted."""

    before: TextPair
    after: TextPair
    scheme: Scheme
    where: dict[str, None] = field(default_factory=dict)
    count: int = 0


def measure_impact(
    css: str, changes: Mapping[str, str], scheme: SchemeChoice, pages: Mapping[str, str]
) -> tuple[Impact, str]:
    """What the change would touch, and the sheet that it would make; nothing is written.

    Args:
        css: the sheet.
        changes: token name to new value.
        scheme: which scheme is changed.
        pages: HTML by slug.

    Raises:
        InvalidInput: the change cannot be made, as `change_tokens` says.
    """
    wanted = check_changes(changes, read_design_system(css))
    schemes: tuple[Scheme, ...] = SCHEMES if scheme == "both" else (scheme,)
    followed = follow(css, change_tokens(css, wanted, scheme), wanted, schemes)
    after = followed.css
    names = referring(css, frozenset(wanted) | followed.names)
    found: dict[tuple[object, ...], _Found] = {}
    counts = dict.fromkeys(pages, 0)
    undecided = 0
    for one in schemes:
        for slug, html in pages.items():
            touched, unknown = _compare(slug, html, (css, after), one, names, found)
            counts[slug] = max(counts[slug], touched)
            undecided += unknown
        for selector, before, then in rule_pairs(css, after, one):
            if not any(each.before == before and each.after == then for each in found.values()):
                _note(found, before, then, one, selector, 0)
    contrasts = sorted((_as_change(each) for each in found.values()), key=lambda each: each.after / each.required)
    impact = Impact(
        changes=tuple(_changes(css, after, wanted, followed, schemes)),
        rules=tuple(_rules(css, names)),
        pages=tuple(PageImpact(slug=slug, elements=count) for slug, count in counts.items() if count),
        contrasts=tuple(contrasts),
        proposals=tuple(propose(after, wanted, schemes, [(each.scheme, each.after) for each in found.values()])),
        undecided=undecided,
    )
    return impact, after


def _compare(
    slug: str,
    html: str,
    sheets: tuple[str, str],
    scheme: Scheme,
    names: frozenset[str],
    found: dict[tuple[object, ...], _Found],
) -> tuple[int, int]:
    """How many elements of a page change, and how many texts cannot be judged; the pairs that move are noted."""
    before, after = (probe(sheet, scheme, html) for sheet in sheets)
    touched: set[int] = set()
    for index, (old, new) in enumerate(zip(before.document.css("*"), after.document.css("*"), strict=True)):
        if before.specified(old) != after.specified(new):
            touched.add(index)
    touched |= _touched_parts(before, after, names)
    places = {node.mem_id: index for index, node in enumerate(before.document.css("*"))}
    undecided = 0
    for old, new in zip(texts_of(before), texts_of(after), strict=True):
        one, other = pair_of(before, old, scheme), pair_of(after, new, scheme)
        if one is None or other is None:
            undecided += before.value(old, "background-image") not in ("none", "")
        elif one != other:
            # The text's own colour may come from an ancestor: it looks different all the same.
            touched.add(places[old.mem_id])
            first = (old.attributes.get("class") or "").split()[:1]
            selector = "".join([old.tag or "", *(f".{name}" for name in first)])
            _note(found, one, other, scheme, f"{slug}: {selector}", 1)
    return len(touched), undecided


def _touched_parts(before: Cascade, after: Cascade, names: frozenset[str]) -> set[int]:
    """The elements whose `::before`, `::after` and the like change."""
    places = {node.mem_id: index for index, node in enumerate(before.document.css("*"))}
    twins = list(after.document.css("*"))
    touched: set[int] = set()
    for rule, node in before.pseudo_elements:
        values = [each.value for each in rule.declarations if any(name in each.value for name in names)]
        index = places.get(node.mem_id)
        if not values or index is None or index in touched:
            continue
        old, new = before.custom_properties(node), after.custom_properties(twins[index])
        if any(_worth(value, old) != _worth(value, new) for value in values):
            touched.add(index)
    return touched


def _worth(value: str, properties: Mapping[str, str]) -> str | None:
    try:
        return substitute(value, properties.get)
    except UnresolvedVariableError:
        return None  # as if the declaration were not there, before as after


def _note(
    found: dict[tuple[object, ...], _Found], before: TextPair, after: TextPair, scheme: Scheme, where: str, count: int
) -> None:
    entry = found.setdefault((before, after, scheme), _Found(before, after, scheme))
    entry.where[where] = None
    entry.count += count


def _as_change(entry: _Found) -> ContrastChange:
    return ContrastChange(
        scheme=entry.scheme,
        where=tuple(entry.where),
        count=entry.count,
        text_before=entry.before.text.hex,
        ground_before=entry.before.worst.hex,
        text=entry.after.text.hex,
        ground=entry.after.worst.hex,
        before=round(entry.before.ratio, 2),
        after=round(entry.after.ratio, 2),
        required=entry.after.required,
    )


def _changes(
    css: str, after: str, wanted: Iterable[str], followed: Followed, schemes: tuple[Scheme, ...]
) -> Iterator[TokenChange]:
    """What was asked for first, then what follows."""
    old, new = read_design_system(css).tokens, read_design_system(after).tokens
    told = [(name, scheme, "") for name in wanted for scheme in schemes]
    told += [(name, scheme, origin) for scheme in schemes for name, origin in followed.tokens[scheme].items()]
    for name, scheme, origin in told:
        before, then = old[name].value(scheme) or "", new[name].value(scheme) or ""
        yield TokenChange(token=name, scheme=scheme, before=before, after=then, follows=origin)


def _rules(css: str, names: frozenset[str]) -> list[str]:
    """The selectors of the rules that refer to one of the names, each once."""
    found: dict[str, None] = {}
    for each in read_source(css).declarations:
        if not each.name.startswith("--") and each.selectors and any(
            re.search(rf"{re.escape(name)}(?![\w-])", each.value) for name in names if name in each.value
        ):  # fmt: skip
            found[_BLANKS.sub(" ", each.selectors)] = None
    return list(found)[:MAX_RULES]


# The impact of a change of tokens, in lines that people read before they agree.

MAX_PAGES = 12
MAX_CONTRASTS = 8
MAX_PLACES = 3
_SCHEME = "\0"
"""Where a line names its scheme; no value holds the character."""


def impact_lines(impact: Impact) -> list[str]:
    """What would change, what it touches, which texts would be hard to read, and what would keep them readable."""
    return [*_values(impact), _touched(impact), *_contrasts(impact), *_proposals(impact)]


def _values(impact: Impact) -> Iterator[str]:
    """What was asked for a line each; then what follows, a line for each token with both of its schemes."""
    both: dict[tuple[str, str, str], list[str]] = {}
    for change in impact.changes:
        if not change.follows:
            both.setdefault((change.token, change.before, change.after), []).append(change.scheme)
    for (token, before, after), schemes in both.items():
        yield f"{token}: {before} → {after} ({' and '.join(schemes)})"
    following: dict[tuple[str, str], list[str]] = {}
    for change in impact.changes:
        if change.follows:
            said = f"{change.before} → {change.after} ({change.scheme})"
            following.setdefault((change.token, change.follows), []).append(said)
    for (token, origin), changes in following.items():
        yield f"  {token} follows {origin}: {', '.join(changes)}"


def _touched(impact: Impact) -> str:
    pages = [f"{page.slug} {page.elements}" for page in impact.pages]
    shown = ", ".join(pages[:MAX_PAGES]) + (f" and {len(pages) - MAX_PAGES} more" if len(pages) > MAX_PAGES else "")
    where = f" on {_count(len(pages), 'page')} ({shown})" if pages else ""
    return f"Touches {_count(len(impact.rules), 'rule')} and {_count(impact.elements, 'element')}{where}."


def _contrasts(impact: Impact) -> Iterator[str]:
    if not impact.contrasts:
        yield "Contrast: no text changes its contrast."
        return
    failing = [each for each in impact.contrasts if each.fails]
    moved = _count(len(impact.contrasts), "pair")
    if not failing:
        worst = impact.contrasts[0]
        yield f"Contrast: {moved} of text and ground change, all stay readable (the worst {worst.after}:1)."
    else:
        yield f"Contrast: {moved} of text and ground change, {len(failing)} would be too weak:"
    lines = _merged((_line(each), each.scheme) for each in failing)
    yield from lines[:MAX_CONTRASTS]
    if len(lines) > MAX_CONTRASTS:
        yield f"  and {len(lines) - MAX_CONTRASTS} more"
    if impact.undecided:
        yield f"  {_count(impact.undecided, 'text')} over pictures cannot be judged."


def _line(each: ContrastChange) -> str:
    places = ", ".join(each.where[:MAX_PLACES])
    more = f" and {len(each.where) - MAX_PLACES} more" if len(each.where) > MAX_PLACES else ""
    was = "" if each.falls else ", too weak before as well"
    return (
        f"  ✗ {each.before}:1 → {each.after}:1 (needs {each.required:g}:1{was}), {_SCHEME}: "
        f"{each.text} on {each.ground} at {places}{more}"
    )


def _proposals(impact: Impact) -> list[str]:
    return _merged((_proposal(each), each.scheme) for each in impact.proposals)


def _proposal(each: Proposal) -> str:
    if each.keeps:
        return f"  Or keep {each.keeps} and set {each.token}: {each.value} instead of {each.instead_of} ({_SCHEME})."
    return f"  Readable and nearest: {each.token}: {each.value} ({_SCHEME})."


def _merged(lines: Iterable[tuple[str, str]]) -> list[str]:
    """Lines that are the same in both schemes said once; the scheme stands where the mark is."""
    schemes: dict[str, dict[str, None]] = {}
    for line, scheme in lines:
        schemes.setdefault(line, {})[scheme] = None
    return [line.replace(_SCHEME, " and ".join(names)) for line, names in schemes.items()]


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"

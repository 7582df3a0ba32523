"""The impact of a change of tokens, in lines that people read before they agree."""

from collections.abc import Iterable, Iterator

from loopwright.agents.pages.design.impact import ContrastChange, Impact
from loopwright.agents.pages.design.proposals import Proposal

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

"""Renaming a symbol: its definition and the uses that belong to it, in rounds until none is left."""

import keyword
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from loopwright.agents.ide.offline import patch
from loopwright.agents.ide.offline.layout import MORE_USES, Excerpt, Place, excerpt, hits, reading, uses
from loopwright.agents.ide.offline.layout import definitions as definitions_in
from loopwright.agents.ide.offline.script import Outcome, Result, Script, Step, Work, step
from loopwright.agents.ide.offline.wish import Plan
from loopwright.agents.ide.offline.works.belonging import Belonging

MOST_ROUNDS = 25
MOST_READS = 12
"""Windows of a round: with the searches before them they stay in the part of the dialogue that is never folded."""
MOST_LINES = 800
NEAR = 30
"""Uses with no more lines than that between them are read together."""
MARGIN = 3


@dataclass(frozen=True)
class Rename:
    """Rename `old` to `new`; `container` is the class that it stands in, `every` takes all definitions of the name."""

    old: str
    new: str
    container: str = ""
    every: bool = False

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"rename {self.old} to {self.new} in its definition and in every use of it"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"the definitions and uses of {self.old} in the index, whether {self.new} is taken, import lines",
            risk=f"other things could have the name {self.old} too, and strings that hold it are not followed",
            done_when=f"a search finds {self.new} defined and no use of {self.old} that belongs to it",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Search, read around the uses, patch; again until a search finds nothing more to change."""
        if not self.new.isidentifier() or keyword.iskeyword(self.new):
            return _stop(f"{self.new!r} is no name that code can use, so nothing was renamed.", self.aim)
        return _rename(self, offered)


def _stop(words: str, aim: str) -> Work:
    yield from ()
    return Outcome(words, (aim,))


def _rename(wish: Rename, offered: frozenset[str]) -> Work:
    changed: dict[str, int] = {}
    others: set[Place] = set()
    belonging: Belonging | Outcome | None = None
    for _ in range(MOST_ROUNDS):
        found = yield _searches(wish)
        failed = next((result for result in found if result.failed), None)
        if failed is not None:
            return Outcome(f"The search for {wish.old} failed: {failed.first_line}", (wish.aim,))
        if belonging is None:
            belonging = _belonging(wish, found)
        if isinstance(belonging, Outcome):
            return _settled(wish, belonging, found)
        candidates, unread = _candidates(belonging, found, others)
        if not candidates:
            return _end(wish, changed, others, unread)
        read = yield from _around(candidates, belonging.homes)
        wanted = _belonging_ones(belonging, candidates, read, others)
        if not wanted:
            continue
        if "apply_patch" not in offered:
            return _only_told(wish, wanted)
        (result,) = yield (step("apply_patch", diff=_patch(wish, wanted, read)),)
        if result.failed:
            words = f"The change of {wish.old} to {wish.new} was not made: {result.first_line}"
            return Outcome(words, (f"{wish.aim}: {result.first_line}",))
        for place in wanted:
            changed[place.path] = changed.get(place.path, 0) + 1
    return Outcome(f"{wish.old} is used in too many places; the work stopped after {MOST_ROUNDS} rounds.", (wish.aim,))


def _searches(wish: Rename) -> tuple[Step, ...]:
    """What a round must know; the last one names the lines that import the name or what it was called before."""
    old, new = re.escape(wish.old), re.escape(wish.new)
    name = rf"\b({old}|{new})\b"
    return (
        step("index_search_symbols", query=wish.old, uses=True, limit=20),
        step("index_search_symbols", query=wish.new, limit=5),
        step("index_search_text", query=rf"""^__all__|["']{old}["']""", regex=True, glob="*.py", limit=200, case=True),
        step(
            "index_search_text",
            query=rf"^\s*(from|import)\b.*{name}|^\s*{name}(\s+as\s+\w+)?,?\s*\)?$|^\s*from\s.*\simport\s+\*",
            regex=True,
            limit=300,
            case=True,
        ),
        step("index_search_text", query=r"^\s*(from|import)\s.*\sas\s", regex=True, glob="*.py", limit=300, case=True),
    )


def _belonging(wish: Rename, found: Sequence[Result]) -> Belonging | Outcome:
    """Which uses are meant, or why it cannot be said."""
    exact = [each for each in definitions_in(found[0]) if each.name == wish.old]
    exact = [each for each in exact if wish.container in ("", each.container.rpartition(".")[2])]
    taken = [each for each in definitions_in(found[1]) if each.name == wish.new]
    if not exact:
        return Outcome(f"Nothing with the name {wish.old} is defined in this project.", (wish.aim,))
    if taken:
        words = f"{wish.new} is defined already, at {taken[0].place}; renaming {wish.old} would mix the two up."
        return Outcome(f"{words} Nothing was changed.", (wish.aim,))
    homes = {(each.path, each.container) for each in exact}
    belonging = Belonging.of(wish.old, exact, found[3], found[4])
    if len(homes) > 1 and not wish.every:
        places = ", ".join(each.place for each in exact[:10])
        words = f"{wish.old} is defined in {len(homes)} places ({places}); rules cannot tell their uses apart."
        return Outcome(f"{words} Nothing was changed. “Rename every {wish.old} to {wish.new}” takes all.", (wish.aim,))
    if belonging.common and not wish.every:
        words = f"{wish.old} is a name that Python's own types have too; rules cannot tell the uses apart."
        return Outcome(f"{words} Nothing was changed. “Rename every {wish.old} to {wish.new}” takes all.", (wish.aim,))
    return belonging


def _settled(wish: Rename, told: Outcome, found: Sequence[Result]) -> Outcome:
    """Where the old name is gone and the new one is there, the work is done, whoever has done it."""
    gone = not any(each.name == wish.old for each in definitions_in(found[0])) and not uses(found[0])
    there = any(each.name == wish.new for each in definitions_in(found[1]))
    return Outcome(f"{wish.new} is defined, and nothing is called {wish.old} any more.") if gone and there else told


def _end(wish: Rename, changed: Mapping[str, int], others: Collection[Place], unread: int) -> Outcome:
    files = ", ".join(f"{path} ({count})" for path, count in sorted(changed.items()))
    words = [f"Renamed {wish.old} to {wish.new}: {sum(changed.values())} places in {len(changed)} files: {files}."]
    if not changed:
        words = [f"No use of {wish.old} could be shown to belong to its definition, so nothing was renamed."]
    if others:
        shown = sorted({f"{place.path}:{place.line}" for place in others})
        words.append(f"Left as they are, because another thing has that name there: {', '.join(shown[:8])}.")
    words.append(f"Comments and strings that speak of {wish.old} were not changed, but for entries of __all__.")
    missing = [f"{unread} more uses of {wish.old} were not looked at"] if unread else []
    return Outcome(" ".join(words), tuple(missing if changed else [wish.aim, *missing]))


def _only_told(wish: Rename, wanted: Sequence[Place]) -> Outcome:
    places = ", ".join(sorted({f"{place.path}:{place.line}" for place in wanted}))
    words = f"Renaming {wish.old} to {wish.new} would change these lines, as far as one look shows: {places}."
    return Outcome(f"{words} Nothing was changed: here the project can only be read.", (wish.aim,))


def _candidates(belonging: Belonging, found: Sequence[Result], others: Collection[Place]) -> tuple[list[Place], int]:
    """The uses that may be meant and were not looked at yet, and how many a search has not shown."""
    shown = uses(found[0])
    more = MORE_USES.search(found[0].text)
    candidates = [place for place in shown if belonging.maybe(place) and place not in others]
    outside = [place for place in candidates if place.path not in belonging.homes]
    # The definition keeps its name until nothing else uses it: a round that is cut short can be taken up again.
    chosen = outside if more and outside else candidates
    exported = [place for place in belonging.exported(hits(found[2])) if place not in others]
    return [*chosen, *exported], int(more[1]) if more else 0


def _around(wanted: Sequence[Place], homes: Collection[str]) -> Script[list[Excerpt]]:
    """Read the lines around the uses, as many as a round may; the definition's own file comes last."""
    windows: list[tuple[str, int, int]] = []
    for place in sorted(wanted, key=lambda each: (each.path in homes, each.path, each.line)):
        first, last = max(1, place.line - MARGIN), place.line + MARGIN
        if windows and windows[-1][0] == place.path and first - windows[-1][2] <= NEAR:
            windows[-1] = (place.path, windows[-1][1], last)
        else:
            windows.append((place.path, first, last))
    chosen: list[tuple[str, int, int]] = []
    for window in windows[:MOST_READS]:
        if chosen and sum(last - first for _, first, last in (*chosen, window)) > MOST_LINES:
            break
        chosen.append(window)
    results = yield tuple(reading(path, first, last) for path, first, last in chosen)
    found = [excerpt(path, result, first) for (path, first, _), result in zip(chosen, results, strict=True)]
    return [each for each in found if each is not None and each.lines]


def _belonging_ones(
    belonging: Belonging, candidates: Sequence[Place], read: Sequence[Excerpt], others: set[Place]
) -> list[Place]:
    """Of the candidates in the lines that were read, those that are meant; the rest is added to `others`."""
    wanted = []
    for place in candidates:
        line = next(
            (each.lines[place.line] for each in read if each.path == place.path and place.line in each.lines), None
        )
        if line is None:
            continue
        quoted = line[place.column - 2 : place.column - 1] in ("'", '"')
        there = line[place.column - 1 :].startswith(belonging.name) and len(line) < patch.LONGEST_LINE
        if there and (quoted or belonging.holds(place, line)):
            wanted.append(place)
        else:
            others.add(place)
    return wanted


def _patch(wish: Rename, wanted: Sequence[Place], read: Sequence[Excerpt]) -> str:
    """The diff that writes the new name at these places."""
    made: list[str] = []
    for path in dict.fromkeys(each.path for each in read):
        hunks = [line for each in read if each.path == path for line in _hunks(wish, wanted, each)]
        made += [*patch.header(path), *hunks] if hunks else []
    return "\n".join(made) + "\n"


def _hunks(wish: Rename, wanted: Sequence[Place], read: Excerpt) -> list[str]:
    changed: dict[int, tuple[str]] = {}
    for place in sorted(wanted, key=lambda each: -each.column):
        if place.path == read.path and place.line in read.lines:
            (line,) = changed.get(place.line, (read.lines[place.line],))
            start = place.column - 1
            changed[place.line] = (line[:start] + wish.new + line[start + len(wish.old) :],)
    return patch.hunks(read.lines, changed) if changed else []

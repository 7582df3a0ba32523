"""The reading plan: which candidates are recorded together, and which of them say the same again.

It stands as tables in output/document_analysis.md, from which a strategic phase makes the steps.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from loopwright.agents.jobs.graph.similarity import Comparison
from loopwright.agents.jobs.offline.creator.candidate import Candidate
from loopwright.agents.jobs.offline.wording import Wording

BATCH = 20
SAME = 0.95
"""From this likeness on two candidates say the same (field notes, part 003)."""
MOST_REPEATS = 20
"""Repeats named in one step, so that its text stays a todo's."""
ROW = re.compile(
    r"^\| (?P<document>documents/[^|]+?) \| (?P<first>\d+)–(?P<last>\d+) "
    r"\| (?P<pages>[\d–]+|-) \| (?P<repeats>[\d=, ]*|-) \|$"
)


@dataclass(frozen=True)
class Part:
    """Candidates `first` to `last` (from 1) of a document; `repeats` maps a later candidate to the earlier one."""

    document: str
    first: int
    last: int
    pages: str
    repeats: Mapping[int, int] = field(default_factory=dict)

    @property
    def recorded(self) -> int:
        """How many requirements it makes."""
        return self.last - self.first + 1 - sum(self.first <= later <= self.last for later in self.repeats)

    def step(self, text: Wording) -> str:
        """The step that records it."""
        facts = {"first": self.first, "last": self.last, "document": self.document, "pages": self.pages}
        if not self.repeats:
            return text.step("batch", **facts)
        return text.step("batch_repeats", **facts, repeats=_shown(self.repeats))

    def row(self) -> str:
        """Its line in the table."""
        repeats = _shown(self.repeats) or "-"
        return f"| {self.document} | {self.first}–{self.last} | {self.pages} | {repeats} |"


def plan_reading(document: str, candidates: Sequence[Candidate]) -> list[Part]:
    """Divide a document's candidates into parts, and find what says the same again."""
    same = _repeats(candidates)
    parts = []
    for start in range(0, len(candidates), BATCH):
        group = candidates[start : start + BATCH]
        first, last = start + 1, start + len(group)
        touching = {
            later: earlier for later, earlier in same.items() if first <= later <= last or first <= earlier <= last
        }
        parts.append(Part(document, first, last, _pages(group), dict(sorted(touching.items())[:MOST_REPEATS])))
    return parts


def parse_plan(text: str) -> list[Part]:
    """The parts in the tables of output/document_analysis.md."""
    return [
        Part(m["document"], int(m["first"]), int(m["last"]), m["pages"], parse_repeats(m["repeats"]))
        for line in text.splitlines()
        if (m := ROW.match(line.strip()))
    ]


def parse_repeats(text: str) -> dict[int, int]:
    """`44=12, 57=31`: candidate 44 says what 12 says."""
    return {int(later): int(earlier) for later, earlier in re.findall(r"(\d+)=(\d+)", text)}


def _shown(repeats: Mapping[int, int]) -> str:
    return ", ".join(f"{later}={earlier}" for later, earlier in sorted(repeats.items()))


def _repeats(candidates: Sequence[Candidate]) -> dict[int, int]:
    """Each candidate that says what an earlier one says, with the earliest of them."""
    found: dict[int, int] = {}
    for later, candidate in enumerate(candidates, 1):
        comparison = Comparison(candidate.text)
        earlier = (n for n, each in enumerate(candidates[: later - 1], 1) if n not in found and _same(comparison, each))
        if (first := next(earlier, None)) is not None:
            found[later] = first
    return found


def _same(comparison: Comparison, other: Candidate) -> bool:
    return comparison.ratio(other.text, SAME) >= SAME


def _pages(group: Sequence[Candidate]) -> str:
    pages = [each.page for each in group if each.page is not None]
    if not pages:
        return "-"
    return str(min(pages)) if min(pages) == max(pages) else f"{min(pages)}–{max(pages)}"

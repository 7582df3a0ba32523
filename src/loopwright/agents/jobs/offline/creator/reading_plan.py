"""The reading plan: which candidates are recorded together. It stands as a table in output/document_analysis.md."""

import re
from dataclasses import dataclass

from loopwright.agents.jobs.offline.wording import Wording

SIZE = 15
"""Candidates in one part, so that five parts fit into the dialogue of a phase."""
ROW = re.compile(r"^\| (?P<document>documents/[^|]+?) \| (?P<first>\d+)–(?P<last>\d+) \|$")


@dataclass(frozen=True)
class Part:
    """Candidates `first` to `last` (from 1) of a document."""

    document: str
    first: int
    last: int

    def step(self, text: Wording) -> str:
        """The step that records it."""
        return text.step("record", first=self.first, last=self.last, document=self.document)

    def row(self) -> str:
        """Its line in the table."""
        return f"| {self.document} | {self.first}–{self.last} |"


def plan_reading(document: str, candidates: int) -> list[Part]:
    """Divide a document's candidates into parts."""
    starts = range(1, candidates + 1, SIZE)
    return [Part(document, first, min(first + SIZE - 1, candidates)) for first in starts]


def parse_plan(text: str) -> list[Part]:
    """The parts in the tables of output/document_analysis.md."""
    rows = (ROW.match(line.strip()) for line in text.splitlines())
    return [Part(row["document"], int(row["first"]), int(row["last"])) for row in rows if row]

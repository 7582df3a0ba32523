"""The reading plan: what is recorded together. It stands as a table in output/document_analysis.md."""

import re
from dataclasses import dataclass

from loopwright.agents.jobs.offline.wording import Wording

SIZE = 15
"""Candidates in one part, so that five parts fit into the dialogue of a phase."""
PAGES = 2
"""Pages in one part, where candidates are not numbered beforehand."""
ROW = re.compile(r"^\| (?P<document>documents/[^|]+?) \| (?P<unit>p\. )?(?P<first>\d+)–(?P<last>\d+) \|$")


@dataclass(frozen=True)
class Part:
    """Candidates, or pages, `first` to `last` (from 1) of a document."""

    document: str
    first: int
    last: int
    by_page: bool = False

    def step(self, text: Wording) -> str:
        """The step that records it."""
        name = "record_pages" if self.by_page else "record"
        return text.step(name, first=self.first, last=self.last, document=self.document)

    def row(self) -> str:
        """Its line in the table."""
        return f"| {self.document} | {'p. ' if self.by_page else ''}{self.first}–{self.last} |"


def plan_reading(document: str, count: int, *, by_page: bool = False) -> list[Part]:
    """Divide a document's candidates, or pages, into parts."""
    size = PAGES if by_page else SIZE
    return [Part(document, n, min(n + size - 1, count), by_page) for n in range(1, count + 1, size)]


def parse_plan(text: str) -> list[Part]:
    """The parts in the tables of output/document_analysis.md."""
    rows = (ROW.match(line.strip()) for line in text.splitlines())
    return [Part(row["document"], int(row["first"]), int(row["last"]), bool(row["unit"])) for row in rows if row]

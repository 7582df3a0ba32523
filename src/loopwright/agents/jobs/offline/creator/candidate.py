"""A candidate for a requirement, as `identify_requirement_candidates` shows it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from loopwright.agents.jobs.candidates import Mode, candidates_of
from loopwright.agents.jobs.documents.read_text import read_text
from loopwright.agents.jobs.offline.records import records

MOST_NAME = 78
MODE: Mode = "balanced"
LEAST = 0.6
"""The defaults of the config, which the rules do not see."""


@dataclass(frozen=True)
class Candidate:
    """What of a candidate becomes a requirement."""

    text: str
    quote: str
    page: int | None
    section: str
    indicator: str
    confidence: float
    type: str
    priority: str
    gobd_relevant: bool
    gdpr_relevant: bool

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Candidate":
        """Read one line of an answer."""
        page = record.get("page")
        return cls(
            text=str(record.get("text") or record.get("quote") or ""),
            quote=str(record.get("quote") or ""),
            page=page if isinstance(page, int) else None,
            section=str(record.get("section") or ""),
            indicator=str(record.get("indicator") or ""),
            confidence=float(record.get("confidence") or 0),
            type=str(record.get("req_type") or "functional"),
            priority=str(record.get("priority") or "medium"),
            gobd_relevant=bool(record.get("gobd_relevant")),
            gdpr_relevant=bool(record.get("gdpr_relevant")),
        )

    @property
    def name(self) -> str:
        """A short name: the beginning of the text, whole words, without the number of its paragraph."""
        text = re.sub(r"^\W*(?:\d{1,4}[.)]?\s+)?", "", " ".join(re.sub(r"[*`_#]+", "", self.text).split()))
        if len(text) <= MOST_NAME:
            return text.rstrip(" .;:,")
        return f"{text[:MOST_NAME].rpartition(' ')[0].rstrip(' .;:,')}…"


def candidates_in(text: str) -> list[Candidate]:
    """The candidates that `identify_requirement_candidates` shows."""
    return [Candidate.of(record) for record in records(text)]


def candidates_on(page: int, text: str) -> list[Candidate]:
    """The candidates of one page that was read, found by the product's own rules: for jobs without the tool for it."""
    if not text.strip():
        return []
    document = read_text("page.txt", text.encode("utf-8", "replace"))
    found = candidates_of(document, MODE, LEAST)
    return [replace(Candidate.of(each.model_dump()), page=page) for each in found]

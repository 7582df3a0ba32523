"""A candidate for a requirement, as `identify_requirement_candidates` shows it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.agents.jobs.offline.records import records

MOST_NAME = 78


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
        text = re.sub(r"^\W*(?:\d{1,4}[.)]?\s+)?", "", " ".join(self.text.split()))
        if len(text) <= MOST_NAME:
            return text.rstrip(" .;:,")
        return f"{text[:MOST_NAME].rpartition(' ')[0].rstrip(' .;:,')}…"


def candidates_in(text: str) -> list[Candidate]:
    """The candidates that `identify_requirement_candidates` shows."""
    return [Candidate.of(record) for record in records(text)]

"""A job's requirements with their quotes, for programs and for spreadsheets."""

import csv
import io
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path
from typing import Any

from loopwright.app.jobs import Job
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import InvalidInput

PAGE = 500
COLUMNS = ("requirement_id", "name", "text", "type", "priority", "status", "confidence", "source", "page", "quote")
FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")
"""What spreadsheets take for the beginning of a formula, full-width forms included."""


async def requirements_of(house: Loopwright, job: Job) -> AsyncIterator[dict[str, Any]]:
    """The requirements that the job has added, then those that it has settled, each with its quotes."""
    job_id = job.session.session_id
    quotes: dict[str, Mapping[str, dict[str, Any]]] = {}
    seen: set[str] = set()
    for relation in ("job_id", "settled_by"):
        offset = 0
        while rows := await house.stores.requirements.find(**{relation: job_id}, limit=PAGE, offset=offset):
            offset += len(rows)
            for row in rows:
                if row.requirement_id in seen:
                    continue
                seen.add(row.requirement_id)
                if row.job_id not in quotes:
                    quotes[row.job_id] = await _quotes(house, row.job_id)
                yield {
                    "requirement_id": row.requirement_id,
                    "text": row.text,
                    "name": row.name,
                    "type": row.type,
                    "priority": row.priority,
                    "status": row.status,
                    "confidence": row.confidence,
                    "citations": [quotes[row.job_id][cited] for cited in row.citations if cited in quotes[row.job_id]],
                }


async def _quotes(house: Loopwright, job_id: str) -> dict[str, dict[str, Any]]:
    """Source, page and quote by the citation's id."""
    locators = await house.stores.sources.locators(job_id)
    return {
        citation.citation_id: {
            "source": locators[citation.source_id],
            "page": citation.page,
            "quote": citation.verbatim_quote,
        }
        for citation in await house.stores.sources.citations(job_id)
    }


def csv_text(requirements: Iterable[Mapping[str, Any]]) -> str:
    """A table with one line a requirement. No cell is a formula, whatever a document says."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    for requirement in requirements:
        cited = requirement["citations"]
        together = {name: "\n".join(str(quote[name] or "") for quote in cited) for name in ("source", "page", "quote")}
        writer.writerow([_cell({**requirement, **together}[column]) for column in COLUMNS])
    return table.getvalue()


def write_csv(file: Path, requirements: Iterable[Mapping[str, Any]]) -> int:
    """Write the table as UTF-8; gives the number of requirements.

    Raises:
        InvalidInput: the file cannot be written.
    """
    rows = list(requirements)
    try:
        file.write_text(csv_text(rows), encoding="utf-8", newline="")
    except OSError as error:
        raise InvalidInput(
            f"{file} cannot be written: {error.strerror}.", hint="Name a file in a folder that is there."
        ) from error
    return len(rows)


def _cell(value: Any) -> str:
    """A text that begins like a formula gets an apostrophe before it, as spreadsheets write text; numbers stay."""
    text = value if isinstance(value, str) else json.dumps(value)
    begins = text.lstrip(" \u00a0")[:1]
    return f"'{text}" if isinstance(value, str) and begins and begins in FORMULA_STARTS else text

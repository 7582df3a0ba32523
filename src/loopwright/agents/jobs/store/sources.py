"""Sources and citations on SQL; their numbers are counted within a job, without gaps and whoever writes."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Column, Connection, Row, func, insert, select, update

from loopwright.agents.jobs.store.tables import citations, job_states, sources
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import SessionState, session_row

# The states of jobs on SQL.


class SqlJobs(SessionState):
    """Keeps one state per job; a job is a session."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        super().__init__(database, job_states)


# Sources and citations as the store knows them.

SourceKind = Literal["document", "website", "database", "custom"]
VerificationStatus = Literal["verified", "unverified", "failed"]


class SourceRecord(BaseModel):
    """A source: one content of one document or page; what has changed is another source."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: str
    kind: SourceKind
    title: str
    locator: str
    stored_path: str
    sha256: str
    retrieved_at: datetime


class NewCitation(BaseModel):
    """What a citation says, before it has a number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: str
    claim: str = ""
    verbatim_quote: str = Field(min_length=1)
    quote_context: str = ""
    page: int | None = Field(None, ge=1)
    locator: str = ""
    confidence: float = Field(1.0, ge=0, le=1)
    extraction_method: str = Field("", max_length=40)
    verification_status: VerificationStatus = "unverified"


class CitationRecord(NewCitation):
    """A citation."""

    citation_id: str
    created_at: datetime


MAX_LOCATOR = 2_000
"""Bytes in UTF-8: PostgreSQL takes index entries of up to 2,704."""
MAX_TITLE = 500
MAX_QUOTE = 10_000
MAX_KEY = 240


class SqlSources:
    """Keeps the sources and citations of jobs."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        self._database = database

    async def add_source(
        self, job_id: str, *, kind: SourceKind, title: str, locator: str, stored_path: str, sha256: str
    ) -> SourceRecord:
        """The source of this locator and content, made unless it is there.

        Raises:
            NotFound: there is no such job.
            InvalidInput: a text is too long or cannot be stored.
        """
        if len(locator.encode(errors="replace")) > MAX_LOCATOR:
            raise InvalidInput(f"The source's locator is longer than {MAX_LOCATOR:,} bytes: {locator[:100]!r}….")
        values = {
            "kind": kind,
            "title": storable(title, "source's title", MAX_TITLE),
            "locator": storable(locator, "source's locator"),
            "stored_path": storable(stored_path, "source's stored path", MAX_LOCATOR),
            "sha256": storable(sha256, "source's SHA-256", 64),
        }
        same = (sources.c.job_id == job_id) & (sources.c.locator == locator) & (sources.c.sha256 == sha256)

        def work(connection: Connection) -> SourceRecord:
            session_row(connection, job_id, lock=True)
            if connection.execute(select(sources.c.number).where(same)).first() is None:
                number = _last(connection, sources.c.number, job_id) + 1
                row = {"job_id": job_id, "number": number, **values, "retrieved_at": datetime.now(UTC)}
                connection.execute(insert(sources), [row])
            return _source(connection.execute(select(sources).where(same)).one())

        return await self._database.write(work)

    async def sources(self, job_id: str) -> list[SourceRecord]:
        """The job's sources in the order of their numbers."""
        query = select(sources).where(sources.c.job_id == job_id).order_by(sources.c.number)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [_source(row) for row in rows]

    async def add_citations(
        self, job_id: str, new: Sequence[NewCitation | Mapping[str, Any]], key: str
    ) -> list[CitationRecord]:
        """Add citations, all or none; with a key that was used before, change nothing and give what was made then.

        Args:
            job_id: whose.
            new: their fields, as `NewCitation` has them.
            key: names this set of citations within the job, for example `run_id:call_id`.

        Raises:
            NotFound: there is no such job, or none of its sources has the id that is named.
            InvalidInput: a text is too long or cannot be stored.
        """
        storable(key, "idempotency key", MAX_KEY)
        rows = [_new_row(NewCitation.model_validate(each), f"{key}#{n}") for n, each in enumerate(new)]
        keys = [row["idempotency_key"] for row in rows]

        def work(connection: Connection) -> list[CitationRecord]:
            session_row(connection, job_id, lock=True)
            mine = (citations.c.job_id == job_id) & citations.c.idempotency_key.in_(keys)
            if rows and connection.execute(select(citations.c.number).where(mine)).first() is None:
                _require_sources(connection, job_id, {row["source_number"] for row in rows})
                first, now = _last(connection, citations.c.number, job_id) + 1, datetime.now(UTC)
                numbered = [{"job_id": job_id, "number": first + n, "created_at": now} for n in range(len(rows))]
                connection.execute(insert(citations), [a | b for a, b in zip(rows, numbered, strict=True)])
            stored = connection.execute(select(citations).where(mine).order_by(citations.c.number))
            return [_citation(row) for row in stored]

        return await self._database.write(work)

    async def citation(self, job_id: str, citation_id: str) -> CitationRecord:
        """The citation.

        Raises:
            NotFound: the job has none of this id.
        """
        query = select(citations).where(citations.c.job_id == job_id, citations.c.number == _number(citation_id, "CIT"))
        row = await self._database.read(lambda connection: connection.execute(query).first())
        if row is None:
            raise NotFound(f"There is no citation {citation_id!r}.", hint="list_sources names the citations there are.")
        return _citation(row)

    async def citations(self, job_id: str) -> list[CitationRecord]:
        """The job's citations in the order of their numbers."""
        query = select(citations).where(citations.c.job_id == job_id).order_by(citations.c.number)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [_citation(row) for row in rows]

    async def set_verification(self, job_id: str, citation_id: str, status: VerificationStatus) -> None:
        """Note what a verification found.

        Raises:
            NotFound: the job has no such citation.
        """
        own = (citations.c.job_id == job_id) & (citations.c.number == _number(citation_id, "CIT"))

        def work(connection: Connection) -> int:
            return connection.execute(update(citations).where(own).values(verification_status=status)).rowcount

        if not await self._database.write(work):
            raise NotFound(f"There is no citation {citation_id!r}.")

    async def locators(self, job_id: str) -> dict[str, str]:
        """The source's path or address by each id of a source or a citation."""

        def work(connection: Connection) -> dict[str, str]:
            own = select(sources.c.number, sources.c.locator).where(sources.c.job_id == job_id)
            by_number = {row.number: row.locator for row in connection.execute(own)}
            cited = select(citations.c.number, citations.c.source_number).where(citations.c.job_id == job_id)
            by_citation = {_id("CIT", row.number): by_number[row.source_number] for row in connection.execute(cited)}
            return {_id("SRC", number): locator for number, locator in by_number.items()} | by_citation

        return await self._database.read(work)


def _id(prefix: str, number: int) -> str:
    return f"{prefix}-{number:03d}"


def _number(identifier: str, prefix: str) -> int:
    """The number in an id, or 0, which nothing has."""
    match = re.fullmatch(rf"{prefix}-(\d{{1,9}})", identifier.strip().upper(), re.ASCII)
    return int(match[1]) if match else 0


def _last(connection: Connection, counter: Column[int], job_id: str) -> int:
    return connection.execute(select(func.max(counter)).where(counter.table.c.job_id == job_id)).scalar() or 0


def _require_sources(connection: Connection, job_id: str, numbers: set[int]) -> None:
    own = select(sources.c.number).where(sources.c.job_id == job_id, sources.c.number.in_(numbers))
    if missing := numbers - set(connection.execute(own).scalars()):
        raise NotFound(f"There is no source {_id('SRC', min(missing))}.", hint="list_sources names the sources.")


def _new_row(citation: NewCitation, key: str) -> dict[str, Any]:
    for what in ("claim", "verbatim_quote", "quote_context", "locator"):
        storable(getattr(citation, what), f"citation's {what}", MAX_QUOTE)
    number = _number(citation.source_id, "SRC")
    if not number:
        raise InvalidInput(f"{citation.source_id!r} is not an id of a source.", hint="Sources are called SRC-001.")
    return {**citation.model_dump(exclude={"source_id"}), "source_number": number, "idempotency_key": key}


def _source(row: Row[Any]) -> SourceRecord:
    values = {name: value for name, value in row._mapping.items() if name not in ("job_id", "number")}
    return SourceRecord(source_id=_id("SRC", row.number), **values)


def _citation(row: Row[Any]) -> CitationRecord:
    left_out = ("job_id", "number", "source_number", "idempotency_key")
    values = {name: value for name, value in row._mapping.items() if name not in left_out}
    return CitationRecord(citation_id=_id("CIT", row.number), source_id=_id("SRC", row.source_number), **values)

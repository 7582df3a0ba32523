"""What runs have made besides text, on SQL: where each thing is, not the thing itself."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, model_validator
from sqlalchemy import Connection, insert, select

from loopwright.kernel.errors import NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import session_row
from loopwright.stores.tables import artifacts, new_id


class ArtifactRecord(BaseModel):
    """A file at `path` (relative to the session's folder), or a blob with this SHA-256 `digest` (hex), or both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    artifact_id: str
    session_id: str
    run_id: str | None
    name: str
    kind: str
    media_type: str
    path: str | None
    digest: str | None
    size_bytes: int | None
    metadata: dict[str, Any]
    created_at: datetime

    @model_validator(mode="after")
    def _lies_somewhere(self) -> Self:
        if self.path is None and self.digest is None:
            raise ValueError("an artifact needs a path or a digest")
        return self


class SqlArtifacts:
    """Records and finds artifacts."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        self._database = database

    async def add(
        self,
        session_id: str,
        name: str,
        *,
        kind: str,
        media_type: str,
        path: str | None = None,
        digest: str | None = None,
        size_bytes: int | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> ArtifactRecord:
        """Record an artifact; with a key that was used before in this session, give back the first one.

        Raises:
            NotFound: there is no such session.
            InvalidInput: a text cannot be stored.
            ValueError: neither a path nor a digest is given.
        """
        key = storable(idempotency_key or new_id(), "idempotency key", 255)
        record = ArtifactRecord(
            artifact_id=new_id(),
            session_id=session_id,
            run_id=run_id,
            name=storable(name, "artifact's name"),
            kind=storable(kind, "artifact's kind", 64),
            media_type=storable(media_type, "media type", 255),
            path=None if path is None else storable(path, "path"),
            digest=digest,
            size_bytes=size_bytes,
            metadata=dict(metadata or {}),
            created_at=datetime.now(UTC),
        )

        def work(connection: Connection) -> ArtifactRecord:
            session_row(connection, session_id, lock=True)
            same = (artifacts.c.session_id == session_id) & (artifacts.c.idempotency_key == key)
            known = connection.execute(select(artifacts).where(same)).first()
            if known is not None:
                return _as_record(known._mapping)
            connection.execute(insert(artifacts), [record.model_dump() | {"idempotency_key": key}])
            return record

        return await self._database.write(work)

    async def get(self, artifact_id: str) -> ArtifactRecord:
        """The artifact.

        Raises:
            NotFound: there is no such artifact.
        """
        query = select(artifacts).where(artifacts.c.artifact_id == artifact_id)
        row = await self._database.read(lambda connection: connection.execute(query).first())
        if row is None:
            raise NotFound(f"There is no artifact {artifact_id}.")
        return _as_record(row._mapping)

    async def find(
        self, session_id: str, *, run_id: str | None = None, kind: str | None = None, limit: int = 100
    ) -> list[ArtifactRecord]:
        """The session's artifacts, newest first."""
        query = select(artifacts).where(artifacts.c.session_id == session_id)
        if run_id is not None:
            query = query.where(artifacts.c.run_id == run_id)
        if kind is not None:
            query = query.where(artifacts.c.kind == kind)
        query = query.order_by(artifacts.c.created_at.desc(), artifacts.c.artifact_id.desc()).limit(limit)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [_as_record(row._mapping) for row in rows]


def _as_record(row: Mapping[Any, Any]) -> ArtifactRecord:
    return ArtifactRecord(**{key: value for key, value in row.items() if key != "idempotency_key"})

"""The sessions on SQL."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection, Row, Table, delete, insert, select, update

from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kernel.state import TERMINAL
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.tables import events, new_id, runs, sessions


class SessionRecord(BaseModel):
    """A session; `metadata` is the agent's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    agent: str
    title: str
    output_dir: str
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class SqlSessions:
    """Creates, finds, changes and deletes sessions."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        self._database = database

    async def create(
        self,
        *,
        agent: str,
        title: str = "",
        output_dir: str = "",
        metadata: Mapping[str, Any] | None = None,
        session_id: str | None = None,
    ) -> SessionRecord:
        """Create a session, under a new id unless one is given.

        Raises:
            Conflict: a session with the given id exists.
            InvalidInput: a text cannot be stored.
        """
        now = datetime.now(UTC)
        record = SessionRecord(
            session_id=storable(session_id or new_id(), "session id", 64),
            agent=storable(agent, "agent's name", 64),
            title=storable(title, "title"),
            output_dir=storable(output_dir, "output folder"),
            metadata=dict(metadata or {}),
            created_at=now,
            updated_at=now,
        )

        def work(connection: Connection) -> SessionRecord:
            known = select(sessions.c.session_id).where(sessions.c.session_id == record.session_id)
            if connection.execute(known).first() is not None:
                raise Conflict(f"A session {record.session_id} exists already.")
            connection.execute(insert(sessions), [record.model_dump()])
            return record

        return await self._database.write(work)

    async def get(self, session_id: str) -> SessionRecord:
        """The session.

        Raises:
            NotFound: there is no such session.
        """
        return await self._database.read(lambda connection: _as_record(session_row(connection, session_id)))

    async def find(
        self, *, agent: str | None = None, output_dir: str | None = None, limit: int = 50
    ) -> list[SessionRecord]:
        """Sessions, newest first; those of one agent, or with this folder."""
        query = select(sessions).order_by(sessions.c.created_at.desc(), sessions.c.session_id.desc()).limit(limit)
        if agent is not None:
            query = query.where(sessions.c.agent == agent)
        if output_dir is not None:
            query = query.where(sessions.c.output_dir == output_dir)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [_as_record(row) for row in rows]

    async def update(
        self,
        session_id: str,
        *,
        title: str | None = None,
        output_dir: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> SessionRecord:
        """Change what is given; `metadata` is merged key by key, and a key with None is removed.

        Raises:
            NotFound: there is no such session.
            InvalidInput: a text cannot be stored.
        """

        def work(connection: Connection) -> SessionRecord:
            row = session_row(connection, session_id, lock=True)
            merged = {**row.metadata, **(metadata or {})}
            values: dict[str, Any] = {
                "title": row.title if title is None else storable(title, "title"),
                "output_dir": row.output_dir if output_dir is None else storable(output_dir, "output folder"),
                "metadata": {key: value for key, value in merged.items() if value is not None},
                "updated_at": datetime.now(UTC),
            }
            connection.execute(update(sessions).where(sessions.c.session_id == session_id).values(values))
            return _as_record(session_row(connection, session_id))

        return await self._database.write(work)

    async def delete(self, session_id: str) -> None:
        """Delete the session and all that belongs to it: runs, events, product doc, pages, artifacts' rows.

        Raises:
            NotFound: there is no such session.
            Conflict: one of its runs has not ended.
        """

        def work(connection: Connection) -> None:
            session_row(connection, session_id, lock=True)
            own = runs.c.session_id == session_id
            open_run = connection.execute(
                select(runs.c.run_id, runs.c.status).where(own, runs.c.status.not_in(TERMINAL)).with_for_update()
            ).first()
            if open_run is not None:
                raise Conflict(
                    f"Run {open_run.run_id} of this session is {open_run.status}.",
                    hint=f"Cancel it first: loopwright runs cancel {open_run.run_id}",
                )
            connection.execute(delete(events).where(events.c.run.in_(select(runs.c.number).where(own))))
            connection.execute(delete(runs).where(own))
            connection.execute(delete(sessions).where(sessions.c.session_id == session_id))

        await self._database.write(work)


def session_row(connection: Connection, session_id: str, *, lock: bool = False) -> Row[Any]:
    """The session's row; locked, it keeps others from changing anything of the session meanwhile.

    Raises:
        NotFound: there is no such session.
    """
    query = select(sessions).where(sessions.c.session_id == session_id)
    row = connection.execute(query.with_for_update() if lock else query).first()
    if row is None:
        raise NotFound(f"There is no session {session_id}.", hint="`loopwright runs list` names the sessions of runs.")
    return row


def _as_record(row: Row[Any]) -> SessionRecord:
    return SessionRecord(**row._mapping)


# An agent's working state of a session as one JSON text, replaced whole and written once per key.

MAX_STATE = 8_000_000
"""Characters of a session's state."""


class SessionState:
    """The states of one agent's sessions, in a table with the columns session_id, state, last_key, updated_at."""

    def __init__(self, database: Database, table: Table) -> None:
        """Keep the database and the table."""
        self._database = database
        self._table = table

    async def load(self, session_id: str) -> str | None:
        """The session's state as JSON text, or None before the first one was saved."""
        query = select(self._table.c.state).where(self._table.c.session_id == session_id)
        row = await self._database.read(lambda connection: connection.execute(query).first())
        return row.state if row is not None else None

    async def save(self, session_id: str, state: str, key: str) -> bool:
        """Replace the session's state; the key that was used last changes nothing.

        Returns:
            Whether it was written.

        Raises:
            NotFound: there is no such session.
            InvalidInput: the state is too large or cannot be stored.
        """
        table = self._table
        values = {
            "state": storable(state, "session's state", MAX_STATE),
            "last_key": storable(key, "key", 255),
            "updated_at": datetime.now(UTC),
        }

        def work(connection: Connection) -> bool:
            session_row(connection, session_id, lock=True)
            own = table.c.session_id == session_id
            row = connection.execute(select(table.c.last_key).where(own)).first()
            if row is None:
                connection.execute(insert(table).values(session_id=session_id, **values))
            elif row.last_key == key:
                return False
            else:
                connection.execute(update(table).where(own).values(values))
            return True

        return await self._database.write(work)

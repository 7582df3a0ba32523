"""An agent's working state of a session as one JSON text, replaced whole and written once per key."""

from datetime import UTC, datetime

from sqlalchemy import Connection, Table, insert, select, update

from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import session_row

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

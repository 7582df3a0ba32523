"""The design systems' versions on SQL; the file in the session's folder is what is read, this is where it came from."""

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection, Row, insert, select

from loopwright.agents.pages.store.tables import design_versions
from loopwright.kernel.errors import Conflict, NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import session_row
from loopwright.stores.tables import new_id

DesignSource = Literal["create", "tokens", "hand", "restore"]
"""How a version came about; `hand` is a file that people changed on disk."""


class DesignVersionRecord(BaseModel):
    """A version of a session's style sheet, without its text; versions count from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    source: DesignSource
    description: str
    restored_from: int | None
    size_bytes: int
    run_id: str | None
    call_id: str | None
    created_at: datetime


class SqlDesignSystems:
    """Saves, lists and brings back."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        self._database = database

    async def save(
        self,
        session_id: str,
        css: str,
        *,
        source: DesignSource,
        description: str = "",
        on_disk: str = "",
        run_id: str | None = None,
        call_id: str | None = None,
    ) -> DesignVersionRecord:
        """Store a new version; the same run and call give the same version however often they come.

        Args:
            session_id: whose style sheet it is.
            css: the whole text.
            source: how it came about.
            description: what was changed, in a line.
            on_disk: the file that it replaces; when that is not the newest version, somebody has changed it by hand,
                and it is kept as a version of its own first.
            run_id: the run in which it was made.
            call_id: the tool call that made it.

        Raises:
            NotFound: there is no such session.
            InvalidInput: a text cannot be stored.
        """
        storable(css, "design system")
        storable(description, "description")
        storable(on_disk, "design system")
        key = f"{run_id}:{call_id}" if run_id and call_id else new_id()

        def work(connection: Connection) -> DesignVersionRecord:
            session_row(connection, session_id, lock=True)
            mine = design_versions.c.session_id == session_id
            same = connection.execute(select(design_versions).where(mine, design_versions.c.idempotency_key == key))
            known = same.first()
            if known is not None:
                return _as_record(known)
            latest = _latest(connection, session_id)
            if on_disk.strip() and (latest is None or latest.css != on_disk):
                _insert(connection, session_id, on_disk, "hand", "Changed by hand", f"{key}:before")
            origin = {"run_id": run_id, "call_id": call_id}
            return _insert(connection, session_id, css, source, description, key, **origin)

        return await self._database.write(work)

    async def versions(self, session_id: str) -> list[DesignVersionRecord]:
        """The versions, newest first."""
        query = select(design_versions).where(design_versions.c.session_id == session_id)
        query = query.order_by(design_versions.c.version.desc())
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [_as_record(row) for row in rows]

    async def css(self, session_id: str, version: int) -> str:
        """The text of a version.

        Raises:
            NotFound: there is no such version.
        """
        row = await self._database.read(lambda connection: _version(connection, session_id, version))
        text: str = row.css
        return text

    async def undo_target(self, session_id: str, *, on_disk: str = "") -> int:
        """The version to which taking back the newest change leads; doing so again leads further back.

        What somebody has changed by hand since is the newest change.

        Raises:
            Conflict: there is nothing to undo.
        """
        latest = await self._database.read(lambda connection: _latest(connection, session_id))
        if latest is not None and on_disk.strip() and latest.css != on_disk:
            return int(latest.version)
        current = 0 if latest is None else latest.restored_from or latest.version
        if current <= 1:
            raise Conflict("There is no older design system to go back to.")
        return int(current - 1)

    async def restore(
        self,
        session_id: str,
        version: int,
        *,
        on_disk: str = "",
        description: str = "",
        run_id: str | None = None,
        call_id: str | None = None,
    ) -> DesignVersionRecord:
        """Make an old version current again, as a new version; work by hand is kept as a version before it.

        The same run and call give the same version however often they come.

        Raises:
            NotFound: there is no such session or version.
        """
        key = f"restore:{run_id}:{call_id}" if run_id and call_id else f"restore:{new_id()}"

        def work(connection: Connection) -> DesignVersionRecord:
            session_row(connection, session_id, lock=True)
            mine = design_versions.c.session_id == session_id
            known = connection.execute(
                select(design_versions).where(mine, design_versions.c.idempotency_key == key)
            ).first()
            if known is not None:
                return _as_record(known)
            latest = _latest(connection, session_id)
            if on_disk.strip() and latest is not None and latest.css != on_disk:
                _insert(connection, session_id, on_disk, "hand", "Changed by hand", f"{key}:before")
            old = _version(connection, session_id, version)
            said = description or f"Version {version} again"
            origin = {"restored_from": version, "run_id": run_id, "call_id": call_id}
            return _insert(connection, session_id, old.css, "restore", said, key, **origin)

        return await self._database.write(work)


def _latest(connection: Connection, session_id: str) -> Row[Any] | None:
    query = select(design_versions).where(design_versions.c.session_id == session_id)
    return connection.execute(query.order_by(design_versions.c.version.desc()).limit(1)).first()


def _version(connection: Connection, session_id: str, version: int) -> Row[Any]:
    query = select(design_versions).where(
        design_versions.c.session_id == session_id, design_versions.c.version == version
    )
    row = connection.execute(query).first()
    if row is None:
        raise NotFound(f"The design system of session {session_id} has no version {version}.")
    return row


def _insert(
    connection: Connection, session_id: str, css: str, source: DesignSource, description: str, key: str, **more: Any
) -> DesignVersionRecord:
    latest = _latest(connection, session_id)
    version = 1 if latest is None else latest.version + 1
    row = {
        "session_id": session_id,
        "version": version,
        "idempotency_key": key,
        "css": css,
        "source": source,
        "description": description,
        "restored_from": None,
        "run_id": None,
        "call_id": None,
        "created_at": datetime.now(UTC),
    } | more
    connection.execute(insert(design_versions), [row])
    return _as_record(_version(connection, session_id, version))


def _as_record(row: Row[Any]) -> DesignVersionRecord:
    fields = dict(row._mapping)
    size = len(fields.pop("css").encode())
    del fields["idempotency_key"], fields["session_id"]
    return DesignVersionRecord(**fields, size_bytes=size)

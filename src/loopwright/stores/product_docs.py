"""The product docs on SQL: incremental patches, each applied once and kept (spec 000, 1b.3)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from loopwright.kernel.errors import NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.product_doc_facts import read_facts, write_facts
from loopwright.stores.product_doc_patching import add_to_history, apply_patch
from loopwright.stores.product_doc_records import Author, PatchRecord, ProductDocRecord, SectionPatch, SectionRecord
from loopwright.stores.sessions import session_row
from loopwright.stores.tables import product_doc_patches, product_doc_sections, product_docs

_MAX_KEY = 240


class SqlProductDocs:
    """Reads and patches product docs."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        self._database = database

    async def get(self, session_id: str) -> ProductDocRecord | None:
        """The session's product doc, or None as long as nothing was written."""
        return await self._database.read(lambda connection: _doc(connection, session_id))

    async def apply(
        self,
        session_id: str,
        patches: Sequence[SectionPatch],
        *,
        author: Author,
        idempotency_key: str,
        run_id: str | None = None,
    ) -> ProductDocRecord:
        """Apply the patches in order, all or none; with a key that was used before, change nothing.

        Args:
            session_id: whose product doc it is.
            patches: to be applied; removing a section that does not exist is allowed, and merging one too.
            author: who wrote them.
            idempotency_key: names this set of patches within the session, for example `run_id:call_id`.
            run_id: the run in which it happened.

        Raises:
            NotFound: there is no such session.
            InvalidInput: a text cannot be stored.
        """
        key = storable(idempotency_key, "idempotency key", _MAX_KEY)

        def work(connection: Connection) -> ProductDocRecord:
            session_row(connection, session_id, lock=True)
            now = datetime.now(UTC)
            _ensure(connection, session_id, now)
            if not _applied_before(connection, session_id, f"{key}#0"):
                rows = [row for patch in patches for row in apply_patch(connection, session_id, patch, author, now)]
                for number, row in enumerate(rows):
                    add_to_history(
                        connection, session_id, row | {"author": author, "at": now, "run_id": run_id}, f"{key}#{number}"
                    )
                _touch(connection, session_id, updated_at=now)
            doc = _doc(connection, session_id)
            if doc is None:
                raise NotFound(f"Session {session_id} has no product doc.")
            return doc

        return await self._database.write(work)

    async def set_project_card(self, session_id: str, text: str) -> None:
        """Replace the compact summary that goes into every prompt.

        Raises:
            NotFound: there is no such session.
            InvalidInput: the text cannot be stored.
        """
        storable(text, "project card")

        def work(connection: Connection) -> None:
            session_row(connection, session_id, lock=True)
            now = datetime.now(UTC)
            _ensure(connection, session_id, now)
            _touch(connection, session_id, project_card=text, updated_at=now)

        await self._database.write(work)

    async def keep_facts(
        self, session_id: str, facts: Mapping[str, str | None], *, run_id: str | None = None
    ) -> tuple[str, ...]:
        """Take over what is true now, by the controller's hand; None where there is nothing any more.

        Returns:
            The names whose facts have changed; what is as it was is not written again.

        Raises:
            NotFound: there is no such session.
            InvalidInput: a text cannot be stored.
        """

        def work(connection: Connection) -> tuple[str, ...]:
            session_row(connection, session_id, lock=True)
            now = datetime.now(UTC)
            changed = write_facts(
                connection, session_id, facts, now, run_id, lambda: _ensure(connection, session_id, now)
            )
            if changed:
                _touch(connection, session_id, updated_at=now)
            return changed

        return await self._database.write(work)

    async def history(self, session_id: str, *, section: str | None = None, limit: int = 100) -> list[PatchRecord]:
        """The patches of the product doc, or of one section, newest first."""
        table = product_doc_patches
        query = select(table).where(table.c.session_id == session_id)
        if section is not None:
            query = query.where(table.c.section == section)
        query = query.order_by(table.c.number.desc()).limit(limit)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [PatchRecord(**{k: v for k, v in row._mapping.items() if k != "idempotency_key"}) for row in rows]


def _doc(connection: Connection, session_id: str) -> ProductDocRecord | None:
    head = connection.execute(select(product_docs).where(product_docs.c.session_id == session_id)).first()
    if head is None:
        return None
    table = product_doc_sections
    rows = connection.execute(select(table).where(table.c.session_id == session_id).order_by(table.c.position))
    sections = {
        row.section: SectionRecord(
            title=row.title, content=row.content, updated_at=row.updated_at, updated_by=row.updated_by
        )
        for row in rows
    }
    return ProductDocRecord(
        session_id=session_id,
        sections=sections,
        facts=read_facts(connection, session_id),
        project_card=head.project_card,
        updated_at=head.updated_at,
    )


def _ensure(connection: Connection, session_id: str, now: datetime) -> None:
    known = select(product_docs.c.session_id).where(product_docs.c.session_id == session_id)
    if connection.execute(known).first() is None:
        connection.execute(insert(product_docs), [{"session_id": session_id, "project_card": "", "updated_at": now}])


def _touch(connection: Connection, session_id: str, **values: Any) -> None:
    connection.execute(update(product_docs).where(product_docs.c.session_id == session_id).values(values))


def _applied_before(connection: Connection, session_id: str, key: str) -> bool:
    table = product_doc_patches
    query = select(table.c.number).where(table.c.session_id == session_id, table.c.idempotency_key == key)
    return connection.execute(query).first() is not None

"""The product docs on SQL: incremental patches, each applied once and kept (spec 000, 1b.3)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict
from sqlalchemy import Column, Connection, Row, delete, func, insert, select, update

from loopwright.kernel.errors import NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import session_row
from loopwright.stores.tables import product_doc_patches, product_doc_sections, product_docs

Author = Literal["llm", "user"]
PatchOp = Literal["set", "append", "remove"]

_MAX_NAME = 200
_MAX_KEY = 240


class SectionPatch(Protocol):
    """What an agent hands in; any object with these attributes will do. A `title` of None keeps the old one."""

    @property
    def name(self) -> str:
        """The section's name."""
        ...

    @property
    def op(self) -> PatchOp:
        """What to do with the section."""
        ...

    @property
    def content(self) -> str:
        """Markdown to set or to append; empty for `remove`."""
        ...

    @property
    def title(self) -> str | None:
        """The section's title, as a human reads it."""
        ...


class SectionRecord(BaseModel):
    """A section as it is now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    content: str
    updated_at: datetime
    updated_by: Author


class ProductDocRecord(BaseModel):
    """A session's product doc; the sections stand in the order in which they were first written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    sections: dict[str, SectionRecord]
    project_card: str
    updated_at: datetime


class PatchRecord(BaseModel):
    """One change of one section; `before` and `after` are its content, None where it does not exist."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    number: int
    section: str
    op: PatchOp
    title: str | None
    before: str | None
    after: str | None
    author: Author
    run_id: str | None
    at: datetime


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
            patches: to be applied; removing a section that does not exist is allowed.
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
                for number, patch in enumerate(patches):
                    row = _apply_one(connection, session_id, patch, author, now)
                    row |= {"idempotency_key": f"{key}#{number}", "run_id": run_id}
                    connection.execute(insert(product_doc_patches), [row])
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
        session_id=session_id, sections=sections, project_card=head.project_card, updated_at=head.updated_at
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


def _apply_one(
    connection: Connection, session_id: str, patch: SectionPatch, author: Author, now: datetime
) -> dict[str, Any]:
    """Change the section; gives the row of the history."""
    name = storable(patch.name, "section's name", _MAX_NAME)
    content = storable(patch.content, f"content of section {name}")
    title = None if patch.title is None else storable(patch.title, f"title of section {name}")
    table = product_doc_sections
    this = (table.c.session_id == session_id) & (table.c.section == name)
    old: Row[Any] | None = connection.execute(select(table).where(this)).first()
    before = None if old is None else old.content
    after: str | None = content
    if patch.op == "remove":
        after = None
    elif patch.op == "append" and before:
        after = f"{before.rstrip()}\n\n{content}"
    if after is None:
        connection.execute(delete(table).where(this))
    else:
        values = {"content": after, "updated_at": now, "updated_by": author}
        if old is not None:
            values["title"] = title if title is not None else old.title
            connection.execute(update(table).where(this).values(values))
        else:
            position = _next(connection, table.c.position, session_id)
            values |= {"title": title if title is not None else name, "position": position}
            connection.execute(insert(table), [{"session_id": session_id, "section": name, **values}])
    return {
        "session_id": session_id,
        "number": _next(connection, product_doc_patches.c.number, session_id),
        "section": name,
        "op": patch.op,
        "title": title,
        "before": before,
        "after": after,
        "author": author,
        "at": now,
    }


def _next(connection: Connection, counter: Column[int], session_id: str) -> int:
    """One more than the greatest of the session's."""
    greatest = select(func.max(counter)).where(counter.table.c.session_id == session_id)
    return (connection.execute(greatest).scalar() or 0) + 1

"""The product docs on SQL: incremental patches, each applied once and kept (spec 000, 1b.3)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict
from sqlalchemy import Column, Connection, Row, delete, func, insert, select, update

from loopwright.agents.pages.store.tables import (
    product_doc_facts,
    product_doc_patches,
    product_doc_sections,
    product_docs,
)
from loopwright.kernel.errors import NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import session_row

# What the store of the product docs takes and gives back.

Author = Literal["llm", "user"]
"""Who writes sections."""
PatchOp = Literal["set", "append", "remove", "merge"]
HistoryOp = Literal["set", "append", "remove", "merge", "facts"]
HistoryAuthor = Literal["llm", "user", "controller"]
"""Facts are the controller's, and nothing else is."""


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
        """Markdown to set or to append; empty for `remove`; for `merge` what the section is to say, or empty."""
        ...

    @property
    def sources(self) -> Sequence[str]:
        """For `merge`: the sections that go into this one; empty for everything else."""
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


class FactsRecord(BaseModel):
    """What the controller has found out about something that the doc describes, and when that last changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: str
    updated_at: datetime


class ProductDocRecord(BaseModel):
    """A session's product doc; the sections stand in the order in which they were first written.

    `facts` go by the names of sections too, but are no part of them: what people and models write is theirs alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    sections: dict[str, SectionRecord]
    facts: dict[str, FactsRecord]
    project_card: str
    updated_at: datetime


class PatchRecord(BaseModel):
    """One change of one section, or (op `facts`) of what is known to be true of its subject.

    `before` and `after` are the content, None where there is none; `merged_into` names the section that took it over.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    number: int
    section: str
    op: HistoryOp
    title: str | None
    before: str | None
    after: str | None
    author: HistoryAuthor
    merged_into: str | None
    run_id: str | None
    at: datetime


# How the rows of a product doc change: one patch of one section, and each change as a row of the history.

MAX_NAME = 200

HistoryRow = dict[str, Any]
"""What changed, without who did it and when."""


def apply_patch(
    connection: Connection, session_id: str, patch: SectionPatch, author: Author, now: datetime
) -> list[HistoryRow]:
    """Change what the patch names; gives a row of the history for each section that it concerns.

    Raises:
        InvalidInput: a text cannot be stored.
    """
    name = storable(patch.name, "section's name", MAX_NAME)
    content = storable(patch.content, f"content of section {name}")
    title = None if patch.title is None else storable(patch.title, f"title of section {name}")
    old = _section(connection, session_id, name)
    before = None if old is None else old.content
    gone: list[HistoryRow] = []
    after: str | None = content
    if patch.op == "remove":
        after = None
    elif patch.op == "append" and before:
        after = f"{before.rstrip()}\n\n{content}"
    elif patch.op == "merge":
        merged = _sources(connection, session_id, name, patch.sources)
        gone = [_change(each.section, "merge", each.content, None, merged_into=name) for each in merged]
        _remove(connection, session_id, [each.section for each in merged])
        parts = [before, *(each.content for each in merged)]
        after = content or "\n\n".join(part.strip() for part in parts if part) or before
    if after is None:
        _remove(connection, session_id, [name])
    else:
        _put(connection, session_id, name, title, after, old, author, now)
    return [*gone, _change(name, patch.op, before, after, title=title)]


def add_to_history(connection: Connection, session_id: str, row: HistoryRow, key: str | None = None) -> None:
    """Write a row of the history; without a key of its own it is known by its number."""
    number = next_number(connection, product_doc_patches.c.number, session_id)
    known = {"session_id": session_id, "number": number, "idempotency_key": key or f"number:{number}"}
    connection.execute(insert(product_doc_patches), [row | known])


def next_number(connection: Connection, counter: Column[int], session_id: str) -> int:
    """One more than the greatest of the session's."""
    greatest = select(func.max(counter)).where(counter.table.c.session_id == session_id)
    return (connection.execute(greatest).scalar() or 0) + 1


def _change(
    name: str,
    op: HistoryOp,
    before: str | None,
    after: str | None,
    *,
    title: str | None = None,
    merged_into: str | None = None,
) -> HistoryRow:
    return {"section": name, "op": op, "title": title, "before": before, "after": after, "merged_into": merged_into}


def _section(connection: Connection, session_id: str, name: str) -> Row[Any] | None:
    table = product_doc_sections
    return connection.execute(select(table).where(table.c.session_id == session_id, table.c.section == name)).first()


def _sources(connection: Connection, session_id: str, name: str, sources: Sequence[str]) -> list[Row[Any]]:
    """The sections that exist of those named, in the order in which they are named, each once."""
    found = (_section(connection, session_id, source) for source in dict.fromkeys(sources) if source != name)
    return [row for row in found if row is not None]


def _remove(connection: Connection, session_id: str, names: Sequence[str]) -> None:
    table = product_doc_sections
    connection.execute(delete(table).where(table.c.session_id == session_id, table.c.section.in_(names)))


def _put(
    connection: Connection,
    session_id: str,
    name: str,
    title: str | None,
    content: str,
    old: Row[Any] | None,
    author: Author,
    now: datetime,
) -> None:
    table = product_doc_sections
    values = {"content": content, "updated_at": now, "updated_by": author}
    if old is not None:
        this = (table.c.session_id == session_id) & (table.c.section == name)
        connection.execute(update(table).where(this).values(values | {"title": old.title if title is None else title}))
        return
    position = next_number(connection, table.c.position, session_id)
    values |= {"title": name if title is None else title, "position": position}
    connection.execute(insert(table), [{"session_id": session_id, "section": name, **values}])


# The facts beside a product doc's sections: what the controller keeps true, and when it changed.


def read_facts(connection: Connection, session_id: str) -> dict[str, FactsRecord]:
    """All facts, by name."""
    table = product_doc_facts
    rows = connection.execute(select(table).where(table.c.session_id == session_id).order_by(table.c.section))
    return {row.section: FactsRecord(content=row.content, updated_at=row.updated_at) for row in rows}


def write_facts(
    connection: Connection,
    session_id: str,
    facts: Mapping[str, str | None],
    now: datetime,
    run_id: str | None,
    ensure_doc: Callable[[], None],
) -> tuple[str, ...]:
    """Write what has changed, each with its row of the history; gives the names.

    Raises:
        InvalidInput: a text cannot be stored.
    """
    known = read_facts(connection, session_id)
    changed = [name for name, text in facts.items() if text != (known[name].content if name in known else None)]
    if changed:
        ensure_doc()
    table = product_doc_facts
    for name in changed:
        text, before = facts[name], known.get(name)
        storable(name, "section's name", MAX_NAME)
        connection.execute(delete(table).where(table.c.session_id == session_id, table.c.section == name))
        if text is not None:
            storable(text, f"facts of {name}")
            row = {"session_id": session_id, "section": name, "content": text, "updated_at": now}
            connection.execute(insert(table), [row])
        told: HistoryRow = {"section": name, "op": "facts", "title": None, "merged_into": None}
        told |= {"before": before.content if before else None, "after": text}
        add_to_history(connection, session_id, told | {"author": "controller", "at": now, "run_id": run_id})
    return tuple(changed)


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

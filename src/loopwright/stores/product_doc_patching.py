"""How the rows of a product doc change: one patch of one section, and each change as a row of the history."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Row, delete, func, insert, select, update

from loopwright.stores.errors import storable
from loopwright.stores.product_doc_records import Author, HistoryOp, SectionPatch
from loopwright.stores.tables import product_doc_patches, product_doc_sections

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

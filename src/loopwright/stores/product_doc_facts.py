"""The facts beside a product doc's sections: what the controller keeps true, and when it changed."""

from collections.abc import Callable, Mapping
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from loopwright.stores.errors import storable
from loopwright.stores.product_doc_patching import MAX_NAME, HistoryRow, add_to_history
from loopwright.stores.product_doc_records import FactsRecord
from loopwright.stores.tables import product_doc_facts


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

"""Taking sessions over from another database, a session at a time, each whole or not at all.

Only what is over comes along: a run that waits or is under way would go on with whatever its journal says that the
user has allowed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, Table, insert, select
from sqlalchemy.exc import IntegrityError

from loopwright.kernel.errors import Conflict
from loopwright.kernel.state import TERMINAL
from loopwright.stores.database import Database
from loopwright.stores.tables import events, metadata, runs, sessions

OWNERS = ("session_id", "job_id", "run_id", "page_id", "plan_id", "requirement_id")
"""Columns that say whose a row is, in the order in which they are asked."""
Rows = list[tuple[Table, list[dict[str, Any]]]]
"""By table; events name their run by its id here, since each database gives runs numbers of its own."""


@dataclass(frozen=True)
class Imported:
    """What came along; `unfinished` are runs that did not, `refused` sessions whose ids are taken here."""

    sessions: int = 0
    runs: int = 0
    unfinished: int = 0
    refused: tuple[str, ...] = ()


async def import_sessions(source: Database, target: Database) -> Imported:
    """Copy every session of `source` that `target` does not have, with its finished runs and all that belongs to them.

    Both databases have the tables of all agents whose tables are on the metadata.

    Raises:
        StoreUnavailable: one of the databases cannot be used.
    """
    known = set(await target.read(_session_ids))
    found = [each for each in await source.read(_session_ids) if each not in known]
    taken = unfinished = 0
    refused = []
    for session_id in found:
        rows, left = await source.read(partial(_rows_of, session_id=session_id))
        try:
            await target.write(partial(_insert, found=rows))
        except Conflict:
            refused.append(session_id)
            continue
        taken += sum(len(each) for table, each in rows if table is runs)
        unfinished += left
    return Imported(len(found) - len(refused), taken, unfinished, tuple(refused))


async def agents_in(database: Database) -> set[str]:
    """Whose sessions a database has."""
    return set(await database.read(lambda connection: connection.execute(select(sessions.c.agent)).scalars().all()))


def _session_ids(connection: Connection) -> Sequence[str]:
    return connection.execute(select(sessions.c.session_id).order_by(sessions.c.created_at)).scalars().all()


def _rows_of(connection: Connection, session_id: str) -> tuple[Rows, int]:
    """The rows of a session, those before which others come to depend on them first; and how many runs are left out."""
    known: dict[str, set[str]] = {"session_id": {session_id}, "job_id": {session_id}}
    found: Rows = []
    unfinished = 0
    for table in metadata.sorted_tables:
        owner = next((name for name in OWNERS if name in table.c and name in known), None)
        if owner is None:
            continue
        chosen = select(table).where(table.c[owner].in_(sorted(known[owner])))
        rows = [dict(row) for row in connection.execute(chosen).mappings()]
        if table is runs:
            over = [{**row, "owner": None, "heartbeat_at": None} for row in rows if row["status"] in TERMINAL]
            unfinished, rows = len(rows) - len(over), over
            known["run_id"] = {row["run_id"] for row in rows}
        key = table.primary_key.columns.keys()
        if len(key) == 1 and key[0] in OWNERS and key[0] not in known:
            known[key[0]] = {row[key[0]] for row in rows}
        found.append((table, rows))
    found.append((events, _events_of(connection, next(rows for table, rows in found if table is runs))))
    return found, unfinished


def _events_of(connection: Connection, own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = {row.pop("number"): row["run_id"] for row in own}
    chosen = select(events).where(events.c.run.in_(sorted(ids)))
    return [{**row, "run": ids[row["run"]]} for row in connection.execute(chosen).mappings()]


def _insert(connection: Connection, found: Rows) -> None:
    try:
        for table, rows in found:
            if table is events:
                rows = _numbered(connection, rows)
            if rows:
                connection.execute(insert(table), rows)
    except IntegrityError as error:
        raise Conflict(f"The database has something of this id already: {error.orig}") from error


def _numbered(connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = sorted({row["run"] for row in rows})
    numbers = dict(connection.execute(select(runs.c.run_id, runs.c.number).where(runs.c.run_id.in_(ids))).all())
    return [{**row, "run": numbers[row["run"]]} for row in rows]

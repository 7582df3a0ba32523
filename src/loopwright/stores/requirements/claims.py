"""Claiming requirements: no row is ever held by two owners."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, or_, select, true, update

from loopwright.stores.requirements.rows import IN_ORDER
from loopwright.stores.tables import requirements


@dataclass(frozen=True, slots=True)
class ClaimWish:
    """Somebody wants to hold up to `limit` requirements until `until`, of certain jobs or of any."""

    owner: str
    limit: int
    now: datetime
    until: datetime
    phase: int
    key: str
    jobs: Sequence[str] | None = None


def claim_rows(connection: Connection, wish: ClaimWish) -> list[Row[Any]]:
    """Grant the wish as far as there are rows.

    PostgreSQL passes over the rows that another transaction is about to take; on SQLite the transaction that writes is
    alone, so that what was read is still true when it is written.
    """
    own = requirements.c
    mine = (own.status == "validating") & (own.claimed_by == wish.owner)
    repeated = _locked(connection, mine & (own.claim_key == wish.key), wish)
    if repeated:
        return _hold(connection, repeated, wish)
    held = _locked(connection, mine, wish)
    abandoned = (own.status == "validating") & (own.claimed_by != wish.owner) & (own.claimed_until < wish.now)
    free = _locked(connection, or_(own.status == "pending", abandoned), wish, beside=len(held))
    return _hold(connection, held + free, wish)


def _locked(connection: Connection, condition: ColumnElement[bool], wish: ClaimWish, beside: int = 0) -> list[str]:
    """The ids of rows that fulfil the condition, locked, in their order; with those `beside`, as many as are wanted."""
    if beside >= wish.limit:
        return []
    of_jobs = requirements.c.job_id.in_(wish.jobs) if wish.jobs is not None else true()
    query = select(requirements.c.requirement_id).where(condition, of_jobs).order_by(*IN_ORDER)
    query = query.limit(wish.limit - beside).with_for_update(skip_locked=True)
    return list(connection.execute(query).scalars())


def _hold(connection: Connection, ids: Sequence[str], wish: ClaimWish) -> list[Row[Any]]:
    own = requirements.c
    taken_over = (own.status == "validating") & (own.claimed_by != wish.owner)
    chosen = own.requirement_id.in_(ids)
    connection.execute(update(requirements).where(chosen, taken_over).values(retry_count=own.retry_count + 1))
    values = {
        "status": "validating",
        "claimed_by": wish.owner,
        "claimed_until": wish.until,
        "claimed_phase": wish.phase,
        "claim_key": wish.key,
        "updated_at": wish.now,
    }
    connection.execute(update(requirements).where(chosen).values(values))
    return list(connection.execute(select(requirements).where(chosen).order_by(*IN_ORDER)))

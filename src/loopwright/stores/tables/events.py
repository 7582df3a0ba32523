"""The journal: what happened in every run, append-only."""

from sqlalchemy import BigInteger, Column, Float, Index, Integer, String, Table

from loopwright.stores.tables.base import Moment, Packed, metadata

events = Table(
    "events",
    metadata,
    # The run's `number`: its id would stand in every row and once more in the key, as long as a short payload.
    # No foreign key to runs: the fence has just updated that very row in the same transaction.
    Column("run", BigInteger, primary_key=True, autoincrement=False),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("type", String(64), nullable=False),
    Column("at", Moment, nullable=False),
    Column("payload", Packed, nullable=False),
    # USD of a `budget_charged` event, beside its payload, so that a day's spending is a sum over an index.
    Column("charged_usd", Float),
)

Index(
    "ix_events_charged",
    events.c.at,
    events.c.charged_usd,
    sqlite_where=events.c.charged_usd.is_not(None),
    postgresql_where=events.c.charged_usd.is_not(None),
)

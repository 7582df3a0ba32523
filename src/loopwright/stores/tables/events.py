"""The journal: what happened in every run, append-only."""

from sqlalchemy import Column, Float, Index, Integer, String, Table, Text

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

events = Table(
    "events",
    metadata,
    # No foreign key to runs: the fence has just updated that very row in the same transaction.
    Column("run_id", Identifier, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("type", String(64), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("payload", Text, nullable=False),
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

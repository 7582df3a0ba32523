"""The ledger of a session: what was promised to the user, as checks; a withdrawn promise stays as a record."""

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

promises = Table(
    "promises",
    metadata,
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("idempotency_key", String(255), nullable=False),
    Column("slug", String(100), nullable=False),
    Column("request", Text, nullable=False),
    Column("author", String(16), nullable=False),
    Column("checks", Text, nullable=False),
    Column("run_id", Identifier, nullable=False),
    Column("call_id", String(255), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Text),
    Column("withdrawn_at", UtcDateTime),
    UniqueConstraint("session_id", "idempotency_key"),
    Index("ix_promises_run_id", "run_id", "call_id"),
)

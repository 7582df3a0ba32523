"""The ledger of a session: what was promised to the user, as checks, and what became of each check since."""

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
    UniqueConstraint("session_id", "idempotency_key"),
    Index("ix_promises_run_id", "run_id", "call_id"),
)
"""The table of promises."""

promise_entries = Table(
    "promise_entries",
    metadata,
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, nullable=False),
    Column("place", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("reason", Text),
    Column("superseded_by", Integer),
    Column("run_id", Identifier),
    Column("call_id", String(255)),
    Column("slug", String(100)),
    Column("version", Integer),
    Column("at", UtcDateTime, nullable=False),
)
"""Every turn of every check, only ever added to; the newest that counts says how the check stands.

One with a run and a call counts once that call has stored a page; `slug` and `version` name the page version that one
came with which has no call.
"""

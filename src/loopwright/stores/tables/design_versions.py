"""The versions of a session's design system: the whole style sheet each time, so that any one can come back."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table, Text, UniqueConstraint

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

design_versions = Table(
    "design_versions",
    metadata,
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("idempotency_key", String(255), nullable=False),
    Column("css", Text, nullable=False),
    Column("source", String(16), nullable=False),
    Column("description", Text, nullable=False),
    Column("restored_from", Integer),
    Column("run_id", Identifier),
    Column("call_id", String(255)),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("session_id", "idempotency_key"),
)

"""The sessions: what one user does with one agent, over many runs."""

from sqlalchemy import Column, Index, String, Table, Text

from loopwright.stores.tables.base import Identifier, JsonObject, UtcDateTime, metadata

sessions = Table(
    "sessions",
    metadata,
    Column("session_id", Identifier, primary_key=True),
    Column("agent", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("output_dir", Text, nullable=False),
    Column("metadata", JsonObject, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

Index(None, sessions.c.created_at)

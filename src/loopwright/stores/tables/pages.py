"""The pages of a session; their HTML is in the versions."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table, Text, UniqueConstraint

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

pages = Table(
    "pages",
    metadata,
    Column("page_id", Identifier, primary_key=True),
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), nullable=False),
    Column("slug", String(100), nullable=False),
    Column("title", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("current_version", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("session_id", "slug"),
)

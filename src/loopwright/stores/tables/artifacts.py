"""What runs have made besides text: files by path, blobs by digest."""

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint

from loopwright.stores.tables.base import Identifier, JsonObject, UtcDateTime, metadata

artifacts = Table(
    "artifacts",
    metadata,
    Column("artifact_id", Identifier, primary_key=True),
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), nullable=False),
    Column("run_id", Identifier),
    Column("idempotency_key", String(255), nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", String(64), nullable=False),
    Column("media_type", String(255), nullable=False),
    Column("path", Text),
    Column("digest", String(64)),
    Column("size_bytes", Integer),
    Column("metadata", JsonObject, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("session_id", "idempotency_key"),
)

Index(None, artifacts.c.session_id, artifacts.c.created_at)
Index(None, artifacts.c.run_id)

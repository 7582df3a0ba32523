"""Sources, and the citations taken from them, numbered within each job."""

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

sources = Table(
    "sources",
    metadata,
    Column("job_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("title", Text, nullable=False),
    Column("locator", Text, nullable=False),
    Column("stored_path", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("retrieved_at", UtcDateTime, nullable=False),
    UniqueConstraint("job_id", "locator", "sha256"),
)

citations = Table(
    "citations",
    metadata,
    Column("job_id", Identifier, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("source_number", Integer, nullable=False),
    Column("claim", Text, nullable=False),
    Column("verbatim_quote", Text, nullable=False),
    Column("quote_context", Text, nullable=False),
    Column("page", Integer),
    Column("locator", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("extraction_method", String(40), nullable=False),
    Column("verification_status", String(16), nullable=False),
    Column("idempotency_key", String(255), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(["job_id", "source_number"], ["sources.job_id", "sources.number"], ondelete="CASCADE"),
    UniqueConstraint("job_id", "idempotency_key"),
)

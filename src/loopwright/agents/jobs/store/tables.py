"""Tables of the jobs agent: states, sources with their citations, and requirements."""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from loopwright.stores.tables import Identifier, UtcDateTime, metadata

# Jobs: the state of each job, which is a session.

job_states = Table(
    "job_states",
    metadata,
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True),
    Column("state", Text, nullable=False),
    Column("last_key", String(255), nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

# Sources, and the citations taken from them, numbered within each job.

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

# Requirements, with who holds each and what was said of it, and the edits that a rewind takes back.

requirements = Table(
    "requirements",
    metadata,
    Column("requirement_id", Identifier, primary_key=True),
    Column("job_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), nullable=False),
    Column("phase", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("type", String(16), nullable=False),
    Column("priority", String(8), nullable=False),
    Column("source_document", Text, nullable=False),
    Column("source_location", Text, nullable=False),
    Column("gobd_relevant", Boolean, nullable=False),
    Column("gdpr_relevant", Boolean, nullable=False),
    Column("citations", JSON, nullable=False),
    Column("mentioned_objects", JSON, nullable=False),
    Column("mentioned_messages", JSON, nullable=False),
    Column("reasoning", Text, nullable=False),
    Column("research_notes", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("status", String(16), nullable=False),
    Column("graph_number", Integer),
    Column("validation_result", JSON(none_as_null=True)),
    Column("rejection_reason", Text, nullable=False),
    Column("retry_count", Integer, nullable=False),
    Column("last_error", Text, nullable=False),
    Column("claimed_by", Identifier),
    Column("claimed_until", UtcDateTime),
    Column("claimed_phase", Integer),
    Column("claim_key", String(255)),
    Column("settled_by", Identifier),
    Column("settled_phase", Integer),
    Column("settle_key", String(255)),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Index("ix_requirements_status", "status", "created_at"),
    Index("ix_requirements_job_id", "job_id"),
    Index("ix_requirements_claimed_by", "claimed_by"),
    Index("ix_requirements_settled_by", "settled_by"),
    UniqueConstraint("job_id", "position"),
    UniqueConstraint("graph_number"),
)

requirement_edits = Table(
    "requirement_edits",
    metadata,
    Column(
        "requirement_id", Identifier, ForeignKey("requirements.requirement_id", ondelete="CASCADE"), primary_key=True
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("job_id", Identifier, nullable=False),
    Column("phase", Integer, nullable=False),
    Column("key", String(255), nullable=False),
    Column("before", JSON, nullable=False),
    Index("ix_requirement_edits_job_id", "job_id", "phase"),
    UniqueConstraint("requirement_id", "key"),
)

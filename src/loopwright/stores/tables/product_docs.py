"""The product docs: sections and facts as they are, and every patch that made them so (spec 000, 1b.3 and 1b.4)."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table, Text, UniqueConstraint

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

product_docs = Table(
    "product_docs",
    metadata,
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True),
    Column("project_card", Text, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

product_doc_sections = Table(
    "product_doc_sections",
    metadata,
    Column("session_id", Identifier, ForeignKey("product_docs.session_id", ondelete="CASCADE"), primary_key=True),
    Column("section", String(200), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("updated_by", String(8), nullable=False),
)

product_doc_facts = Table(
    "product_doc_facts",
    metadata,
    Column("session_id", Identifier, ForeignKey("product_docs.session_id", ondelete="CASCADE"), primary_key=True),
    Column("section", String(200), primary_key=True),
    Column("content", Text, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

product_doc_patches = Table(
    "product_doc_patches",
    metadata,
    Column("session_id", Identifier, ForeignKey("product_docs.session_id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("idempotency_key", String(255), nullable=False),
    Column("section", String(200), nullable=False),
    Column("op", String(8), nullable=False),
    Column("title", Text),
    Column("before", Text),
    Column("after", Text),
    Column("author", String(16), nullable=False),
    Column("merged_into", String(200)),
    Column("run_id", Identifier),
    Column("at", UtcDateTime, nullable=False),
    UniqueConstraint("session_id", "idempotency_key"),
)

"""Tables of the pages agent: pages and their versions, design systems, product docs, promises."""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from loopwright.stores.tables import Identifier, UtcDateTime, metadata

# The pages of a session; their HTML is in the versions.

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

# Every version of every page; a released one has given its HTML up (field notes, 000: retention). A `deleted`
# version never had any: as of it, there is no page.

page_versions = Table(
    "page_versions",
    metadata,
    Column("page_id", Identifier, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("idempotency_key", String(255), nullable=False),
    Column("source", String(16), nullable=False),
    Column("description", Text, nullable=False),
    Column("html", Text),
    Column("size_bytes", Integer, nullable=False),
    Column("pinned", Boolean, nullable=False, server_default=false()),
    Column("deleted", Boolean, nullable=False, server_default=false()),
    Column("run_id", Identifier),
    Column("call_id", String(255)),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("page_id", "idempotency_key"),
)

# The versions of a session's design system: the whole style sheet each time, so that any one can come back.

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

# The product docs: sections and facts as they are, and every patch that made them so (spec 000, 1b.3 and 1b.4).

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

# The record of a session: what was promised to the user, as checks, and what became of each check since.

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

"""Every version of every page; a released one has given its HTML up (field notes, 000: retention).

A `deleted` version never had any: as of it, there is no page.
"""

from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Table, Text, UniqueConstraint, false

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

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

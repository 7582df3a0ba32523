"""Pages with their versions, and product docs."""

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables import UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    _pages()
    _product_docs()


def _pages() -> None:
    op.create_table(
        "pages",
        sa.Column("page_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("current_version", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.session_id"], name="fk_pages_session_id_sessions", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", name="pk_pages"),
        sa.UniqueConstraint("session_id", "slug", name="uq_pages_session_id_slug"),
    )
    op.create_table(
        "page_versions",
        sa.Column("page_id", sa.String(length=64), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("idempotency_key", sa.String(length=255), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=True),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("pinned", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("call_id", sa.String(length=255), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.page_id"], name="fk_page_versions_page_id_pages", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", "version", name="pk_page_versions"),
        sa.UniqueConstraint("page_id", "idempotency_key", name="uq_page_versions_page_id_idempotency_key"),
    )


def _product_docs() -> None:
    op.create_table(
        "product_docs",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("project_card", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.session_id"], name="fk_product_docs_session_id_sessions", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session_id", name="pk_product_docs"),
    )
    op.create_table(
        "product_doc_sections",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("section", sa.String(length=200), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("updated_by", sa.String(length=8), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["product_docs.session_id"],
            name="fk_product_doc_sections_session_id_product_docs",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", "section", name="pk_product_doc_sections"),
    )
    op.create_table(
        "product_doc_patches",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("idempotency_key", sa.String(length=255), nullable=False),
        sa.Column("section", sa.String(length=200), nullable=False),
        sa.Column("op", sa.String(length=8), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("author", sa.String(length=8), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["product_docs.session_id"],
            name="fk_product_doc_patches_session_id_product_docs",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", "number", name="pk_product_doc_patches"),
        sa.UniqueConstraint("session_id", "idempotency_key", name="uq_product_doc_patches_session_id_idempotency_key"),
    )

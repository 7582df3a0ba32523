"""The first tables."""

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables.base import UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    _runs()
    _sessions()
    _pages()
    _product_docs()


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("agent", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=255), nullable=True),
        sa.Column("heartbeat_at", UtcDateTime(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("steps", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cost_usd", sa.Float(), server_default="0", nullable=False),
        sa.Column("cost_unknown", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
    )
    op.create_index("ix_runs_created_at", "runs", ["created_at"])
    op.create_index(
        "ix_runs_live",
        "runs",
        ["status"],
        sqlite_where=sa.text("status IN ('queued', 'running')"),
        postgresql_where=sa.text("status IN ('queued', 'running')"),
    )
    op.create_index("ix_runs_session_id_created_at", "runs", ["session_id", "created_at"])
    op.create_table(
        "events",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("charged_usd", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_events"),
    )
    op.create_index(
        "ix_events_charged",
        "events",
        ["at", "charged_usd"],
        sqlite_where=sa.text("charged_usd IS NOT NULL"),
        postgresql_where=sa.text("charged_usd IS NOT NULL"),
    )


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("agent", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("output_dir", sa.Text(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_sessions"),
    )
    op.create_index("ix_sessions_created_at", "sessions", ["created_at"])
    op.create_table(
        "artifacts",
        sa.Column("artifact_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("idempotency_key", sa.String(length=255), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("media_type", sa.String(length=255), nullable=False),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.Column("size_bytes", sa.Integer(), nullable=True),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.session_id"], name="fk_artifacts_session_id_sessions", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("artifact_id", name="pk_artifacts"),
        sa.UniqueConstraint("session_id", "idempotency_key", name="uq_artifacts_session_id_idempotency_key"),
    )
    op.create_index("ix_artifacts_run_id", "artifacts", ["run_id"])
    op.create_index("ix_artifacts_session_id_created_at", "artifacts", ["session_id", "created_at"])


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

"""The tables of sources and citations."""

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables import UtcDateTime

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the tables of sources and citations."""
    op.create_table(
        "sources",
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("locator", sa.Text(), nullable=False),
        sa.Column("stored_path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("retrieved_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["sessions.session_id"], name="fk_sources_job_id_sessions", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "number", name="pk_sources"),
        sa.UniqueConstraint("job_id", "locator", "sha256", name="uq_sources_job_id_locator_sha256"),
    )
    op.create_table(
        "citations",
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("source_number", sa.Integer(), nullable=False),
        sa.Column("claim", sa.Text(), nullable=False),
        sa.Column("verbatim_quote", sa.Text(), nullable=False),
        sa.Column("quote_context", sa.Text(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("locator", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("extraction_method", sa.String(length=40), nullable=False),
        sa.Column("verification_status", sa.String(length=16), nullable=False),
        sa.Column("idempotency_key", sa.String(length=255), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id", "source_number"],
            ["sources.job_id", "sources.number"],
            name="fk_citations_job_id_source_number_sources",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("job_id", "number", name="pk_citations"),
        sa.UniqueConstraint("job_id", "idempotency_key", name="uq_citations_job_id_idempotency_key"),
    )

"""The table of promises."""

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables import UtcDateTime

revision = "0007"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "promises",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("idempotency_key", sa.String(length=255), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("author", sa.String(length=16), nullable=False),
        sa.Column("checks", sa.Text(), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("call_id", sa.String(length=255), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("withdrawn_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.session_id"], name="fk_promises_session_id_sessions", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session_id", "number", name="pk_promises"),
        sa.UniqueConstraint("session_id", "idempotency_key", name="uq_promises_session_id_idempotency_key"),
    )
    op.create_index("ix_promises_run_id", "promises", ["run_id", "call_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("promises")

"""The table of job states."""

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables import UtcDateTime

revision = "0004"
down_revision = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "job_states",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("last_key", sa.String(length=255), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["sessions.session_id"],
            name="fk_job_states_session_id_sessions",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", name="pk_job_states"),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("job_states")

"""What the planner remembers of a user."""

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables import UtcDateTime

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table of memories."""
    op.create_table(
        "plan_memories",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("interaction_policy", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_plan_memories"),
    )

"""How many owners of a run have died in a row, and where it stood when the last one did."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the columns; of deaths up to now nothing is known."""
    for name in ("deaths", "deaths_at_seq"):
        op.add_column("runs", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop them."""
    for name in ("deaths_at_seq", "deaths"):
        op.drop_column("runs", name)

"""The tables of requirements and their edits."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables import UtcDateTime

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "requirements",
        sa.Column("requirement_id", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("phase", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        *_content(),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("graph_number", sa.Integer(), nullable=True),
        sa.Column("validation_result", sa.JSON(), nullable=True),
        sa.Column("rejection_reason", sa.Text(), nullable=False),
        sa.Column("retry_count", sa.Integer(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("claimed_until", UtcDateTime(), nullable=True),
        sa.Column("claimed_phase", sa.Integer(), nullable=True),
        sa.Column("claim_key", sa.String(length=255), nullable=True),
        sa.Column("settled_by", sa.String(length=64), nullable=True),
        sa.Column("settled_phase", sa.Integer(), nullable=True),
        sa.Column("settle_key", sa.String(length=255), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["sessions.session_id"], name="fk_requirements_job_id_sessions", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("requirement_id", name="pk_requirements"),
        sa.UniqueConstraint("job_id", "position", name="uq_requirements_job_id_position"),
        sa.UniqueConstraint("graph_number", name="uq_requirements_graph_number"),
    )
    op.create_index("ix_requirements_status", "requirements", ["status", "created_at"])
    for column in ("job_id", "claimed_by", "settled_by"):
        op.create_index(f"ix_requirements_{column}", "requirements", [column])
    _edits()


def _content() -> list[sa.Column[Any]]:
    """What somebody says of a requirement."""
    texts = ("text", "name", "source_document", "source_location", "reasoning", "research_notes")
    lists = ("citations", "mentioned_objects", "mentioned_messages", "tags")
    return [
        *(sa.Column(name, sa.Text(), nullable=False) for name in texts),
        *(sa.Column(name, sa.JSON(), nullable=False) for name in lists),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("priority", sa.String(length=8), nullable=False),
        sa.Column("gobd_relevant", sa.Boolean(), nullable=False),
        sa.Column("gdpr_relevant", sa.Boolean(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
    ]


def _edits() -> None:
    op.create_table(
        "requirement_edits",
        sa.Column("requirement_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("job_id", sa.String(length=64), nullable=False),
        sa.Column("phase", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["requirement_id"],
            ["requirements.requirement_id"],
            name="fk_requirement_edits_requirement_id_requirements",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("requirement_id", "number", name="pk_requirement_edits"),
        sa.UniqueConstraint("requirement_id", "key", name="uq_requirement_edits_requirement_id_key"),
    )
    op.create_index("ix_requirement_edits_job_id", "requirement_edits", ["job_id", "phase"])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("requirement_edits")
    op.drop_table("requirements")

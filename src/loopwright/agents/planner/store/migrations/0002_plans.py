"""The planner's tables."""

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables import UtcDateTime

revision = "0002"
down_revision = None


def upgrade() -> None:
    """Make the tables of plans."""
    op.create_table(
        "planning_states",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("last_key", sa.String(length=255), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["sessions.session_id"],
            name="fk_planning_states_session_id_sessions",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", name="pk_planning_states"),
    )
    _plans()
    _nodes()
    _tasks()


def _plans() -> None:
    op.create_table(
        "plans",
        sa.Column("plan_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("pattern_type", sa.String(length=64), nullable=False),
        sa.Column("pattern_subtype", sa.String(length=80), nullable=True),
        sa.Column("pattern_variant", sa.String(length=120), nullable=True),
        sa.Column("planning_status", sa.String(length=32), nullable=False),
        sa.Column("timezone", sa.String(length=64), nullable=False),
        sa.Column("starts_at", UtcDateTime(), nullable=True),
        sa.Column("ends_at", UtcDateTime(), nullable=True),
        sa.Column("gap", sa.Float(), nullable=True),
        sa.Column("refinement_round", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.session_id"], name="fk_plans_session_id_sessions", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("plan_id", name="pk_plans"),
    )
    for column in ("pattern_type", "pattern_subtype", "pattern_variant", "session_id"):
        op.create_index(f"ix_plans_{column}", "plans", [column])


def _nodes() -> None:
    op.create_table(
        "plan_nodes",
        sa.Column("plan_id", sa.String(length=64), nullable=False),
        sa.Column("node_id", sa.String(length=64), nullable=False),
        sa.Column("parent_id", sa.String(length=64), nullable=True),
        sa.Column("node_type", sa.String(length=16), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("order_index", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("progress", sa.Float(), nullable=False),
        sa.Column("recurrence", sa.String(length=16), nullable=False),
        sa.Column("dependencies", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_plan_nodes_plan_id_plans", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("plan_id", "node_id", name="pk_plan_nodes"),
    )


def _tasks() -> None:
    op.create_table(
        "scheduled_tasks",
        sa.Column("plan_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("node_id", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("starts_at", UtcDateTime(), nullable=False),
        sa.Column("ends_at", UtcDateTime(), nullable=False),
        sa.Column("estimated_minutes", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["plan_id", "node_id"],
            ["plan_nodes.plan_id", "plan_nodes.node_id"],
            name="fk_scheduled_tasks_plan_id_plan_nodes",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("plan_id", "number", name="pk_scheduled_tasks"),
        sa.UniqueConstraint("plan_id", "node_id", "starts_at", name="uq_scheduled_tasks_plan_id_node_id_starts_at"),
    )
    op.create_index("ix_scheduled_tasks_starts_at", "scheduled_tasks", ["starts_at"])

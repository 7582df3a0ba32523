"""Tables of the planner: working states, settled plans by nodes and times, and what is remembered of a user."""

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from loopwright.stores.tables import Identifier, UtcDateTime, metadata

# Plans: the planner's working state of a session, and each plan that was settled, by its nodes and its times.

planning_states = Table(
    "planning_states",
    metadata,
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True),
    Column("state", Text, nullable=False),
    Column("last_key", String(255), nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

plans = Table(
    "plans",
    metadata,
    Column("plan_id", Identifier, primary_key=True),
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), nullable=False),
    Column("title", Text, nullable=False),
    Column("pattern_type", String(64), nullable=False),
    Column("pattern_subtype", String(80)),
    Column("pattern_variant", String(120)),
    Column("planning_status", String(32), nullable=False),
    Column("timezone", String(64), nullable=False),
    Column("starts_at", UtcDateTime),
    Column("ends_at", UtcDateTime),
    Column("gap", Float),
    Column("refinement_round", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Index("ix_plans_pattern_type", "pattern_type"),
    Index("ix_plans_pattern_subtype", "pattern_subtype"),
    Index("ix_plans_pattern_variant", "pattern_variant"),
    Index("ix_plans_session_id", "session_id"),
)

plan_nodes = Table(
    "plan_nodes",
    metadata,
    Column("plan_id", Identifier, ForeignKey("plans.plan_id", ondelete="CASCADE"), primary_key=True),
    Column("node_id", Identifier, primary_key=True),
    Column("parent_id", Identifier),
    Column("node_type", String(16), nullable=False),
    Column("level", Integer, nullable=False),
    Column("order_index", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("progress", Float, nullable=False),
    Column("recurrence", String(16), nullable=False),
    Column("dependencies", Text, nullable=False),
    Column("details", Text, nullable=False),
)

scheduled_tasks = Table(
    "scheduled_tasks",
    metadata,
    Column("plan_id", Identifier, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("node_id", Identifier, nullable=False),
    Column("title", Text, nullable=False),
    Column("starts_at", UtcDateTime, nullable=False),
    Column("ends_at", UtcDateTime, nullable=False),
    Column("estimated_minutes", Integer),
    Column("status", String(16), nullable=False),
    Index("ix_scheduled_tasks_starts_at", "starts_at"),
    ForeignKeyConstraint(["plan_id", "node_id"], ["plan_nodes.plan_id", "plan_nodes.node_id"], ondelete="CASCADE"),
    UniqueConstraint("plan_id", "node_id", "starts_at"),
)

# What the planner remembers of a user from plan to plan.

plan_memories = Table(
    "plan_memories",
    metadata,
    Column("user_id", Identifier, primary_key=True),
    Column("interaction_policy", Text, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

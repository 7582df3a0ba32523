"""What the planner remembers of a user from plan to plan."""

from sqlalchemy import Column, Table, Text

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

plan_memories = Table(
    "plan_memories",
    metadata,
    Column("user_id", Identifier, primary_key=True),
    Column("interaction_policy", Text, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

"""Jobs: the state of each job, which is a session."""

from sqlalchemy import Column, ForeignKey, String, Table, Text

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

job_states = Table(
    "job_states",
    metadata,
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), primary_key=True),
    Column("state", Text, nullable=False),
    Column("last_key", String(255), nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

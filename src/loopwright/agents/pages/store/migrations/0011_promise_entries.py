"""The turns of each check, in the place of one state for the whole promise."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables import UtcDateTime

revision = "0011"
down_revision = "0010"

_STATE: tuple[sa.Column[Any], ...] = (
    sa.Column("status", sa.String(length=16), nullable=False, server_default="active"),
    sa.Column("reason", sa.Text(), nullable=True),
    sa.Column("withdrawn_at", UtcDateTime(), nullable=True),
)


def upgrade() -> None:
    """Make the table, and tell in it what was known of each promise."""
    entries = op.create_table(
        "promise_entries",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("superseded_by", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("call_id", sa.String(length=255), nullable=True),
        sa.Column("slug", sa.String(length=100), nullable=True),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.session_id"], name="fk_promise_entries_session_id_sessions", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session_id", "position", name="pk_promise_entries"),
    )
    rows = _entries_of_old_promises(op.get_bind())
    if rows:
        op.bulk_insert(entries, rows)
    for column in _STATE:
        op.drop_column("promises", column.name)


def _entries_of_old_promises(connection: sa.Connection) -> list[dict[str, Any]]:
    known = sa.table(
        "promises",
        *(sa.column(name) for name in ("session_id", "number", "checks", "run_id", "call_id", "status", "reason")),
        sa.column("created_at", UtcDateTime()),
        sa.column("withdrawn_at", UtcDateTime()),
    )
    rows: list[dict[str, Any]] = []
    positions: dict[str, int] = {}
    for promise in connection.execute(sa.select(known).order_by(known.c.session_id, known.c.number)):
        blank = {"session_id": promise.session_id, "number": promise.number, "reason": None, "superseded_by": None}
        blank |= {"slug": None, "version": None, "run_id": None, "call_id": None}
        for place in range(len(json.loads(promise.checks))):
            born = {"state": "active", "run_id": promise.run_id, "call_id": promise.call_id, "at": promise.created_at}
            turns = [born]
            if promise.status == "withdrawn":
                turns.append({"state": "withdrawn", "reason": promise.reason, "at": promise.withdrawn_at})
            for turn in turns:
                positions[promise.session_id] = position = positions.get(promise.session_id, 0) + 1
                rows.append({**blank, **turn, "place": place, "position": position})
    return rows


def downgrade() -> None:
    """Keep of each promise only whether it is withdrawn; the reasons are lost."""
    for column in _STATE:
        op.add_column("promises", column)
    op.execute(
        "UPDATE promises SET status = 'withdrawn' WHERE NOT EXISTS (SELECT 1 FROM promise_entries AS e "
        "WHERE e.session_id = promises.session_id AND e.number = promises.number AND e.state = 'active' "
        "AND NOT EXISTS (SELECT 1 FROM promise_entries AS later WHERE later.session_id = e.session_id "
        "AND later.number = e.number AND later.place = e.place AND later.position > e.position))"
    )
    op.drop_table("promise_entries")

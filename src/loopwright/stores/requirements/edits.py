"""What jobs change of requirements, kept in a form that a rewind can take back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from loopwright.stores.requirements.records import WithdrawalRecord
from loopwright.stores.requirements.rows import RELEASED, UNSETTLED, change_row
from loopwright.stores.requirements.states import statuses_before
from loopwright.stores.tables import requirement_edits, requirements


def note_edit(
    connection: Connection, requirement_id: str, job_id: str, phase: int, key: str, before: Mapping[str, Any]
) -> None:
    """Keep the values that an edit replaces."""
    edit = requirement_edits.c
    newest = select(func.max(edit.number)).where(edit.requirement_id == requirement_id)
    connection.execute(
        insert(requirement_edits).values(
            requirement_id=requirement_id,
            number=(connection.execute(newest).scalar() or 0) + 1,
            job_id=job_id,
            phase=phase,
            key=key,
            before=dict(before),
        )
    )


def is_noted(connection: Connection, requirement_id: str, key: str) -> bool:
    """Whether the edit with this key was made."""
    edit = requirement_edits.c
    query = select(edit.number).where(edit.requirement_id == requirement_id, edit.key == key)
    return connection.execute(query).first() is not None


def withdraw(connection: Connection, job_id: str, phase: int, now: datetime) -> WithdrawalRecord:
    """Undo what the job did after the phase: its edits, newest first, its claims and verdicts, its additions."""
    own = requirements.c
    restored = _restore(connection, job_id, phase, now)
    undone = own.status.in_(statuses_before("withdraw")) & (
        ((own.claimed_by == job_id) & (own.claimed_phase > phase))
        | ((own.settled_by == job_id) & (own.settled_phase > phase))
    )
    reopened = list(connection.execute(select(own.requirement_id).where(undone).with_for_update()).scalars())
    values = {**UNSETTLED, **RELEASED, "updated_at": now}
    connection.execute(update(requirements).where(own.requirement_id.in_(reopened)).values(values))
    added = (own.job_id == job_id) & (own.phase > phase)
    removed = list(connection.execute(select(own.requirement_id).where(added).with_for_update()).scalars())
    connection.execute(delete(requirements).where(own.requirement_id.in_(removed)))
    gone = set(removed)
    return WithdrawalRecord(
        removed=removed,
        reopened=[name for name in reopened if name not in gone],
        restored=[name for name in restored if name not in gone],
    )


def _restore(connection: Connection, job_id: str, phase: int, now: datetime) -> list[str]:
    edit = requirement_edits.c
    late = (edit.job_id == job_id) & (edit.phase > phase)
    query = select(requirement_edits).where(late).order_by(edit.requirement_id, edit.number.desc())
    restored: dict[str, dict[str, Any]] = {}
    for row in connection.execute(query):
        restored.setdefault(row.requirement_id, {}).update(row.before)
    for requirement_id, values in restored.items():
        change_row(connection, requirement_id, values, now)
    connection.execute(delete(requirement_edits).where(late))
    return list(restored)

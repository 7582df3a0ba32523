"""A requirement's row: finding, changing, and reading it as a record."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, Row, select, update

from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.stores.errors import storable
from loopwright.stores.requirements.records import (
    RequirementFields,
    RequirementRecord,
    RequirementText,
    graph_id_of,
)
from loopwright.stores.tables import requirements

IN_ORDER = (requirements.c.created_at, requirements.c.job_id, requirements.c.position)
"""The order of adding; within one job it is exact, however fast the additions come."""

RELEASED: Mapping[str, Any] = MappingProxyType(
    {"claimed_by": None, "claimed_until": None, "claimed_phase": None, "claim_key": None}
)
"""What the row of a requirement says that nobody holds."""

UNSETTLED: Mapping[str, Any] = MappingProxyType(
    {
        "status": "pending",
        "validation_result": None,
        "rejection_reason": "",
        "last_error": "",
        "settled_by": None,
        "settled_phase": None,
        "settle_key": None,
    }
)
"""What the row of a requirement says on which no verdict was passed."""


def checked_fields(values: Mapping[str, Any], what: str) -> RequirementFields:
    """The fields of a requirement, if they can be stored.

    Raises:
        InvalidInput: a field is missing, unknown, of another type, too long, or has a zero character.
    """
    try:
        fields = RequirementFields.model_validate(values)
    except ValidationError as error:
        told = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
        raise InvalidInput(f"{what} is not usable: {told}") from error
    for name, value in fields:
        for text in value if isinstance(value, list) else [value]:
            storable(str(text), f"{name} of {what}")
    return fields


def new_row(fields: RequirementFields, requirement_id: str, now: datetime) -> dict[str, Any]:
    """The row of a requirement that is added now, without its job, phase and position."""
    return {
        **fields.model_dump(),
        **UNSETTLED,
        **RELEASED,
        "requirement_id": requirement_id,
        "retry_count": 0,
        "created_at": now,
        "updated_at": now,
    }


def requirement_row(connection: Connection, requirement_id: str, *, lock: bool = False) -> Row[Any]:
    """The row; locked, it keeps others from changing the requirement meanwhile.

    Raises:
        NotFound: there is no such requirement.
    """
    query = select(requirements).where(requirements.c.requirement_id == requirement_id)
    row = connection.execute(query.with_for_update() if lock else query).first()
    if row is None:
        raise NotFound(f"There is no requirement {requirement_id}.", hint="list_requirements shows what there is.")
    return row


def change_row(connection: Connection, requirement_id: str, values: Mapping[str, Any], now: datetime) -> None:
    """Set columns of the row."""
    own = requirements.c.requirement_id == requirement_id
    connection.execute(update(requirements).where(own).values({**values, "updated_at": now}))


def as_record(row: Row[Any]) -> RequirementRecord:
    """The row as others see it."""
    return RequirementRecord(**row._mapping)


def as_text(row: Any) -> RequirementText:
    """The few columns that comparing texts needs; they are read by the thousand, so nothing is checked again."""
    return RequirementText.model_construct(
        requirement_id=row.requirement_id,
        job_id=row.job_id,
        graph_id=graph_id_of(row.graph_number),
        status=row.status,
        name=row.name,
        text=row.text,
    )

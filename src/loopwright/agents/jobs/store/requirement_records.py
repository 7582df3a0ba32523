"""Requirements as the store knows them."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, computed_field
from sqlalchemy import Connection, Row, select, update

from loopwright.agents.jobs.store.tables import requirements
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.stores.errors import storable

# The statuses of a requirement and what leads from one to another, as one table.

Status = Literal["pending", "validating", "integrated", "rejected", "failed"]
STATUSES: tuple[Status, ...] = get_args(Status)

Event = Literal["claim", "take over", "release", "integrate", "reject", "fail", "retry", "withdraw"]

TRANSITIONS: Mapping[tuple[Status, Event], Status] = {
    ("pending", "claim"): "validating",
    ("validating", "take over"): "validating",
    ("validating", "release"): "pending",
    ("validating", "integrate"): "integrated",
    ("validating", "reject"): "rejected",
    ("validating", "fail"): "failed",
    ("failed", "retry"): "pending",
    ("validating", "withdraw"): "pending",
    ("integrated", "withdraw"): "pending",
    ("rejected", "withdraw"): "pending",
    ("failed", "withdraw"): "pending",
}
"""`take over` is a claim after a lease ran out; `withdraw` is a rewind of the job that claimed or settled."""

VERDICTS: Mapping[Status, Event] = {"integrated": "integrate", "rejected": "reject", "failed": "fail"}
"""What a holder may say, and the event that it is."""


def status_after(requirement_id: str, status: Status, event: Event) -> Status:
    """The status that the event leads to.

    Raises:
        Conflict: it leads nowhere from here.
    """
    target = TRANSITIONS.get((status, event))
    if target is None:
        possible = [name for (source, name) in TRANSITIONS if source == status and name != "withdraw"]
        raise Conflict(
            f"Requirement {requirement_id} is {status}; {event!r} is not possible.",
            hint=f"From {status}: {', '.join(possible)}." if possible else f"{status} is its end.",
        )
    return target


def statuses_before(event: Event) -> list[Status]:
    """The statuses from which the event leads on."""
    return [status for status, name in TRANSITIONS if name == event]


MAX_TEXT = 10_000
_Label = Annotated[str, Field(min_length=1, max_length=200)]
_Labels = Annotated[list[_Label], Field(max_length=100)]


class RequirementFields(BaseModel):
    """What somebody says of a requirement when adding it, and may change later."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1, max_length=MAX_TEXT)
    name: str = Field("", max_length=200)
    type: Literal["functional", "compliance", "constraint", "non_functional"] = "functional"
    priority: Literal["high", "medium", "low"] = "medium"
    source_document: str = Field("", max_length=500)
    source_location: str = Field("", max_length=500)
    gobd_relevant: bool = False
    gdpr_relevant: bool = False
    citations: _Labels = []
    mentioned_objects: _Labels = []
    mentioned_messages: _Labels = []
    reasoning: str = Field("", max_length=MAX_TEXT)
    research_notes: str = Field("", max_length=MAX_TEXT)
    confidence: float = Field(1.0, ge=0, le=1)
    tags: _Labels = []


def graph_id_of(number: int | None) -> str | None:
    """The `rid` that the number stands for."""
    return None if number is None else f"R-{number:04d}"


class RequirementRecord(RequirementFields):
    """A stored requirement. `phase` and `position` say when its job added it; a lease ends at `claimed_until`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    requirement_id: str
    job_id: str
    phase: int
    position: int
    status: Status
    graph_number: int | None = Field(exclude=True)
    validation_result: dict[str, Any] | None
    rejection_reason: str
    retry_count: int
    last_error: str
    claimed_by: str | None
    claimed_until: datetime | None
    settled_by: str | None
    created_at: datetime
    updated_at: datetime

    @computed_field  # type: ignore[prop-decorator] # mypy knows no decorators on properties
    @property
    def graph_id(self) -> str | None:
        """Its `rid` in the graph: `R-0001` and so on."""
        return graph_id_of(self.graph_number)


class RequirementText(BaseModel):
    """As much of a requirement as comparing texts needs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    requirement_id: str
    job_id: str
    graph_id: str | None
    status: Status
    name: str
    text: str


class WithdrawalRecord(BaseModel):
    """What a rewind has undone: the ids of what is gone, pending again, or as it was before its edits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    removed: list[str]
    reopened: list[str]
    restored: list[str]


# A requirement's row: finding, changing, and reading it as a record.

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

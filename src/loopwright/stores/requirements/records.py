"""Requirements as the store knows them."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field

from loopwright.stores.requirements.states import Status

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

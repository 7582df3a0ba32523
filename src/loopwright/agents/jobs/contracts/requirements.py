"""What a model says of a requirement when it adds one, or changes one."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

RequirementType = Literal["functional", "compliance", "constraint", "non_functional"]
Priority = Literal["high", "medium", "low"]


def _as_list(value: Any) -> Any:
    """A text of names with commas between them is the list that it means."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


Names = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=200)]], BeforeValidator(_as_list), Field(max_length=100)
]


class RequirementDraft(BaseModel):
    """A requirement that somebody proposes to add."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=10_000, description="The requirement, so that it is understood alone")
    name: str = Field("", max_length=200, description="A short name; without it the beginning of the text")
    req_type: RequirementType = "functional"
    priority: Priority = "medium"
    source_document: str = Field("", max_length=500, description="Such as documents/GoBD.pdf")
    source_location: str = Field("", max_length=500, description="Such as p. 12, section 3.2")
    gobd_relevant: bool = False
    gdpr_relevant: bool = False
    citations: Names = Field(default_factory=list, description="Ids of citations that bear it, such as CIT-001")
    mentioned_objects: Names = Field(default_factory=list, description="Business objects that it speaks of")
    mentioned_messages: Names = Field(default_factory=list, description="Messages that it speaks of")
    reasoning: str = Field("", max_length=10_000)
    research_notes: str = Field("", max_length=10_000)
    confidence: float = Field(1.0, ge=0, le=1)
    tags: Names = Field(default_factory=list)

    def fields(self) -> dict[str, Any]:
        """As the store takes it."""
        values = self.model_dump()
        values["type"] = values.pop("req_type")
        values["name"] = self.name.strip() or _beginning(self.text)
        return values


def _beginning(text: str, most: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rpartition(' ')[0] or line[: most - 1]}…"

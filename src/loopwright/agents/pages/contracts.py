"""The pages agent's contracts: what its tools, its stores' callers and its surfaces exchange (spec 000)."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

SLUG_PATTERN = r"[a-z0-9-]{1,40}"
"""A page's name in files and links; nothing that matches can leave the pages folder. The home page is `index`."""

FieldType = Literal["string", "number", "boolean", "array", "object"]
Cardinality = Literal["one-to-one", "one-to-many", "many-to-one", "many-to-many"]


class DataField(BaseModel):
    """One field of an entity."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: FieldType
    required: bool = False
    description: str | None = None


class DataEntity(BaseModel):
    """One kind of thing that the app knows."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    fields: tuple[DataField, ...]
    primary_key: str = Field(alias="primaryKey")


class DataRelation(BaseModel):
    """How two entities belong together; `foreign_key` is the field that says so."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    type: Cardinality
    foreign_key: str = Field(alias="foreignKey")


class DataModel(BaseModel):
    """The entities of an app and their relations (field notes, 000 · pages)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entities: dict[str, DataEntity]
    relations: tuple[DataRelation, ...] = ()

    def to_wire(self) -> dict[str, Any]:
        """The model as JSON data under the names of the contract (`primaryKey`, `from`, `to`, `foreignKey`)."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def told(self) -> dict[str, Any]:
        """What who plans has to know of it: the fields by their names. Who writes a page gets the whole model."""
        return {"entities": {name: [field.name for field in each.fields] for name, each in self.entities.items()}}


class PageEntry(BaseModel):
    """A page that exists or is planned, as links need it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    slug: str = Field(pattern=rf"^{SLUG_PATTERN}$")
    title: str


class SuggestedPage(PageEntry):
    """A page that the analysis of a brief suggests."""

    description: str


QuestionType = Literal["radio", "checkbox", "text"]


class BriefQuestion(BaseModel):
    """A question that follows from a brief.

    `decides` names the decision that its answer makes (`pages`, `style`, …), `effect` tells a human what that changes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    type: QuestionType
    options: tuple[str, ...] = ()
    decides: str
    effect: str
    default: str | tuple[str, ...] = ""
    language: Literal["en", "zh"] = "en"


class BriefAnalysis(BaseModel):
    """What rules can tell of a brief.

    `product_type` is the best guess, `scenario` the same where `confidence` suffices and `unknown` elsewhere;
    `alternatives` are other product types that the brief has words of, the likelier first. `missing` names what the
    brief does not say, `questions` ask for what of it would change the plan.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    product_type: str
    scenario: str
    confidence: float
    app_name: str
    tagline: str
    suggested_pages: tuple[SuggestedPage, ...]
    data_model: DataModel
    missing: tuple[str, ...]
    language: Literal["en", "zh"] = "en"
    alternatives: tuple[str, ...] = ()
    questions: tuple[BriefQuestion, ...] = ()

    def to_wire(self) -> dict[str, Any]:
        """The analysis as JSON data."""
        shown = self.model_dump(mode="json", exclude={"data_model": True, "questions": {"__all__": {"language"}}})
        return {**shown, "data_model": self.data_model.to_wire()}


SectionOp = Literal["set", "append", "remove", "merge"]
SectionName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]


class SectionPatch(BaseModel):
    """One change of one section of the product doc, as the model writes it.

    `merge` puts the sections `sources` into this one, which then says `content` where that is given, and else what all
    of them said; they are gone afterwards, and the history keeps their words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: SectionName
    title: str | None = Field(default=None, max_length=200)
    op: SectionOp = "set"
    content: str = Field(default="", max_length=20_000)
    sources: tuple[SectionName, ...] = Field(default=(), max_length=30)

    @model_validator(mode="after")
    def _merges_others(self) -> Self:
        if (self.op == "merge") != bool(self.sources):
            raise ValueError("merge needs sources, the sections that go into this one; no other op has them")
        if self.name in self.sources:
            raise ValueError(f"{self.name} cannot be merged into itself")
        return self


class ProductDocSection(BaseModel):
    """One section of the product doc (spec 000, 1b.4)."""

    title: str
    content: str
    updated_at: datetime
    updated_by: str


class ProductDoc(BaseModel):
    """What is known of the project, in sections that the model chooses (spec 000, 1b.4).

    `project_card` is its compact summary for every prompt, below 500 tokens.
    """

    session_id: str
    sections: dict[str, ProductDocSection]
    project_card: str
    updated_at: datetime


@dataclass
class OrchestratorResponse:
    """What callers of the orchestrator see at each turn (spec 000, phase 0: the twelve frozen fields)."""

    session_id: str
    phase: str
    message: str
    is_complete: bool
    preview_url: str | None = None
    preview_html: str | None = None
    progress: int | None = None
    questions: list[dict[str, Any]] | None = None
    action: str | None = None
    product_doc_updated: bool | None = None
    affected_pages: list[str] | None = None
    active_page_slug: str | None = None

    def to_payload(self) -> dict[str, Any]:
        """The fields that say something, as JSON data; None is left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

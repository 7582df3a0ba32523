"""Sources and citations as the store knows them."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SourceKind = Literal["document", "website", "database", "custom"]
VerificationStatus = Literal["verified", "unverified", "failed"]


class SourceRecord(BaseModel):
    """A source: one content of one document or page; what has changed is another source."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: str
    kind: SourceKind
    title: str
    locator: str
    stored_path: str
    sha256: str
    retrieved_at: datetime


class NewCitation(BaseModel):
    """What a citation says, before it has a number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: str
    claim: str = ""
    verbatim_quote: str = Field(min_length=1)
    quote_context: str = ""
    page: int | None = Field(None, ge=1)
    locator: str = ""
    confidence: float = Field(1.0, ge=0, le=1)
    extraction_method: str = Field("", max_length=40)
    verification_status: VerificationStatus = "unverified"


class CitationRecord(NewCitation):
    """A citation."""

    citation_id: str
    created_at: datetime

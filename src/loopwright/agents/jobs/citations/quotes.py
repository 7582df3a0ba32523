"""What the citing tools take: passages, letter by letter."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

MAX_QUOTES = 50


class Quote(BaseModel):
    """One passage to be cited."""

    model_config = ConfigDict(extra="forbid")

    quote: str = Field(min_length=1, max_length=5_000, description="The passage, letter by letter as it stands there")
    page: int | None = Field(None, ge=1, description="Its page, from 1; without it all pages are searched")
    claim: str = Field("", max_length=2_000, description="What the quote proves")
    confidence: float = Field(1.0, ge=0, le=1, description="How surely it proves the claim")


class QuotesParameters(BaseModel):
    """One quote, or many of the same source."""

    quote: str | None = Field(None, max_length=5_000, description="The passage, letter by letter as it stands there")
    page: int | None = Field(None, ge=1, description="Its page, from 1; without it all pages are searched")
    claim: str = Field("", max_length=2_000, description="What the quote proves")
    confidence: float = Field(1.0, ge=0, le=1, description="How surely it proves the claim")
    citations: list[Quote] = Field(default_factory=list, max_length=MAX_QUOTES, description="Many quotes at once")

    @model_validator(mode="after")
    def _has_a_quote(self) -> Self:
        if bool(self.quote) == bool(self.citations):
            raise ValueError("give either quote or citations")
        return self

    @property
    def quotes(self) -> list[Quote]:
        """All that is to be cited."""
        if self.quote is None:
            return self.citations
        return [Quote(quote=self.quote, page=self.page, claim=self.claim, confidence=self.confidence)]

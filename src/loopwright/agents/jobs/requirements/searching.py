"""Comparing requirements on behalf of a tool."""

import asyncio
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.contracts.requirements import Names
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.comparing import Corpus
from loopwright.agents.jobs.requirements.showing import SOURCE
from loopwright.kernel.tools import ToolContext, ToolResult

MOST_TEXTS = 50


class ComparisonParameters(BaseModel):
    """What is compared: stored requirements, or texts that are not stored yet."""

    requirement_text: str = Field("", max_length=10_000)
    requirement_texts: list[Annotated[str, Field(min_length=1, max_length=10_000)]] = Field(
        default_factory=list, max_length=MOST_TEXTS, description="Many texts at once, before they are stored"
    )
    requirement_id: str = Field("", max_length=64)
    requirement_ids: Names = Field(default_factory=list, description="Many stored requirements at once")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if bool(self.texts) == bool(self.ids):
            raise ValueError(
                "Give either requirement_text (or requirement_texts), or requirement_id (or requirement_ids)"
            )
        return self

    @property
    def texts(self) -> list[str]:
        """The texts that are asked about."""
        return [*([self.requirement_text] if self.requirement_text.strip() else []), *self.requirement_texts]

    @property
    def ids(self) -> list[str]:
        """The stored requirements that are asked about."""
        return list(dict.fromkeys([*([self.requirement_id] if self.requirement_id else []), *self.requirement_ids]))


async def compare(
    ctx: ToolContext[JobServices], wanted: ComparisonParameters, least: float, limit: int, title: str
) -> ToolResult:
    """Compare texts, or stored requirements, with everything known; one record for each, in their order.

    Args:
        ctx: of the call.
        wanted: what is asked about.
        least: the similarity from which on something counts.
        limit: matches for each.
        title: what the answer begins with.
    """
    corpus = await Corpus.of(ctx.db)
    asked: list[tuple[str | None, str]] = [(None, text) for text in wanted.texts]
    asked += [(name, corpus.text_of(name)) for name in wanted.ids]

    def work() -> list[dict[str, Any]]:
        return [{"requirement_id": name, "matches": corpus.like(text, least, limit, name)} for name, text in asked]

    records = await asyncio.to_thread(work)
    found = sum(bool(record["matches"]) for record in records)
    head = f"{title}: {found} of {len(records)} have any; compared with {len(corpus.known)} requirements."
    return await records_answer(head, records, SOURCE, ctx, found=found)

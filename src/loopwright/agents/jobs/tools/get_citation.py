"""`get_citation`: one citation, verified again against its source as it is now."""

import asyncio
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.jobs.citations.finding import Missing, find_quote
from loopwright.agents.jobs.citations.opening import open_document
from loopwright.agents.jobs.memory import config_of, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.sources import Citation, Source, VerificationStatus
from loopwright.agents.jobs.taint import as_data, inert, remember
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace


class GetCitationParameters(BaseModel):
    """Parameters of `get_citation`."""

    citation_id: str = Field(min_length=1, max_length=40, description="Such as CIT-001")


@dataclass(frozen=True)
class _Verification:
    status: VerificationStatus
    changed: bool
    said: str


class GetCitation(BaseTool[GetCitationParameters, JobServices]):
    """Shows a citation and verifies it again."""

    name = "get_citation"
    parameters_model = GetCitationParameters
    effect = "idempotent"

    async def execute(self, params: GetCitationParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Look the quote up anew; what was found is noted."""
        citation = await ctx.db.sources.citation(ctx.session_id, params.citation_id)
        sources = await ctx.db.sources.sources(ctx.session_id)
        source = next(each for each in sources if each.source_id == citation.source_id)
        workspace = workspace_of(ctx.output_dir, config_of(ctx.settings))
        verification = await _verify(citation, source, workspace)
        if verification.status != citation.verification_status:
            await ctx.db.sources.set_verification(ctx.session_id, citation.citation_id, verification.status)
        await asyncio.to_thread(remember, workspace, source.locator, citation.quote_context)
        page = f"#page={citation.page}" if citation.page else ""
        text = f"{citation.verbatim_quote}\n\nIn its surroundings: {citation.quote_context}\n\nClaim: {citation.claim}"
        lines = [
            f"{citation.citation_id}, from {source.source_id} ({inert(source.locator)}), {verification.said}",
            f"Confidence: {citation.confidence:g}",
            as_data(text, f"{source.locator}{page}"),
        ]
        return ToolResult(success=True, output="\n".join(lines), artifacts=_artifacts(citation, source, verification))


async def _verify(citation: Citation, source: Source, workspace: Workspace) -> _Verification:
    try:
        opened = await open_document(workspace, source.stored_path)
    except InvalidInput as error:
        return _Verification("failed", True, f"cannot be verified any more: {error.message}")
    changed = opened.sha256 != source.sha256
    since = "the source has changed since it was cited" if changed else "the source has not changed"
    found = await asyncio.to_thread(find_quote, opened.document, citation.verbatim_quote, citation.page)
    if isinstance(found, Missing):
        return _Verification("failed", changed, f"not verified: {found.reason}; {since}.")
    return _Verification("verified", changed, f"verified: the quote stands there; {since}.")


def _artifacts(citation: Citation, source: Source, verification: _Verification) -> dict[str, Any]:
    return {
        "citation_id": citation.citation_id,
        "source_id": source.source_id,
        "source": source.locator,
        "page": citation.page,
        "locator": citation.locator,
        "quote": citation.verbatim_quote,
        "claim": citation.claim,
        "confidence": citation.confidence,
        "verification_status": verification.status,
        "changed": verification.changed,
    }

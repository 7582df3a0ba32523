"""The tools for sources and citations."""

import asyncio
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from loopwright.agents.jobs.citations.opening import open_document
from loopwright.agents.jobs.citations.recording import (
    Missing,
    QuotesParameters,
    SourceLocation,
    find_quote,
    record_quotes,
)
from loopwright.agents.jobs.memory import config_of, load_job, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.stores import Citation, Source, VerificationStatus
from loopwright.agents.jobs.taint import remember
from loopwright.agents.jobs.tools.job_tool import Arguments, JobTool
from loopwright.agents.jobs.web.pages import Fetch, fetching, open_page, plain_address
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.prompts import as_data, inert
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace

# --------------------------------------------------------------------------------------------------------------------
# `cite_document`: a quote of a document as proof, recorded only if it really stands there.
# --------------------------------------------------------------------------------------------------------------------

DOCUMENTS = "documents"


class CiteDocumentParameters(QuotesParameters):
    """Parameters of `cite_document`."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")


class CiteDocument(JobTool[CiteDocumentParameters, JobServices]):
    """Verifies quotes in a document and records them."""

    name = "cite_document"
    parameters_model = CiteDocumentParameters
    told = ("citations", "citations.page")
    effect = "idempotent"

    async def execute(self, params: CiteDocumentParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Look the quotes up and record those that stand there."""
        config = config_of(ctx.settings)
        workspace = workspace_of(ctx.output_dir, config)
        opened = await open_document(workspace, params.path)
        if not opened.path.startswith((f"{DOCUMENTS}/", f"{config.research.folder.strip('/')}/")):
            raise InvalidInput(
                f"{opened.path} is not a document that was given to this job, so it proves nothing.",
                hint=f"Cite the document itself, in {DOCUMENTS}/.",
            )
        return await record_quotes(SourceLocation("document", opened.path), opened, params.quotes, workspace, ctx)


# --------------------------------------------------------------------------------------------------------------------
# `cite_web`: a quote of a web page as proof, checked against a copy that is kept.
# --------------------------------------------------------------------------------------------------------------------


class CiteWebParameters(QuotesParameters):
    """Parameters of `cite_web`."""

    url: str = Field(min_length=1, max_length=2_000, description="The page's address, as web_search gave it")


class CiteWeb(JobTool[CiteWebParameters, JobServices]):
    """Verifies quotes in the stored copy of a page and records them."""

    name = "cite_web"
    parameters_model = CiteWebParameters
    told = ("citations",)
    effect = "idempotent"

    def __init__(self, fetch: Fetch | None = None) -> None:
        """`fetch` is how a page is had; by default over HTTP from public hosts."""
        self._fetch = fetch or fetching()

    async def execute(self, params: CiteWebParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Open the copy, or fetch the page, and record the quotes that stand there."""
        url = plain_address(params.url)
        state = await load_job(ctx.db, ctx.session_id)
        workspace = workspace_of(ctx.output_dir, state.config)
        opened = await open_page(url, state, ctx.db, workspace, self._fetch)
        return await record_quotes(SourceLocation("website", url), opened, params.quotes, workspace, ctx)


class GetCitationParameters(Arguments):
    """Parameters of `get_citation`."""

    citation_id: str = Field(min_length=1, max_length=40, description="Such as CIT-001")


@dataclass(frozen=True)
class _Verification:
    status: VerificationStatus
    changed: bool
    said: str


class GetCitation(JobTool[GetCitationParameters, JobServices]):
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


# --------------------------------------------------------------------------------------------------------------------
# `list_sources`: what was cited so far, source by source.
# --------------------------------------------------------------------------------------------------------------------

MAX_IDS = 40


class ListSourcesParameters(Arguments):
    """Parameters of `list_sources`: none."""


class ListSources(JobTool[ListSourcesParameters, JobServices]):
    """Shows sources and their citations."""

    name = "list_sources"
    parameters_model = ListSourcesParameters
    effect = "idempotent"

    async def execute(self, params: ListSourcesParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """List them; titles are the sources' own words, so they are data."""
        sources = await ctx.db.sources.sources(ctx.session_id)
        if not sources:
            return ToolResult(success=True, output="Nothing has been cited yet.", artifacts={"sources": []})
        cited: dict[str, list[str]] = {source.source_id: [] for source in sources}
        for citation in await ctx.db.sources.citations(ctx.session_id):
            cited[citation.source_id].append(citation.citation_id)
        workspace = workspace_of(ctx.output_dir, config_of(ctx.settings))
        for source in sources:
            await asyncio.to_thread(remember, workspace, source.locator, source.title)
        lines = [_line(source, cited[source.source_id]) for source in sources]
        shown = [
            {"source_id": s.source_id, "locator": s.locator, "citations": len(cited[s.source_id])} for s in sources
        ]
        output = as_data("\n".join(lines), "the job's list of sources")
        return ToolResult(success=True, output=output, artifacts={"sources": shown})


def _line(source: Source, ids: list[str]) -> str:
    listed = ", ".join(ids[:MAX_IDS]) + (f" and {len(ids) - MAX_IDS} more" if len(ids) > MAX_IDS else "")
    title = " ".join(source.title.split())
    return f"{source.source_id} ({source.kind}) {source.locator}: “{title}”; citations: {listed or 'none'}"

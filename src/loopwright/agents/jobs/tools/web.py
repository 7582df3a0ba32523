"""The tools for sources: citing them, and looking for them on the web."""

import asyncio
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from loopwright.agents.jobs.citations import (
    Missing,
    QuotesParameters,
    SourceLocation,
    find_quote,
    open_document,
    record_quotes,
)
from loopwright.agents.jobs.contracts import JobConfig
from loopwright.agents.jobs.memory import config_of, load_job, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.stores import Citation, Source, VerificationStatus
from loopwright.agents.jobs.taint import remember
from loopwright.agents.jobs.tools.job_tool import Arguments, JobTool
from loopwright.agents.jobs.web import (
    Fetch,
    FolderSearch,
    Hit,
    InternetSearch,
    SearchProvider,
    fetching,
    note_found,
    open_page,
    plain_address,
)
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.prompts import as_data, inert
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace

# `cite_document`: a quote of a document as proof, recorded only if it really stands there.

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


# `cite_web`: a quote of a web page as proof, checked against a copy that is kept.


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


# `list_sources`: what was cited so far, source by source.

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


# `web_search`: looks something up on the web, or in the local folder that the job's config names.

MAX_SNIPPET = 600
MAX_TITLE = 200
SLUG = 40

Providers = Callable[[JobConfig, Workspace], SearchProvider]


class WebSearchParameters(Arguments):
    """Parameters of `web_search`."""

    query: str = Field(min_length=1, max_length=400, description="A few words")
    max_results: int = Field(5, ge=1, le=20)


def provider_for(config: JobConfig, workspace: Workspace) -> SearchProvider:
    """The provider that the config names; none stands in for another."""
    if config.research.provider == "web":
        return InternetSearch(config.language)
    return FolderSearch(workspace, config.research.folder)


class WebSearch(JobTool[WebSearchParameters, JobServices]):
    """Searches, keeps the results and gives them as data."""

    name = "web_search"
    parameters_model = WebSearchParameters
    effect = "idempotent"

    def __init__(self, providers: Providers = provider_for) -> None:
        """`providers` makes the provider of a job."""
        self._providers = providers

    async def execute(self, params: WebSearchParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Search, then file every result before it is shown."""
        config = config_of(ctx.settings)
        if not config.research.web_search_enabled:
            return ToolResult.failure("The job's config switches the search off.", "Go on with the documents.")
        workspace = workspace_of(ctx.output_dir, config)
        provider = self._providers(config, workspace)
        found = await provider.search(params.query, params.max_results)
        hits = [_cut(hit) for hit in found.hits]
        remarks = "".join(f"\nNot searched: {inert(remark)}" for remark in found.remarks)
        if not hits:
            return ToolResult(
                success=True,
                output=f"Nothing was found in {provider.name}; try other words.{remarks}",
                artifacts={"hits": []},
            )
        saved = _saved_as(params.query, ctx.idempotency_key)
        await asyncio.to_thread(_keep, workspace, saved, params.query, provider.name, hits)
        shown = "\n".join(as_data(f"{hit.title}\n{hit.snippet}", _source(hit)) for hit in hits)
        return ToolResult(
            success=True,
            output=f"{len(hits)} results from {provider.name}, kept in {saved}:\n{shown}{remarks}",
            artifacts={
                "hits": [{"title": h.title, "locator": h.locator, "page": h.page} for h in hits],
                "saved": saved,
            },
        )


def _cut(hit: Hit) -> Hit:
    snippet = hit.snippet if len(hit.snippet) <= MAX_SNIPPET else f"{hit.snippet[:MAX_SNIPPET].rstrip()}…"
    return Hit(" ".join(hit.title.split())[:MAX_TITLE], hit.locator, snippet, hit.page)


def _source(hit: Hit) -> str:
    return f"{hit.locator}#page={hit.page}" if hit.page else hit.locator


def _saved_as(query: str, key: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", query.lower()).strip("-")[:SLUG].strip("-")
    return f"sources/search_{slug or 'query'}_{hashlib.sha256(key.encode()).hexdigest()[:8]}.md"


def _keep(workspace: Workspace, path: str, query: str, where: str, hits: list[Hit]) -> None:
    """File the results as tainted, note their addresses, and write them down."""
    for hit in hits:
        remember(workspace, hit.locator, f"{hit.title}\n{hit.snippet}")
    note_found(workspace, [hit.locator for hit in hits if hit.locator.startswith(("http://", "https://"))])
    listed = [f"{n}. {hit.title}\n   {_source(hit)}\n\n   {hit.snippet}" for n, hit in enumerate(hits, start=1)]
    workspace.write_text(path, inert("\n\n".join([f"# Search for “{query}” in {where}", *listed])) + "\n")

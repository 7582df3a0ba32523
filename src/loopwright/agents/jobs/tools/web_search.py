"""`web_search`: looks something up on the web, or in the local folder that the job's config names."""

import asyncio
import hashlib
import re
from collections.abc import Callable

from pydantic import Field

from loopwright.agents.jobs.contracts import JobConfig
from loopwright.agents.jobs.memory import config_of, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import remember
from loopwright.agents.jobs.tools.job_tool import Arguments, JobTool
from loopwright.agents.jobs.web.pages import FolderSearch, Hit, InternetSearch, SearchProvider, note_found
from loopwright.kernel.prompts import as_data, inert
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace

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

"""`list_sources`: what was cited so far, source by source."""

import asyncio

from pydantic import BaseModel

from loopwright.agents.jobs.memory import config_of, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.sources import Source
from loopwright.agents.jobs.taint import as_data, remember
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

MAX_IDS = 40


class ListSourcesParameters(BaseModel):
    """Parameters of `list_sources`: none."""


class ListSources(BaseTool[ListSourcesParameters, JobServices]):
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

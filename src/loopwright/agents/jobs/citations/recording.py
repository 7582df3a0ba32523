"""Recording quotes: each is looked for in its source; those that stand there become citations."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.jobs.citations.finding import Found, Missing, find_quote
from loopwright.agents.jobs.citations.opening import Opened
from loopwright.agents.jobs.citations.quotes import Quote
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.sources import Citation, SourceKind
from loopwright.agents.jobs.taint import as_data, excerpt, inert, remember
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace

METHOD = "exact_match"
MAX_TITLE = 300


@dataclass(frozen=True)
class Place:
    """Which source is cited: `locator` is its path or address."""

    kind: SourceKind
    locator: str


async def record_quotes(
    place: Place, opened: Opened, quotes: Sequence[Quote], workspace: Workspace, ctx: ToolContext[JobServices]
) -> ToolResult:
    """Cite what stands in the source; successful if anything could be cited."""
    found = await asyncio.to_thread(lambda: [find_quote(opened.document, each.quote, each.page) for each in quotes])
    standing = [(quote, each) for quote, each in zip(quotes, found, strict=True) if isinstance(each, Found)]
    refused = [(quote, each) for quote, each in zip(quotes, found, strict=True) if isinstance(each, Missing)]
    told = [await _told(quote, missing, place, workspace) for quote, missing in refused]
    if not standing:
        return ToolResult.failure(f"Nothing was cited from {inert(place.locator)}.", "\n".join(told))
    source = await ctx.db.sources.add_source(
        ctx.session_id,
        kind=place.kind,
        title=inert(opened.document.title)[:MAX_TITLE],
        locator=place.locator,
        stored_path=opened.path,
        sha256=opened.sha256,
    )
    made = await ctx.db.sources.add_citations(
        ctx.session_id, [_fields(source.source_id, *each) for each in standing], ctx.idempotency_key
    )
    lines = [f"{each.citation_id}: {excerpt(each.verbatim_quote)} ({_where(each)})" for each in made]
    cited = as_data("\n".join(lines), place.locator)
    return ToolResult(
        success=True,
        output="\n".join([f"Cited from {source.source_id}, each quote verified:", cited, *told]),
        artifacts={"source_id": source.source_id, "citations": [_artifact(each) for each in made], "refused": told},
    )


async def _told(quote: Quote, missing: Missing, place: Place, workspace: Workspace) -> str:
    """What the model hears of a quote that was refused; the nearest passage is the document's text, so it is data."""
    said = f"Not cited: {excerpt(quote.quote)}: {missing.reason}. {missing.hint}"
    if not missing.nearest:
        return said
    await asyncio.to_thread(remember, workspace, place.locator, missing.nearest)
    page = f"#page={missing.nearest_page}" if missing.nearest_page else ""
    return f"{said}\n{as_data(missing.nearest, f'{place.locator}{page}')}"


def _fields(source_id: str, quote: Quote, found: Found) -> dict[str, object]:
    return {
        "source_id": source_id,
        "claim": quote.claim,
        "verbatim_quote": found.quote,
        "quote_context": found.context,
        "page": found.page,
        "locator": found.locator,
        "confidence": quote.confidence,
        "extraction_method": METHOD,
        "verification_status": "verified",
    }


def _artifact(citation: Citation) -> dict[str, Any]:
    return {"citation_id": citation.citation_id, "page": citation.page, "quote": citation.verbatim_quote}


def _where(citation: Citation) -> str:
    return citation.locator or "found in the text"

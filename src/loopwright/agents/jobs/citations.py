"""Citations: what is cited is opened, its quotes are looked for, and those that stand there are recorded."""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from loopwright.agents.jobs.documents import Document, Page, find_on_page, read_document
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.stores import Citation, SourceKind
from loopwright.agents.jobs.taint import remember
from loopwright.kernel.prompts import as_data, excerpt, inert
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace


@dataclass(frozen=True)
class Opened:
    """A file that can be cited; `path` is the workspace's name of it."""

    path: str
    sha256: str
    document: Document


async def open_document(workspace: Workspace, path: str) -> Opened:
    """Read a document of the workspace.

    Raises:
        NotFound: there is no such file.
        InvalidInput: the path leads out, or the file is not a document that can be read.
    """
    return await asyncio.to_thread(_open, workspace, path)


def _open(workspace: Workspace, path: str) -> Opened:
    name = workspace.relative(workspace.locate(path))
    data = workspace.read_bytes(name)
    return Opened(name, hashlib.sha256(data).hexdigest(), read_document(name, data))


# Recording quotes: each is looked for in its source; those that stand there become citations.
#
# Finding a quote in a document: on the page named, or on which page it stands, or what comes nearest to it.

MIN_SIGNIFICANT = 10
"""Letters and digits of a quote; less stands by chance in many places."""
CONTEXT = 200
MAX_HEADING = 120
NEAR = 0.6
"""The share of a quote's words that a passage needs to be shown as its near miss."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Found:
    """A quote in its document, spelled as it stands there; `page` is None in documents without pages."""

    quote: str
    context: str
    page: int | None
    locator: str


@dataclass(frozen=True)
class Missing:
    """Why a quote cannot be cited: `reason` is ours, `nearest` the document's own text where it comes near."""

    reason: str
    hint: str
    nearest: str = ""
    nearest_page: int | None = None


def find_quote(document: Document, quote: str, page: int | None) -> Found | Missing:
    """Find the quote.

    Args:
        document: as read.
        quote: a verbatim passage; the layout does not matter, each letter does.
        page: where it should stand, from 1; None looks on every page.
    """
    if sum(character.isalnum() for character in quote) < MIN_SIGNIFICANT:
        return Missing(f"the quote has fewer than {MIN_SIGNIFICANT} letters and digits", "Quote a whole statement.")
    paged = document.kind == "pdf" or len(document.pages) > 1
    if paged and page is not None and document.page(page) is None:
        return Missing(f"there is no page {page}", f"The document has {len(document.pages)} pages, counted from 1.")
    named = document.page(page) if paged and page is not None else None
    first = next(places_of(document, quote, page), None)
    if first is not None:
        return first
    elsewhere = [p.number for p in document.pages if p is not named and find_on_page(quote, p.text)] if named else []
    if elsewhere:
        pages = ", ".join(map(str, elsewhere[:5]))
        return Missing(f"the quote does not stand on page {page}; it stands on page {pages}", "Name that page.")
    return _missing(document, quote, paged)


def places_of(document: Document, quote: str, page: int | None) -> Iterator[Found]:
    """Every place where the quote stands, in the document's order; arguments as in `find_quote`."""
    paged = document.kind == "pdf" or len(document.pages) > 1
    for candidate in document.pages:
        if paged and page is not None and candidate.number != page:
            continue
        begin = 0
        while (place := find_on_page(quote, candidate.text[begin:])) is not None:
            start, end = begin + place[0], begin + place[1]
            yield _found(document, candidate, (start, end), paged)
            begin = end


def _found(document: Document, page: Page, place: tuple[int, int], paged: bool) -> Found:
    start, end = place
    heading = _heading_before(document, page, start)
    parts = [f"p. {page.number}"] if paged else []
    return Found(
        quote=page.text[start:end],
        context=page.text[max(0, start - CONTEXT) : end + CONTEXT],
        page=page.number if paged else None,
        locator=", ".join([*parts, *([heading] if heading else [])]),
    )


def _heading_before(document: Document, page: Page, start: int) -> str:
    """The heading under which the place stands."""
    own = [block for block in page.headings if block.start <= start]
    earlier = (p.headings[-1] for p in reversed(document.pages[: page.number - 1]) if p.headings)
    heading = own[-1] if own else next(earlier, None)
    return heading.line[:MAX_HEADING] if heading else ""


def _missing(document: Document, quote: str, paged: bool) -> Missing:
    if re.search(r"…|\.\.\.|\[\s*\.*\s*\]", quote):
        return Missing("the quote has a gap (… or [])", "Cite the parts one by one, each as it stands.")
    for first, second in zip(document.pages, document.pages[1:], strict=False):
        if find_on_page(quote, f"{first.text}\n{second.text}"):
            pages = f"pages {first.number} and {second.number}"
            return Missing(f"the quote runs over {pages}", "Cite the part on each page.")
    page, nearest = _nearest(document, quote)
    if page is None:
        return Missing("the quote does not stand in the document", "Quote what it says, letter by letter.")
    where = f" on page {page.number}" if paged else ""
    return Missing(
        "the quote does not stand in the document word for word",
        f"The nearest passage{where} is shown below; cite it if it says what you mean.",
        nearest,
        page.number if paged else None,
    )


def _nearest(document: Document, quote: str) -> tuple[Page | None, str]:
    """The passage of the quote's length that shares most words with it, if it shares enough."""
    wanted = Counter(_WORD.findall(quote.casefold()))
    size = wanted.total()
    best, best_page, best_place = NEAR * size, None, (0, 0)
    for page in document.pages:
        words = [(match.group().casefold(), match.start(), match.end()) for match in _WORD.finditer(page.text)]
        window: Counter[str] = Counter()
        shared = 0
        for last, (word, _, end) in enumerate(words):
            window[word] += 1
            shared += window[word] <= wanted[word]
            first = max(0, last - size + 1)
            if last >= size:
                gone = words[last - size][0]
                shared -= window[gone] <= wanted[gone]
                window[gone] -= 1
            if shared > best:
                best, best_page, best_place = shared, page, (words[first][1], end)
    return best_page, best_page.text[slice(*best_place)] if best_page else ""


# What the citing tools take: passages, letter by letter.

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


METHOD = "exact_match"
MAX_TITLE = 300


@dataclass(frozen=True)
class SourceLocation:
    """Which source is cited: `locator` is its path or address."""

    kind: SourceKind
    locator: str


async def record_quotes(
    place: SourceLocation, opened: Opened, quotes: Sequence[Quote], workspace: Workspace, ctx: ToolContext[JobServices]
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
    made = await _cited(source.source_id, opened.document, standing, ctx)
    lines = [f"{each.citation_id}: {excerpt(each.verbatim_quote)} ({_where(each)})" for each in made]
    cited = as_data("\n".join(lines), place.locator)
    return ToolResult(
        success=True,
        output="\n".join([f"Cited from {source.source_id}, each quote verified:", cited, *told]),
        artifacts={"source_id": source.source_id, "citations": [_artifact(each) for each in made], "refused": told},
    )


async def _cited(
    source_id: str, document: Document, standing: Sequence[tuple[Quote, Found]], ctx: ToolContext[JobServices]
) -> list[Citation]:
    """A citation for each quote, at the first place that has none yet; where all have one, the first one's.

    The key of each is its number among the quotes, so that a call that is run again makes none anew.
    """
    known = {
        (c.source_id, c.verbatim_quote, c.page, c.locator, c.quote_context): c
        for c in reversed(await ctx.db.sources.citations(ctx.session_id))
        if c.verification_status == "verified"
    }

    def is_free(found: Found) -> bool:
        return _place_key(source_id, found) not in known

    def next_free(quote: Quote) -> Found | None:
        return next(filter(is_free, places_of(document, quote.quote, quote.page)), None)

    made: list[Citation] = []
    for number, (quote, first) in enumerate(standing):
        free = first if is_free(first) else await asyncio.to_thread(next_free, quote)
        if free is None:
            made.append(known[_place_key(source_id, first)])
            continue
        fields = _fields(source_id, quote, free)
        (added,) = await ctx.db.sources.add_citations(ctx.session_id, [fields], f"{ctx.idempotency_key}:{number}")
        known[_place_key(source_id, free)] = added
        made.append(added)
    return made


def _place_key(source_id: str, found: Found) -> tuple[str, str, int | None, str, str]:
    return (source_id, found.quote, found.page, found.locator, found.context)


async def _told(quote: Quote, missing: Missing, place: SourceLocation, workspace: Workspace) -> str:
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

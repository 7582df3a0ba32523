"""Searching the web through `ddgs`, which asks public search engines."""

import asyncio

from loopwright.agents.jobs.contracts.config import Language
from loopwright.agents.jobs.web.search import Hit, Hits
from loopwright.kernel.errors import LoopwrightError, Misconfigured
from loopwright.kernel.web.addresses import is_public
from loopwright.kernel.web.proxy import guarded_proxy

REGIONS: dict[Language, str] = {"en": "us-en", "de": "de-de"}
SECONDS = 15
NOTHING_FOUND = "No results found"
MAX_ADDRESS = 2_000


class SearchFailed(LoopwrightError):
    """The search service gives nothing now: blocked, too many requests, no network."""

    code = "search_failed"


class InternetSearch:
    """The web search of a job whose config names the provider `web`."""

    name = "the web"

    def __init__(self, language: Language) -> None:
        """Prefer results in this language."""
        self._region = REGIONS[language]

    async def search(self, query: str, max_results: int) -> Hits:
        """Ask; only http(s) addresses come back.

        Raises:
            SearchFailed: the engines refused or did not answer; nothing else is searched instead.
            Misconfigured: `ddgs` is not installed.
        """
        # The library's client is native code that follows redirects by itself: it gets no way out but the guarded one.
        async with guarded_proxy(is_public) as proxy:
            found = await asyncio.to_thread(self._ask, query, max_results, proxy)
        hits = [Hit(str(r.get("title", "")), str(r.get("href", "")), str(r.get("body", ""))) for r in found]
        usable = [h for h in hits if h.locator.startswith(("http://", "https://")) and len(h.locator) <= MAX_ADDRESS]
        return Hits(tuple(usable[:max_results]))

    def _ask(self, query: str, max_results: int, proxy: str) -> list[dict[str, object]]:
        try:
            from ddgs import DDGS
            from ddgs.exceptions import DDGSException
        except ImportError as error:
            raise Misconfigured("ddgs is not installed.", hint="Install loopwright[jobs].") from error
        try:
            found: list[dict[str, object]] = DDGS(proxy=proxy, timeout=SECONDS).text(
                query, region=self._region, max_results=max_results
            )
        except DDGSException as error:
            if NOTHING_FOUND in str(error):
                return []
            raise SearchFailed(
                f"The web search failed: {type(error).__name__}: {error}.",
                hint="Try again later, or go on with the documents and say what could not be looked up.",
            ) from error
        return found

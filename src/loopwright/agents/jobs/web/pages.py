"""Web pages as they were when they were fetched: copies in `sources/`, which never change."""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from urllib.parse import urldefrag, urlsplit

from loopwright.agents.jobs.citations.opening import Opened, open_document
from loopwright.agents.jobs.contracts.state import JobState
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import inert
from loopwright.agents.jobs.web.addresses import may_open
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.web.addresses import AddressRule, is_public
from loopwright.kernel.web.files import Fetched, Wanted
from loopwright.kernel.workspace import Workspace

MAX_BYTES = 10_000_000
MAX_TITLE = 300
SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
}

Fetch = Callable[[str], Awaitable[Fetched]]


def fetching(allowed: AddressRule = is_public) -> Fetch:
    """Fetches pages and documents over HTTP from hosts whose addresses are allowed."""

    async def fetch_page(url: str) -> Fetched:
        from loopwright.kernel.web.fetching import fetch

        return await fetch(url, Wanted("page", tuple(SUFFIXES), MAX_BYTES), allowed)

    return fetch_page


async def open_page(url: str, state: JobState, services: JobServices, workspace: Workspace, fetch: Fetch) -> Opened:
    """The copy of a page; it is fetched if there is none and the job may.

    Args:
        url: its address, without the part after `#`.
        state: the job's; its config says whether there is a web.
        services: where its sources are.
        workspace: where the copies lie.
        fetch: how a page is had.

    Raises:
        InvalidInput: the job may not open the address, nothing usable came, or the copy was changed.
    """
    for source in reversed(await services.sources.sources(state.job_id)):
        if source.kind == "website" and source.locator == url:
            opened = await _copy(source.stored_path, source.sha256, workspace)
            if opened is not None:
                return opened
    await _check_allowed(url, state, workspace)
    fetched = await fetch(url)
    path = _path(fetched)
    await asyncio.to_thread(workspace.write_bytes, path, _as_utf8(fetched))
    opened = await open_document(workspace, path)
    await services.sources.add_source(
        state.job_id,
        kind="website",
        title=inert(opened.document.title)[:MAX_TITLE],
        locator=url,
        stored_path=opened.path,
        sha256=opened.sha256,
    )
    return opened


def plain_address(url: str) -> str:
    """The address as sources are known by.

    Raises:
        InvalidInput: it is no http(s) address.
    """
    address = urldefrag(url.strip()).url
    if not address.startswith(("http://", "https://")) or re.search(r"[\s\x00-\x1f]", address):
        raise InvalidInput(f"{url[:200]!r} is no web address.", hint="Give one that begins with https:// or http://.")
    return address


async def _copy(path: str, sha256: str, workspace: Workspace) -> Opened | None:
    """The stored copy, or None if it is gone or no longer what was fetched."""
    try:
        opened = await open_document(workspace, path)
    except NotFound:
        return None
    return opened if opened.sha256 == sha256 else None


async def _check_allowed(url: str, state: JobState, workspace: Workspace) -> None:
    research = state.config.research
    if not research.web_search_enabled or research.provider != "web":
        raise InvalidInput(
            f"There is no copy of {url[:200]} in this job, and its config does not open the web.",
            hint="Cite the job's documents with cite_document.",
        )
    if not await asyncio.to_thread(may_open, workspace, state, url):
        raise InvalidInput(
            f"{url[:200]} is named neither by the order nor by a search of this job, so it is not opened.",
            hint="Find the page with web_search, and cite the address that it gives.",
        )


def _path(fetched: Fetched) -> str:
    """A name made of the host and the content, so that another content gets another name."""
    host = re.sub(r"[^a-z0-9.-]", "-", (urlsplit(fetched.url).hostname or "page").lower())[:60].strip(".-")
    digest = hashlib.sha256(fetched.data).hexdigest()[:12]
    suffix = next(suffix for kind, suffix in SUFFIXES.items() if fetched.content_type.startswith(kind))
    return f"sources/{host or 'page'}-{digest}{suffix}"


def _as_utf8(fetched: Fetched) -> bytes:
    """Text whose encoding only the host has told gets a byte order mark, which readers believe first."""
    if not fetched.charset or fetched.content_type == "application/pdf":
        return fetched.data
    try:
        return fetched.data.decode(fetched.charset).encode("utf-8-sig")
    except (LookupError, UnicodeError):
        return fetched.data  # the host was wrong; readers look for themselves

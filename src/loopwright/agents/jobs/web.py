"""Web pages as they were when they were fetched: copies in `sources/`, which never change."""

import asyncio
import hashlib
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urldefrag, urlsplit

from loopwright.agents.jobs.citations import Opened, open_document
from loopwright.agents.jobs.contracts import JobState, Language
from loopwright.agents.jobs.documents import Document, read_document
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput, LoopwrightError, Misconfigured, NotFound
from loopwright.kernel.prompts import inert
from loopwright.kernel.web.addresses import AddressRule, is_public
from loopwright.kernel.web.fetching import Fetched, Wanted
from loopwright.kernel.web.proxy import guarded_proxy
from loopwright.kernel.workspace import Workspace

# Searching a folder of the workspace by full text (SQLite FTS5): what the web search is where there is no web.
#
# What a search gives, whoever searches.


@dataclass(frozen=True)
class Hit:
    """One result. `locator` is a path of the workspace or a web address, `page` a page of it."""

    title: str
    locator: str
    snippet: str
    page: int | None = None


@dataclass(frozen=True)
class Hits:
    """The results, best first; `remarks` tell what could not be searched."""

    hits: tuple[Hit, ...]
    remarks: tuple[str, ...] = ()


class SearchProvider(Protocol):
    """Searches one place."""

    @property
    def name(self) -> str:
        """Where it searches, for the model and the user."""
        ...

    async def search(self, query: str, max_results: int) -> Hits:
        """The best results.

        Raises:
            InvalidInput: the query cannot be searched for.
            SearchFailed: the provider gives nothing now.
        """
        ...


INDEX = "search.db"
MAX_TERMS = 32
MIN_PASSAGE = 20
MAX_PASSAGE = 1_500
MAX_REMARKS = 5
BUSY_SECONDS = 30.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, sha256 TEXT NOT NULL, title TEXT NOT NULL, remark TEXT NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS passages USING fts5(
    text, path UNINDEXED, page UNINDEXED, tokenize = "unicode61 remove_diacritics 2"
);
"""


class FolderSearch:
    """The search of one folder. Its index lies beside the workspace's files and follows them by their hashes."""

    def __init__(self, workspace: Workspace, folder: str) -> None:
        """Keep the workspace, and the name of the folder in it."""
        self._workspace = workspace
        self._folder = folder
        self.name = f"the folder {folder}/"

    async def search(self, query: str, max_results: int) -> Hits:
        """The passages that fit best; more of the words, and rarer ones, count more.

        Raises:
            InvalidInput: the query has no word, or the folder's name cannot be used.
        """
        return await asyncio.to_thread(self._search, as_match(query), max_results)

    def _search(self, match: str, max_results: int) -> Hits:
        self._refresh()
        return self._query(match, max_results)

    def _refresh(self) -> None:
        """Bring the index up to date; what cannot be read is noted, and tried again when it has changed."""
        present = self._hashes()
        stale, gone = self._differences(present)
        self._forget(gone)
        for path in stale:
            document, remark = None, ""
            try:
                document = read_document(path, self._workspace.read_bytes(path))
            except InvalidInput as error:
                remark = error.message
            self._store(path, present[path], document, remark)

    def _hashes(self) -> dict[str, str]:
        return {path: self._hash(path) for path in self._workspace.list(self._folder)}

    def _hash(self, path: str) -> str:
        """The file's hash, or what keeps it from being read: then it is tried again once that has changed."""
        try:
            return hashlib.sha256(self._workspace.read_bytes(path)).hexdigest()
        except InvalidInput as error:
            return error.message

    def _differences(self, present: dict[str, str]) -> tuple[list[str], list[str]]:
        """The paths to be read, and those to be forgotten."""
        with closing(self._open()) as index:
            known = dict(index.execute("SELECT path, sha256 FROM files"))
        stale = [path for path, sha256 in present.items() if known.get(path) != sha256]
        return stale, [path for path in known if path not in present]

    def _store(self, path: str, sha256: str, document: Document | None, remark: str) -> None:
        rows = [(text, path, number) for number, text in _passages(document)] if document else []
        title = document.title if document else ""
        with closing(self._open()) as index, index:
            _delete(index, path)
            index.execute("INSERT INTO files VALUES (?, ?, ?, ?)", (path, sha256, title, remark))
            index.executemany("INSERT INTO passages VALUES (?, ?, ?)", rows)

    def _forget(self, paths: list[str]) -> None:
        with closing(self._open()) as index, index:
            for path in paths:
                _delete(index, path)

    def _query(self, match: str, max_results: int) -> Hits:
        query = (
            "SELECT files.title, files.path, passages.text, passages.page FROM passages "
            "JOIN files ON files.path = passages.path WHERE passages MATCH ? ORDER BY rank, passages.rowid LIMIT ?"
        )
        with closing(self._open()) as index:
            hits = [
                Hit(title, path, text, page) for title, path, text, page in index.execute(query, (match, max_results))
            ]
            remarks = index.execute("SELECT remark FROM files WHERE remark <> '' ORDER BY path").fetchall()
        more = [f"{len(remarks) - MAX_REMARKS} more files could not be read."] if len(remarks) > MAX_REMARKS else []
        return Hits(tuple(hits), (*(remark for (remark,) in remarks[:MAX_REMARKS]), *more))

    def _open(self) -> sqlite3.Connection:
        folder = self._workspace.state_folder
        folder.mkdir(parents=True, exist_ok=True)
        index = sqlite3.connect(folder / INDEX, timeout=BUSY_SECONDS)
        index.executescript(_SCHEMA)
        return index


def as_match(query: str) -> str:
    """The query as an FTS5 expression in which nothing but its words has a meaning.

    Raises:
        InvalidInput: it has no word.
    """
    words = list(dict.fromkeys(re.findall(r"\w+", query.casefold())))[:MAX_TERMS]
    if not words:
        raise InvalidInput("The query has no word to search for.", hint="Name what you look for in a few words.")
    return " OR ".join(f'"{word}"' for word in words)


def _passages(document: Document) -> Iterator[tuple[int | None, str]]:
    """Paragraphs with their page, cut where they are long."""
    paged = document.kind == "pdf"
    for page in document.pages:
        for block in page.blocks:
            for start in range(0, len(block.text), MAX_PASSAGE):
                text = block.text[start : start + MAX_PASSAGE]
                if len(text) >= MIN_PASSAGE:
                    yield (page.number if paged else None), text


def _delete(index: sqlite3.Connection, path: str) -> None:
    index.execute("DELETE FROM passages WHERE path = ?", (path,))
    index.execute("DELETE FROM files WHERE path = ?", (path,))


# Searching the web through `ddgs`, which asks public search engines.

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


# Which web addresses a job may open: those its order names and those a search of its own has found.

FOLDER = "addresses"

_ADDRESS = re.compile(r"https?://[^\s<>\"')\]]+", re.IGNORECASE)


def note_found(workspace: Workspace, addresses: Iterable[str]) -> None:
    """Note what a search has found; noting it again changes nothing. Blocks on the disk."""
    folder = workspace.state_folder / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for address in addresses:
        (folder / _name(address)).touch()


def may_open(workspace: Workspace, state: JobState, address: str) -> bool:
    """Whether the order or a search of this job names the address; blocks on the disk."""
    order = f"{state.prompt}\n{state.config.instructions}"
    named = {match.group().rstrip(".,;:!?") for match in _ADDRESS.finditer(order)}
    return address in named or (workspace.state_folder / FOLDER / _name(address)).exists()


def _name(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()


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
        raise InvalidInput(
            f"{url[:200]!r} is not a web address.", hint="Give one that begins with https:// or http://."
        )
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

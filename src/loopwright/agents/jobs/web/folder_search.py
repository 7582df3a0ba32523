"""Searching a folder of the workspace by full text (SQLite FTS5): what the web search is where there is no web."""

import asyncio
import hashlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from loopwright.agents.jobs.documents import Document, read_document
from loopwright.agents.jobs.web.search import Hit, Hits
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.workspace import Workspace

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

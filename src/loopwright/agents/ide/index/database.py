"""The index on SQLite: resources with their words, and their symbols."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loopwright.agents.ide.files.state_folder import make_state_folder

VERSION = 2
"""Of the tables and of what parsing finds; another one makes the index anew."""
SCHEMA = """
CREATE TABLE resources (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, content_hash TEXT NOT NULL, words TEXT NOT NULL
);
CREATE VIRTUAL TABLE resources_fts USING fts5(
    path, words, content='resources', content_rowid='id', tokenize="unicode61"
);
CREATE TABLE symbols (
    id INTEGER PRIMARY KEY, resource_id INTEGER NOT NULL REFERENCES resources(id) ON DELETE CASCADE,
    name TEXT NOT NULL, kind TEXT NOT NULL, line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
    container TEXT NOT NULL, signature TEXT NOT NULL
);
CREATE INDEX symbols_name ON symbols(name COLLATE NOCASE);
CREATE INDEX symbols_resource ON symbols(resource_id);
"""
"""`words` are the distinct words of a file, each between spaces; the full text refers to them and keeps no copy."""


class IndexDatabase:
    """The file of one index; made anew when it is missing, of another version, or damaged."""

    def __init__(self, root: Path, file: Path) -> None:
        """Keep the project's root, and where the index is below it."""
        self._root = root
        self._file = file

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction, committed at the end."""
        make_state_folder(self._root, self._file.parent)
        connection = self._connect()
        try:
            with connection:
                yield connection
        finally:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        try:
            return self._prepared(sqlite3.connect(self._file, timeout=30))
        except sqlite3.DatabaseError:
            for path in (self._file, *(Path(f"{self._file}{end}") for end in ("-wal", "-shm"))):
                path.unlink(missing_ok=True)  # it holds nothing that the files do not
            return self._prepared(sqlite3.connect(self._file, timeout=30))

    def _prepared(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            if version:
                connection.close()
                raise sqlite3.DatabaseError("another version")
            with connection:
                connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        return connection

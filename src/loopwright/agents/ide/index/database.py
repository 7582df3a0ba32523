"""The index on SQLite: resources, their full text, their symbols, and the names that they use."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VERSION = 1
"""Of the tables and of what parsing finds; another one makes the index anew."""
SCHEMA = """
CREATE TABLE resources (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, content_hash TEXT NOT NULL
);
CREATE VIRTUAL TABLE resources_fts USING fts5(path, content, tokenize="unicode61");
CREATE TABLE symbols (
    id INTEGER PRIMARY KEY, resource_id INTEGER NOT NULL REFERENCES resources(id) ON DELETE CASCADE,
    name TEXT NOT NULL, kind TEXT NOT NULL, line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
    container TEXT NOT NULL, signature TEXT NOT NULL
);
CREATE INDEX symbols_name ON symbols(name COLLATE NOCASE);
CREATE INDEX symbols_resource ON symbols(resource_id);
CREATE TABLE names (
    resource_id INTEGER NOT NULL REFERENCES resources(id) ON DELETE CASCADE, name TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (resource_id, name)
) WITHOUT ROWID;
CREATE INDEX names_name ON names(name);
"""


class IndexDatabase:
    """The file of one index; made anew when it is missing, of another version, or damaged."""

    def __init__(self, file: Path) -> None:
        """Keep the path."""
        self._file = file

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction, committed at the end."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
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

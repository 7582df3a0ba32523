"""The index on SQLite: resources with their words, and their symbols."""

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loopwright.agents.ide.files.state_folder import make_state_folder
from loopwright.kernel.errors import Misconfigured

VERSION = 5
"""Of the tables and of what parsing finds; another one makes the index anew."""
BUSY_SECONDS = 30
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
TABLES = ("passages", "names", "symbols", "resources_fts", "resources")
"""Those of older versions too, so that none stays behind."""
DROP = "".join(f"DROP TABLE IF EXISTS {name};" for name in TABLES)
SCHEMA = """
CREATE TABLE resources (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, content_hash TEXT NOT NULL, words TEXT NOT NULL
);
CREATE TABLE symbols (
    id INTEGER PRIMARY KEY, resource_id INTEGER NOT NULL REFERENCES resources(id) ON DELETE CASCADE,
    name TEXT NOT NULL, kind TEXT NOT NULL, line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
    container TEXT NOT NULL, signature TEXT NOT NULL
);
CREATE INDEX symbols_name ON symbols(name COLLATE NOCASE);
CREATE INDEX symbols_resource ON symbols(resource_id);
CREATE TABLE passages (
    resource_id INTEGER PRIMARY KEY REFERENCES resources(id) ON DELETE CASCADE,
    passages TEXT NOT NULL, vectors BLOB NOT NULL
);
"""
"""`words` are the distinct words of a file, each between spaces, by which the users of a name are found.
`passages` are a file's for the search by meaning, once somebody has searched so: first line, last line and title of
each in JSON, and their vectors in the same order."""


class IndexDatabase:
    """The file of one index; made anew when it is missing, of another version, or damaged."""

    def __init__(self, file: Path) -> None:
        """Keep where the index is."""
        self._file = file

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction, committed at the end.

        Raises:
            Misconfigured: the file cannot be used; a damaged one was deleted, since it holds nothing of its own.
        """
        make_state_folder(self._file.parent)
        try:
            connection = self._connected()
            try:
                with connection:
                    yield connection
            finally:
                connection.close()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode in DAMAGED:
                self._delete()
                raise Misconfigured(f"The index was damaged ({error}), and was deleted.", hint="Try again.") from error
            raise Misconfigured(
                f"The index {self._file.name} cannot be used: {error}.",
                hint="Wait for who uses it, or delete the file.",
            ) from error

    def _connected(self) -> sqlite3.Connection:
        """Only one at a time looks whether the tables are there: two that make them would be in each other's way."""
        with self._file.with_suffix(".lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                return self._prepared()
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode not in DAMAGED:
                    raise
                self._delete()
                return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._file, timeout=BUSY_SECONDS)
        try:
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
                connection.execute(f"PRAGMA {pragma}")
            if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                connection.executescript(f"BEGIN IMMEDIATE; {DROP} {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        except BaseException:
            connection.close()
            raise
        return connection

    def _delete(self) -> None:
        for path in (self._file, *(Path(f"{self._file}{end}") for end in ("-wal", "-shm"))):
            path.unlink(missing_ok=True)

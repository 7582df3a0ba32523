"""Bringing the index up to date: what has changed is read, and parsed if its content has."""

import hashlib
import os
import re
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import time_ns

from loopwright.agents.ide.contracts import Symbol
from loopwright.agents.ide.index.parsing import language_of, symbols_of
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.agents.ide.protected import make_state_folder
from loopwright.kernel.errors import LoopwrightError, Misconfigured
from loopwright.kernel.files import exclusive_lock

# The index on SQLite: resources with their words, and their symbols.

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
        with exclusive_lock(self._file.with_suffix(".lock")):
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


MOST_TEXT_BYTES = 1_000_000
"""Larger files are known by their paths alone."""
SNIFFED_BYTES = 8_192
BATCH = 200
"""Files of one transaction: what was done before a crash stays, and other writers wait for a moment only."""
SETTLING_NS = 2_000_000_000
"""A file that was written so shortly before it was read may be written again at the same time stamp (FAT: 2 s)."""
UNSETTLED = -1
FORGET = "DELETE FROM resources WHERE path = ?"
WORD = re.compile(r"[^\W\d][\w$]{0,99}|\$[\w$]{1,99}")


@dataclass(frozen=True)
class Refreshed:
    """What a refresh has done, in files."""

    files: int
    read: int
    removed: int


@dataclass(frozen=True)
class _Known:
    identifier: int
    size: int
    modified_ns: int
    digest: str


@dataclass(frozen=True)
class _Read:
    """A file as it was read; `words` are its distinct words, and None where its content is the one known before."""

    path: str
    size: int
    modified_ns: int
    digest: str
    words: str | None
    symbols: tuple[Symbol, ...] = ()


def refresh(files: ProjectFiles, database: IndexDatabase) -> Refreshed:
    """Bring the index up to date. A file that cannot be read or parsed is listed without symbols."""
    with database.opened() as connection:
        rows = connection.execute("SELECT path, id, size, modified_ns, content_hash FROM resources").fetchall()
        known = {row[0]: _Known(*row[1:]) for row in rows}
        seen: set[str] = set()
        read = 0
        changed = (found for path in _noted(files.walk(), seen) if (found := _look(files, path, known.get(path))))
        while batch := list(islice(changed, BATCH)):
            read += len(batch)
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                for each in batch:
                    _store(connection, each)
        gone = sorted(known.keys() - seen)
        with connection:
            for path in gone:
                connection.execute(FORGET, (path,))
    return Refreshed(len(seen), read, len(gone))


def _noted(paths: Iterable[str], seen: set[str]) -> Iterable[str]:
    for path in paths:
        seen.add(path)
        yield path


def _look(files: ProjectFiles, path: str, known: _Known | None) -> _Read | None:
    """The file, if it is not the one that is known; None also where it has gone in the meantime."""
    try:
        found = os.lstat(files.root / path)
    except OSError:
        return None
    if known is not None and (known.size, known.modified_ns) == (found.st_size, found.st_mtime_ns):
        return None
    modified_ns = found.st_mtime_ns if time_ns() - found.st_mtime_ns > SETTLING_NS else UNSETTLED
    data = b""
    if stat.S_ISREG(found.st_mode) and found.st_size <= MOST_TEXT_BYTES:
        try:
            data = files.read_bytes(path)
        except LoopwrightError:
            data = b""
    digest = hashlib.sha256(data).hexdigest()
    if known is not None and known.digest == digest:
        same = known.modified_ns == modified_ns and known.size == found.st_size
        return None if same else _Read(path, found.st_size, modified_ns, digest, None)
    if b"\0" in data[:SNIFFED_BYTES]:
        return _Read(path, found.st_size, modified_ns, digest, "")
    words = " ".join(dict.fromkeys(WORD.findall(data.decode("utf-8", "replace"))))
    return _Read(path, found.st_size, modified_ns, digest, f" {words} ", tuple(symbols_of(path, data)))


def _store(connection: sqlite3.Connection, file: _Read) -> None:
    if file.words is None:
        connection.execute(
            "UPDATE resources SET size = ?, modified_ns = ? WHERE path = ?", (file.size, file.modified_ns, file.path)
        )
        return
    connection.execute(FORGET, (file.path,))
    cursor = connection.execute(
        "INSERT INTO resources (path, language, size, modified_ns, content_hash, words) VALUES (?, ?, ?, ?, ?, ?)",
        (file.path, language_of(file.path), file.size, file.modified_ns, file.digest, file.words),
    )
    identifier = cursor.lastrowid
    connection.executemany(
        "INSERT INTO symbols (resource_id, name, kind, line_start, line_end, container, signature) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(identifier, s.name, s.kind, s.line_start, s.line_end, s.container, s.signature) for s in file.symbols],
    )

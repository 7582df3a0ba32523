"""Bringing the index up to date: what has changed is read, and parsed if its content has."""

import hashlib
import os
import re
import sqlite3
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from time import time_ns

from loopwright.agents.ide.contracts.symbols import Symbol
from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.index.database import IndexDatabase
from loopwright.agents.ide.index.languages import language_of
from loopwright.agents.ide.index.parsing import symbols_of
from loopwright.kernel.errors import LoopwrightError

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

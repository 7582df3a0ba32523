"""What owners, such as runs, have changed, in a SQLite file of a state folder: written before the files themselves are.

A change set is all that one owner (or one undoing) has changed. Of each path it keeps what was there before the first
change and what is there after the last one; contents are kept once, compressed.
"""

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from loopwright.kernel.errors import Misconfigured
from loopwright.kits.history.fenced_files import Kind, State, decoded, same

SetKind = Literal["run", "undo", "restore"]
MOST_SETS = 200
"""Change sets that are kept; what an older run did can no longer be undone."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (digest TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (
    path TEXT PRIMARY KEY, state TEXT NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, changed_ns INTEGER NOT NULL, settled INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS change_sets (
    number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL,
    reverts TEXT NOT NULL, baseline BLOB
);
CREATE TABLE IF NOT EXISTS changes (
    change_set INTEGER NOT NULL REFERENCES change_sets(number) ON DELETE CASCADE, path TEXT NOT NULL,
    before TEXT, after TEXT, folders INTEGER NOT NULL, mixed INTEGER NOT NULL, PRIMARY KEY (change_set, path)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS steps (
    key TEXT PRIMARY KEY, change_set INTEGER NOT NULL REFERENCES change_sets(number) ON DELETE CASCADE,
    changes TEXT NOT NULL, account TEXT NOT NULL, done INTEGER NOT NULL
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Seen:
    """What was found under a path, and by what a later look knows that it is still the same (times in ns)."""

    state: State
    inode: int
    size: int
    modified_ns: int
    changed_ns: int
    settled: bool


@dataclass(frozen=True)
class ChangeSet:
    """Changes of one owner (a run's id, or the id of an undoing), with nobody else's between them.

    `number` counts change sets in their order; `reverts` are the numbers of those that it undid.
    """

    number: int
    owner: str
    kind: SetKind
    at: datetime
    reverts: tuple[int, ...]
    undone: bool


@dataclass(frozen=True)
class Change:
    """What a change set did to one path.

    `folders` of those above it were made for it; `mixed`: somebody else changed it between two changes of the set.
    """

    path: str
    before: State | None
    after: State | None
    folders: int
    mixed: bool


@dataclass(frozen=True)
class Edit:
    """A file's content before and after; None is no file. `mode` is given where the permission bits change.

    Of a link the content is its target. Commands make links and empty folders too; `kind` and `before_kind` tell.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    kind: Kind = "file"
    before_kind: Kind = "file"


def digest_of_edits(edits: Sequence[Edit]) -> str:
    """The digest (SHA-256, hex) of what edits begin with and end with: what is approved is what is written."""
    digest = hashlib.sha256()
    for edit in edits:
        for part in (edit.path.encode(), edit.before, edit.after):
            digest.update(b"-" if part is None else b"%d:" % len(part) + part)
        digest.update(f"{edit.mode}{edit.kind}{edit.before_kind}".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """What can be undone: its id (a run's own, or of an undoing), when it began, the paths it changed."""

    id: str
    kind: SetKind
    at: datetime
    paths: tuple[str, ...]
    undone: bool


@dataclass(frozen=True)
class Reverted:
    """What an undoing did. `checkpoint` undoes it in turn; `lost` are large files that could not be brought back."""

    checkpoint: str | None
    paths: tuple[str, ...]
    lost: tuple[str, ...]


class ChangeLog:
    """The log within one transaction; made by `opened`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Take a connection whose tables exist."""
        self._connection = connection

    def keep(self, state: State, data: bytes) -> None:
        """Keep a content; the same is kept once."""
        if state.kind in ("file", "link"):
            self._run("INSERT OR IGNORE INTO objects VALUES (?, ?)", state.digest, zlib.compress(data, 1))

    def content(self, state: State) -> bytes | None:
        """The content of a state, or None where it was not kept."""
        rows = self._run("SELECT data FROM objects WHERE digest = ?", state.digest)
        return zlib.decompress(rows[0][0]) if rows else None

    def seen(self) -> dict[str, Seen]:
        """What the last scan has found."""
        rows = self._run("SELECT path, state, inode, size, modified_ns, changed_ns, settled FROM seen")
        found = ((path, decoded(state), *marks, bool(settled)) for path, state, *marks, settled in rows)
        return {path: Seen(state, *rest) for path, state, *rest in found if state is not None}

    def remember_seen(self, found: Mapping[str, Seen]) -> None:
        """Keep what a scan has found, in place of the one before."""
        before = self.seen()
        gone = ((path,) for path in before.keys() - found.keys())
        self._connection.executemany("DELETE FROM seen WHERE path = ?", gone)
        self._connection.executemany(
            "INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (p, s.state.encoded(), s.inode, s.size, s.modified_ns, s.changed_ns, s.settled)
                for p, s in found.items()
                if before.get(p) != s
            ),
        )

    def change_sets(self) -> list[ChangeSet]:
        """All of them, oldest first. One is undone as long as a later one that reverts it is not undone itself."""
        rows = self._run("SELECT number, owner, kind, at, reverts FROM change_sets ORDER BY number DESC")
        found: list[ChangeSet] = []
        undone: set[int] = set()
        for number, owner, kind, at, reverts in rows:
            numbers = tuple(json.loads(reverts))
            found.append(ChangeSet(number, owner, kind, datetime.fromisoformat(at), numbers, number in undone))
            undone.update(() if number in undone else numbers)
        return found[::-1]

    def begin(self, owner: str, kind: SetKind, reverts: Sequence[int] = (), changes: Sequence[Change] = ()) -> int:
        """The number of the change set that the owner's next changes belong to.

        It is the newest one if that is the owner's, and if nobody else has changed one of the paths since; else one is
        made, and the oldest is forgotten for it.
        """
        newest = self._run("SELECT number, owner FROM change_sets ORDER BY number DESC LIMIT 1")
        if newest and newest[0][1] == owner and self._continued(int(newest[0][0]), changes):
            return int(newest[0][0])
        self._run(
            "INSERT INTO change_sets (owner, kind, at, reverts) VALUES (?, ?, ?, ?)",
            owner, kind, datetime.now(UTC).isoformat(), json.dumps(list(reverts)),
        )  # fmt: skip
        number = int(self._run("SELECT last_insert_rowid()")[0][0])
        self._forget_old(number)
        return number

    def _continued(self, number: int, changes: Sequence[Change]) -> bool:
        earlier = self.changes(number) if changes else {}
        return all(c.path not in earlier or same(earlier[c.path].after, c.before) for c in changes)

    def revert_nothing(self, number: int) -> None:
        """An undoing that did not come to its end undoes no change set, whatever it has changed."""
        self._run("UPDATE change_sets SET reverts = '[]' WHERE number = ?", number)

    def set_baseline(self, number: int, baseline: Mapping[str, Any] | None) -> None:
        """Keep what was there before a command runs; None where none is under way."""
        data = zlib.compress(json.dumps(baseline).encode(), 1) if baseline is not None else None
        self._run("UPDATE change_sets SET baseline = ? WHERE number = ?", data, number)

    def baselines(self) -> dict[int, dict[str, Any]]:
        """By number, what was there before the commands that have not been accounted for."""
        rows = self._run("SELECT number, baseline FROM change_sets WHERE baseline IS NOT NULL")
        return {number: json.loads(zlib.decompress(data)) for number, data in rows}

    def changes(self, number: int, path: str | None = None) -> dict[str, Change]:
        """What a change set did, by path; to one of them, or to all."""
        rows = self._run(
            "SELECT path, before, after, folders, mixed FROM changes "
            "WHERE change_set = ?1 AND (?2 IS NULL OR path = ?2)",
            number, path,
        )  # fmt: skip
        return {
            path: Change(path, decoded(before), decoded(after), folders, bool(mixed))
            for path, before, after, folders, mixed in rows
        }

    def record(self, number: int, change: Change) -> None:
        """Add a change to a set: a path that it has changed already keeps what was there before its first change."""
        earlier = self.changes(number, change.path).get(change.path)
        if earlier is not None:
            mixed = earlier.mixed or not same(earlier.after, change.before)
            change = Change(change.path, earlier.before, change.after, max(earlier.folders, change.folders), mixed)
        self.overwrite(number, change)

    def overwrite(self, number: int, change: Change) -> None:
        """Put a change in place of what the set says of its path."""
        before, after = (state.encoded() if state else None for state in (change.before, change.after))
        self._run(
            "INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?, ?, ?)",
            number, change.path, before, after, change.folders, change.mixed,
        )  # fmt: skip

    def add_step(self, key: str, number: int, changes: Sequence[Change], account: Mapping[str, Any]) -> None:
        """Write down what is going to be done, before it is done."""
        states = [
            (c.path, *(state.encoded() if state else None for state in (c.before, c.after)), c.folders) for c in changes
        ]
        self._run("INSERT INTO steps VALUES (?, ?, ?, ?, 0)", key, number, json.dumps(states), json.dumps(account))

    def step(self, key: str) -> tuple[list[Change], dict[str, Any], bool] | None:
        """The changes of a step, its account, and whether it is done."""
        rows = self._run("SELECT changes, account, done FROM steps WHERE key = ?", key)
        return (_changes(rows[0][0]), json.loads(rows[0][1]), bool(rows[0][2])) if rows else None

    def open_steps(self) -> list[tuple[str, int, list[Change]]]:
        """Key, change set and changes of the steps that a process has left in the middle."""
        rows = self._run("SELECT key, change_set, changes FROM steps WHERE done = 0")
        return [(key, number, _changes(changes)) for key, number, changes in rows]

    def finish_step(self, key: str) -> None:
        """A step's files are written."""
        self._run("UPDATE steps SET done = 1 WHERE key = ?", key)

    def drop_step(self, key: str) -> None:
        """Forget a step."""
        self._run("DELETE FROM steps WHERE key = ?", key)

    def _forget_old(self, newest: int) -> None:
        self._run(
            "DELETE FROM change_sets WHERE number <= (SELECT number FROM change_sets ORDER BY number DESC LIMIT 1 "
            "OFFSET ?) AND number <> ?", MOST_SETS, newest,
        )  # fmt: skip
        if self._run("SELECT changes()")[0][0] and not self.baselines():
            used = self._run("SELECT state FROM seen UNION SELECT before FROM changes UNION SELECT after FROM changes")
            digests = {line.rpartition(":")[2] for (line,) in used if line}
            unused = [row for row in self._run("SELECT digest FROM objects") if row[0] not in digests]
            self._connection.executemany("DELETE FROM objects WHERE digest = ?", unused)

    def _run(self, statement: str, *values: object) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()


def _changes(text: str) -> list[Change]:
    rows = json.loads(text)
    return [
        Change(path, decoded(before), decoded(after), folders, mixed=False) for path, before, after, folders in rows
    ]


@contextmanager
def opened(file: Path) -> Iterator[ChangeLog]:
    """The log in a transaction, which is on the disk at the end, or not at all.

    Raises:
        Misconfigured: the file is damaged or cannot be written.
    """
    try:
        connection = sqlite3.connect(file, timeout=30)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(
                "PRAGMA synchronous = NORMAL"
            )  # closing the last connection brings all of it to the disk
            connection.execute("PRAGMA foreign_keys = ON")
            connection.executescript(SCHEMA)
            with connection:
                yield ChangeLog(connection)
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        raise Misconfigured(
            f"The record of changes {file.name} cannot be used: {error}.",
            hint="Move the file away to go on; what runs changed before can then not be undone.",
        ) from error

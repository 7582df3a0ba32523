"""The embedded graph: one SQLite file, in which an extension speaks Cypher.

Every statement has a transaction of its own. Readers have a connection that cannot write, so that a mistake of the
check before it could still change nothing.
"""

import asyncio
import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loopwright.kernel.errors import InvalidInput, Misconfigured
from loopwright.stores.errors import StoreUnavailable
from loopwright.stores.graph.cypher import Statement, permitted
from loopwright.stores.graph.engine_limits import refuse_alternatives_in_conditions
from loopwright.stores.graph.inspection import inspect_graph
from loopwright.stores.graph.records import GraphAnswerRecord, GraphSchemaRecord

MAX_ROWS = 1_000
"""Rows of one answer."""

MAX_HEAP_BYTES = 128_000_000
"""Memory of all embedded graphs of this process together; a query that wants more is ended."""

QUERY_SECONDS = 10.0
BUSY_SECONDS = 60.0
"""How long a writer waits for another process's transaction to end."""

_WRITING = threading.Lock()
"""Held by whoever writes in this process. Only one could anyway; and the extension, as it is loaded, waits for other
writers without letting go of the interpreter's lock, so that two in one process would wait for each other."""

_STEPS_BETWEEN_LOOKS = 10_000
"""Instructions of SQLite's virtual machine between two looks at the clock: some tenths of a millisecond."""


class EmbeddedGraph:
    """Opens its file when it is first asked, and makes it when it first writes."""

    def __init__(self, path: Path, *, query_seconds: float = QUERY_SECONDS, max_rows: int = MAX_ROWS) -> None:
        """Keep where the file is and what a query may take."""
        self._max_rows = max_rows
        self._writer = _Connection(path, query_seconds, writes=True)
        self._reader = _Connection(path, query_seconds, writes=False)
        self._path = path

    async def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, write: bool = False
    ) -> GraphAnswerRecord:
        """Run one statement.

        Raises:
            InvalidInput: it may not run, is not understood, or takes too long.
            StoreUnavailable: the file cannot be used now.
            Misconfigured: the libraries of the embedded graph are not installed.
        """
        statement = permitted(cypher, write=write)
        refuse_alternatives_in_conditions(statement.text)
        values = json.dumps(dict(parameters or {}), ensure_ascii=False)
        return await asyncio.to_thread(self._run, statement, values, write)

    async def schema(self) -> GraphSchemaRecord:
        """Labels, relationship types and property names, counted."""
        return await inspect_graph(self.query)

    async def close(self) -> None:
        """Close the file; a later query opens it again."""
        await asyncio.to_thread(self._reader.close)
        await asyncio.to_thread(self._writer.close)

    def _run(self, statement: Statement, values: str, write: bool) -> GraphAnswerRecord:
        if not write and not self._path.exists():
            # What cannot write cannot make the file either.
            self._writer.run(Statement("RETURN 1 AS one", returns=True), "{}", 1)
        rows = (self._writer if write else self._reader).run(statement, values, self._max_rows + 1)
        return GraphAnswerRecord(rows[: self._max_rows], truncated=len(rows) > self._max_rows)


class _Connection:
    """One connection, used by one thread at a time."""

    def __init__(self, path: Path, query_seconds: float, *, writes: bool) -> None:
        self._path = path
        self._seconds = query_seconds
        self._writes = writes
        self._lock = _WRITING if writes else threading.Lock()
        self._open: Any = None
        self._deadline = 0.0

    def run(self, statement: Statement, values: str, limit: int) -> list[dict[str, Any]]:
        """Run the statement in a transaction; at most `limit` rows."""
        with self._lock:
            database = self._library()
            try:
                connection = self._connected(database)
                self._deadline = time.monotonic() + self._seconds
                return self._transact(connection, statement, values, limit)
            except (database.Error, MemoryError) as error:
                raise self._as_own_error(error) from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def _transact(self, connection: Any, statement: Statement, values: str, limit: int) -> list[dict[str, Any]]:
        connection.execute("BEGIN IMMEDIATE" if self._writes else "BEGIN")
        try:
            cursor = connection.execute("SELECT row FROM cypher_rows(?, ?)", (statement.text, values))
            # A writing statement is stepped to its end, or it would not have written all.
            rows = cursor.fetchall() if self._writes else cursor.fetchmany(limit)
            cursor.close()
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                self._deadline = time.monotonic() + BUSY_SECONDS
                connection.execute("ROLLBACK")
            raise
        # A statement without RETURN gives one row all the same: how much it has changed.
        return [json.loads(row) for (row,) in rows[:limit]] if statement.returns else []

    def _connected(self, database: Any) -> Any:
        if self._open is not None:
            return self._open
        from graphqlite import loadable_path

        self._path.parent.mkdir(parents=True, exist_ok=True)
        address = f"{self._path.absolute().as_uri()}?mode={'rwc' if self._writes else 'ro'}"
        connection = database.connect(
            address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            if self._writes:
                connection.execute("PRAGMA journal_mode = wal")
                connection.execute("PRAGMA synchronous = normal")
            connection.enable_load_extension(True)
            connection.load_extension(loadable_path())
            connection.enable_load_extension(False)
            connection.execute(f"PRAGMA hard_heap_limit = {MAX_HEAP_BYTES}")
            connection.set_progress_handler(self._is_late, _STEPS_BETWEEN_LOOKS)
        except BaseException:
            connection.close()
            raise
        self._open = connection
        return connection

    def _is_late(self) -> int:
        return int(time.monotonic() > self._deadline)

    def _library(self) -> Any:
        try:
            # The interpreter's own sqlite3 is often built without extensions.
            import pysqlite3
        except ImportError as error:
            raise Misconfigured(
                "The embedded graph needs libraries that are not installed.", hint="Install loopwright[jobs]."
            ) from error
        return pysqlite3

    def _as_own_error(self, error: Exception) -> InvalidInput | StoreUnavailable:
        if isinstance(error, MemoryError):
            return InvalidInput("The query needs too much memory.", hint="Return less, or add a condition and LIMIT.")
        told = str(error)
        try:
            told = str(json.loads(told)["error"])
        except (ValueError, KeyError, TypeError):
            # Only the extension's own errors are JSON; SQLite itself speaks plainly.
            if any(
                sign in told for sign in ("locked", "unable to open", "disk", "readonly", "malformed", "not a database")
            ):
                return StoreUnavailable(f"The graph at {self._path} cannot be used: {told}")
        if "interrupted" in told:
            return InvalidInput(
                f"The query took longer than {self._seconds:g} s.",
                hint="Match fewer nodes, or add a condition and LIMIT.",
            )
        return InvalidInput(f"The graph cannot run this query: {told}", hint="get_database_schema shows what there is.")

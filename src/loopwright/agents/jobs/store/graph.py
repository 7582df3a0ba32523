"""The embedded graph: one SQLite file, in which an extension speaks Cypher.

Every statement has a transaction of its own. Readers have a connection that cannot write, so that a mistake of the
check before it could still change nothing.
"""

import asyncio
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from loopwright.agents.jobs.store.cypher import Statement, Token, permitted, tokens
from loopwright.kernel.errors import InvalidInput, LoopwrightError, Misconfigured
from loopwright.stores.errors import StoreUnavailable

if TYPE_CHECKING:
    from neo4j import AsyncDriver, AsyncManagedTransaction, Record


# What a graph answers.


@dataclass(frozen=True, slots=True)
class GraphAnswerRecord:
    """The rows of a query, at most as many as one answer may have; `truncated` says whether there were more."""

    rows: Sequence[Mapping[str, Any]]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class GraphSchemaRecord:
    """What the graph holds: nodes by label, relationships by type, property names by label or type."""

    nodes: Mapping[str, int]
    relationships: Mapping[str, int]
    properties: Mapping[str, Sequence[str]]


# What a graph holds, asked in Cypher that every engine speaks.

_NODES = "MATCH (n) UNWIND labels(n) AS name RETURN name, count(*) AS number ORDER BY name"
_RELATIONSHIPS = "MATCH ()-[r]->() RETURN type(r) AS name, count(*) AS number ORDER BY name"


class _Query(Protocol):
    async def __call__(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> GraphAnswerRecord: ...


async def inspect_graph(query: _Query) -> GraphSchemaRecord:
    """Count nodes by label and relationships by type, and name the properties of each."""
    nodes = {row["name"]: row["number"] for row in (await query(_NODES)).rows}
    relationships = {row["name"]: row["number"] for row in (await query(_RELATIONSHIPS)).rows}
    properties: dict[str, list[str]] = {}
    for name, pattern in [*((n, "(x:`{}`)") for n in nodes), *((n, "()-[x:`{}`]->()") for n in relationships)]:
        if "`" in name or "\\" in name:
            continue  # Not ours, and it could not be named without an escape.
        cypher = f"MATCH {pattern.format(name)} UNWIND keys(x) AS key RETURN DISTINCT key ORDER BY key"
        properties[name] = [row["key"] for row in (await query(cypher)).rows]
    return GraphSchemaRecord(nodes, relationships, properties)


# What the embedded engine gets wrong without saying so, refused before it can.

_PATTERNS = {"MATCH", "MERGE", "CREATE"}
_EXPRESSIONS = {"WHERE", "RETURN", "WITH", "UNWIND", "SET", "ORDER"}


def refuse_alternatives_in_conditions(cypher: str) -> None:
    """Refuse patterns such as `WHERE NOT (r)-[:A|B]->()`: the engine takes them for any relationship at all.

    In a MATCH the same alternatives are right.

    Raises:
        InvalidInput: there is such a pattern; the hint says how to write it.
    """
    parts = [token for token in tokens(cypher) if token.kind not in ("space", "comment")]
    in_expression = False
    for place, part in enumerate(parts):
        word = part.text.upper() if part.kind == "word" else ""
        in_expression = word in _EXPRESSIONS or (in_expression and word not in _PATTERNS)
        if in_expression and part.text == "[" and place and parts[place - 1].text == "-" and _has_choice(parts, place):
            raise InvalidInput(
                "The embedded graph cannot choose between types of relationships in a condition.",
                hint="Write it as: EXISTS { MATCH (r)-[x]->() WHERE type(x) IN ['A', 'B'] }.",
            )


def _has_choice(parts: Sequence[Token], place: int) -> bool:
    """Whether `[` opens a relationship of several types."""
    for part in parts[place + 1 :]:
        if part.text in ("]", "{", "*"):
            return False
        if part.text == "|":
            return True
    return False


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


# A Neo4j server through its official driver; a thin adapter, as the server itself keeps transactions and time-outs.

SCHEMES = frozenset(f"{name}{security}" for name in ("neo4j", "bolt") for security in ("", "+s", "+ssc"))
RETRY_SECONDS = 15.0
"""How long the driver repeats a transaction that met a deadlock or a change of leader."""


class Neo4jGraph:
    """Speaks with one database of one server."""

    def __init__(self, driver: "AsyncDriver", *, max_rows: int = MAX_ROWS) -> None:
        """Use `Neo4jGraph.connect`, or give a driver of your own."""
        self._driver = driver
        self._max_rows = max_rows

    @classmethod
    def connect(cls, uri: str, user: str | None, password: str | None) -> Self:
        """A graph whose connections are made when they are needed.

        Args:
            uri: as in `NEO4J_URI`, such as `neo4j://host:7687` or `bolt+s://host`.
            user: who signs in, or None where the server asks nobody.
            password: of the user.

        Raises:
            Misconfigured: the driver is not installed, or the URI is none of Neo4j's.
        """
        try:
            from neo4j import AsyncGraphDatabase
            from neo4j.exceptions import ConfigurationError
        except ImportError as error:
            raise Misconfigured("NEO4J_URI needs the driver.", hint="Install loopwright[jobs].") from error
        auth = (user, password or "") if user else None
        try:
            if uri.partition("://")[0] not in SCHEMES:
                raise ValueError("another scheme")
            driver = AsyncGraphDatabase.driver(uri, auth=auth, max_transaction_retry_time=RETRY_SECONDS)
        except (ConfigurationError, ValueError) as error:
            # The text may hold a password, so it is not repeated here.
            raise Misconfigured("NEO4J_URI is not usable.", hint="Such as neo4j://localhost:7687.") from error
        return cls(driver)

    async def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, write: bool = False
    ) -> GraphAnswerRecord:
        """Run one statement in a managed transaction; the driver repeats what met a passing trouble.

        Raises:
            InvalidInput: it may not run, is not understood, or takes too long.
            StoreUnavailable: the server cannot be reached or does not answer.
            Misconfigured: the server refuses the user.
        """
        from neo4j import READ_ACCESS, WRITE_ACCESS, unit_of_work
        from neo4j.exceptions import DriverError, Neo4jError

        statement = permitted(cypher, write=write)

        @unit_of_work(timeout=QUERY_SECONDS)
        async def work(transaction: "AsyncManagedTransaction") -> "list[Record]":
            # The statement was checked above, which is what the driver's type for literal texts asks for.
            text: Any = statement.text
            result = await transaction.run(text, dict(parameters or {}))
            return await result.fetch(self._max_rows + 1)

        try:
            async with self._driver.session(default_access_mode=WRITE_ACCESS if write else READ_ACCESS) as session:
                records = await (session.execute_write(work) if write else session.execute_read(work))
        except (DriverError, Neo4jError) as error:
            raise _as_own_error(error) from error
        # A record is a tuple of values that knows its names.
        rows = [dict(zip(record.keys(), map(plain, record), strict=True)) for record in records[: self._max_rows]]
        return GraphAnswerRecord(rows, truncated=len(records) > self._max_rows)

    async def schema(self) -> GraphSchemaRecord:
        """Labels, relationship types and property names, counted."""
        return await inspect_graph(self.query)

    async def close(self) -> None:
        """Close the connections."""
        await self._driver.close()


def plain(value: Any) -> Any:
    """A value of the driver as JSON has it; nodes and relationships look as the embedded engine gives them."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(value, Node):
        return {"id": value.element_id, "labels": sorted(value.labels), "properties": plain(dict(value))}
    if isinstance(value, Relationship):
        start, end = (None if node is None else node.element_id for node in (value.start_node, value.end_node))
        ends = {"startNode": start, "endNode": end}
        return {"id": value.element_id, "type": value.type, **ends, "properties": plain(dict(value))}
    if isinstance(value, Path):
        return [plain(part) for pair in zip(value.nodes, (*value.relationships, None), strict=True) for part in pair][
            :-1
        ]
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    # Dates, durations and points have a text of their own.
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _as_own_error(error: Exception) -> LoopwrightError:
    from neo4j.exceptions import AuthError, ClientError, Neo4jError

    if isinstance(error, AuthError):
        return Misconfigured("Neo4j refuses the user.", hint="Check NEO4J_USER and NEO4J_PASSWORD.")
    if isinstance(error, Neo4jError) and "TransactionTimedOut" in (error.code or ""):
        return InvalidInput(f"The query took longer than {QUERY_SECONDS:g} s.", hint="Match fewer nodes, or use LIMIT.")
    if isinstance(error, ClientError):
        return InvalidInput(f"The graph cannot run this query: {error.message}", hint="Look at get_database_schema.")
    return StoreUnavailable(f"Neo4j does not answer: {error}", hint="Check NEO4J_URI, and that the server runs.")

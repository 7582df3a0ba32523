"""A Neo4j server through its official driver; a thin door, as the server itself keeps transactions and time-outs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from loopwright.kernel.errors import InvalidInput, LoopwrightError, Misconfigured
from loopwright.stores.errors import StoreUnavailable
from loopwright.stores.graph.cypher import permitted
from loopwright.stores.graph.embedded import MAX_ROWS, QUERY_SECONDS
from loopwright.stores.graph.inspection import inspect_graph
from loopwright.stores.graph.records import GraphAnswerRecord, GraphSchemaRecord

if TYPE_CHECKING:
    from neo4j import AsyncDriver, AsyncManagedTransaction, Record

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

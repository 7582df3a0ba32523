"""The door to Neo4j, held to the driver's own types; a server is not at hand here."""

from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from neo4j import AsyncGraphDatabase, Record
from neo4j.exceptions import Neo4jError
from neo4j.graph import Graph, Node
from neo4j.time import Date

from loopwright.agents.jobs.store.graph import Neo4jGraph, plain
from loopwright.kernel.errors import InvalidInput, Misconfigured
from loopwright.stores.errors import StoreUnavailable


class Driver:
    """Answers with what it was given, and keeps what it was asked."""

    def __init__(self, records: list[Record] | None = None, error: Exception | None = None) -> None:
        self.records, self.error = records or [], error
        self.asked: list[tuple[str, str, str, dict[str, Any]]] = []
        self.closed = False

    @asynccontextmanager
    async def session(self, default_access_mode: str) -> Any:
        yield Session(self, default_access_mode)

    async def close(self) -> None:
        self.closed = True


class Session:
    def __init__(self, driver: Driver, mode: str) -> None:
        self.driver, self.mode = driver, mode

    async def execute_read(self, work: Callable[[Any], Any]) -> Any:
        return await work(Transaction(self.driver, self.mode, "read", work))

    async def execute_write(self, work: Callable[[Any], Any]) -> Any:
        return await work(Transaction(self.driver, self.mode, "write", work))


class Transaction:
    def __init__(self, driver: Driver, mode: str, kind: str, work: Any) -> None:
        self.driver, self.mode, self.kind = driver, mode, kind
        assert work.timeout > 0

    async def run(self, text: str, parameters: dict[str, Any]) -> "Transaction":
        if self.driver.error:
            raise self.driver.error
        self.driver.asked.append((self.mode, self.kind, text, parameters))
        return self

    async def fetch(self, number: int) -> list[Record]:
        return self.driver.records[:number]


def server_error(code: str) -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message="told by the server")


async def test_reading_and_writing_say_so_to_the_server() -> None:
    driver = Driver([Record({"n": 1})])
    graph = Neo4jGraph(driver)  # type: ignore[arg-type] # a driver without a server
    assert (await graph.query("MATCH (n) RETURN n // note", {"a": 1})).rows == [{"n": 1}]
    await graph.query("MERGE (n:X {a: $a})", {"a": 1}, write=True)
    assert driver.asked == [
        ("READ", "read", "MATCH (n) RETURN n", {"a": 1}),
        ("WRITE", "write", "MERGE (n:X {a: $a})", {"a": 1}),
    ]
    await graph.close()
    assert driver.closed


async def test_what_is_refused_never_leaves() -> None:
    driver = Driver()
    graph = Neo4jGraph(driver)  # type: ignore[arg-type] # a driver without a server
    for cypher in (
        "CALL apoc.load.json('http://x') YIELD value RETURN value",
        "MATCH (n) DELETE n",
        "LOAD CSV FROM 'x' AS l RETURN l",
    ):
        with pytest.raises(InvalidInput):
            await graph.query(cypher)
    assert driver.asked == []


async def test_long_answers_are_cut_and_say_so() -> None:
    graph = Neo4jGraph(Driver([Record({"x": n}) for n in range(9)]), max_rows=4)  # type: ignore[arg-type]
    answer = await graph.query("MATCH (n) RETURN n.x AS x")
    assert ([row["x"] for row in answer.rows], answer.truncated) == ([0, 1, 2, 3], True)


def test_values_become_plain() -> None:
    store = Graph()
    first = Node(store, "4:a:1", 1, ["Requirement"], {"rid": "R-0001", "since": Date(2026, 11, 22)})
    second = Node(store, "4:a:2", 2, ["Message"], {})
    link = store.relationship_type("REFINES")(store, "5:a:7", 7, {"confidence": 0.5})
    link._start_node, link._end_node = first, second
    assert plain(first) == {
        "id": "4:a:1",
        "labels": ["Requirement"],
        "properties": {"rid": "R-0001", "since": "2026-11-22"},
    }
    assert plain([link, {"k": None}]) == [
        {"id": "5:a:7", "type": "REFINES", "startNode": "4:a:1", "endNode": "4:a:2", "properties": {"confidence": 0.5}},
        {"k": None},
    ]


@pytest.mark.parametrize(
    ("code", "expected", "told"),
    [
        ("Neo.ClientError.Statement.SyntaxError", InvalidInput, "told by the server"),
        ("Neo.ClientError.Security.Unauthorized", Misconfigured, "refuses the user"),
        ("Neo.ClientError.Transaction.TransactionTimedOut", InvalidInput, "longer than"),
        ("Neo.TransientError.General.DatabaseUnavailable", StoreUnavailable, "does not answer"),
    ],
)
async def test_errors_say_whose_fault_it_is(code: str, expected: type[Exception], told: str) -> None:
    graph = Neo4jGraph(Driver(error=server_error(code)))  # type: ignore[arg-type]
    with pytest.raises(expected, match=told):
        await graph.query("MATCH (n) RETURN n")


async def test_a_server_that_is_not_there_is_named(unused_tcp_port: int) -> None:
    driver = AsyncGraphDatabase.driver(f"bolt://127.0.0.1:{unused_tcp_port}", max_transaction_retry_time=0)
    graph = Neo4jGraph(driver)
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await graph.query("MATCH (n) RETURN n")
    await graph.close()


async def test_an_unusable_address_is_refused_without_repeating_it() -> None:
    with pytest.raises(Misconfigured) as caught:
        Neo4jGraph.connect("http://me:secret@host", None, None)
    assert "secret" not in caught.value.message + caught.value.hint
    graph = Neo4jGraph.connect("neo4j://127.0.0.1:1", "neo4j", "word")
    await graph.close()

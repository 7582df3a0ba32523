"""The embedded graph: what is written is read, by whomever; what goes wrong changes nothing; nothing takes for ever."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopwright.agents.jobs.store.cypher import Statement
from loopwright.agents.jobs.store.graph import EmbeddedGraph
from loopwright.kernel.errors import InvalidInput, Misconfigured
from loopwright.stores.errors import StoreUnavailable

MERGE = "MERGE (r:Requirement {rid: $rid}) SET r.name = $name, r.goBDRelevant = $gobd"


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncIterator[EmbeddedGraph]:
    opened = EmbeddedGraph(tmp_path / "home" / "graph.db", query_seconds=30)
    yield opened
    await opened.close()


async def merge(graph: EmbeddedGraph, rid: str, name: str = "Ünder 'quotes' \"and\" \\ more\n") -> None:
    await graph.query(MERGE, {"rid": rid, "name": name, "gobd": True}, write=True)


async def test_an_empty_graph_can_be_asked(graph: EmbeddedGraph) -> None:
    assert (await graph.query("MATCH (n) RETURN n")).rows == []
    schema = await graph.schema()
    assert (schema.nodes, schema.relationships) == ({}, {})


async def test_what_is_merged_is_read_and_merged_once(graph: EmbeddedGraph) -> None:
    for _ in range(2):
        await merge(graph, "R-0001")
    answer = await graph.query("MATCH (r:Requirement) RETURN r, r.name AS name, r.goBDRelevant AS gobd")
    (row,) = answer.rows
    assert (row["name"], row["gobd"]) == ("Ünder 'quotes' \"and\" \\ more\n", True)
    assert row["r"]["labels"] == ["Requirement"]
    assert row["r"]["properties"]["rid"] == "R-0001"


async def test_the_schema_counts_what_is_there(graph: EmbeddedGraph) -> None:
    await merge(graph, "R-0001")
    await merge(graph, "R-0002")
    await graph.query(
        "MATCH (a {rid: 'R-0001'}), (b {rid: 'R-0002'}) MERGE (a)-[x:REFINES]->(b) SET x.by = 'me'",
        write=True,
    )
    schema = await graph.schema()
    assert (schema.nodes, schema.relationships) == ({"Requirement": 2}, {"REFINES": 1})
    assert schema.properties == {"Requirement": ["goBDRelevant", "name", "rid"], "REFINES": ["by"]}


async def test_reading_cannot_write_even_past_the_check(graph: EmbeddedGraph) -> None:
    await merge(graph, "R-0001")
    with pytest.raises(InvalidInput, match="only reads"):
        await graph.query("MATCH (r) DETACH DELETE r")
    unchecked = Statement("MATCH (r) DETACH DELETE r", returns=False)
    with pytest.raises((InvalidInput, StoreUnavailable)):
        await asyncio.to_thread(graph._reader.run, unchecked, "{}", 10)
    assert len((await graph.query("MATCH (r) RETURN r")).rows) == 1


async def test_a_statement_that_fails_leaves_nothing_behind(graph: EmbeddedGraph) -> None:
    await merge(graph, "R-0001")
    with pytest.raises(InvalidInput, match="cannot run"):
        await graph.query("CREATE (n:Half) RETURN toInteger({}) AS x", write=True)
    assert (await graph.query("MATCH (n:Half) RETURN n")).rows == []
    await merge(graph, "R-0002")
    assert (await graph.query("MATCH (r) RETURN count(r) AS n")).rows == [{"n": 2}]


async def test_a_mistake_is_told_with_its_place(graph: EmbeddedGraph) -> None:
    with pytest.raises(InvalidInput, match="Line 1, Col") as caught:
        await graph.query("MATCH (r:Requirement) RETRUN r")
    assert "get_database_schema" in caught.value.hint


async def test_long_answers_are_cut_and_say_so(tmp_path: Path) -> None:
    graph = EmbeddedGraph(tmp_path / "graph.db", max_rows=5, query_seconds=30)
    await graph.query("UNWIND range(1, 20) AS x CREATE (n:N {x: x})", write=True)
    assert (await graph.query("MATCH (n:N) RETURN count(n) AS n")).rows == [{"n": 20}]
    cut = await graph.query("MATCH (n:N) RETURN n.x AS x ORDER BY x")
    assert ([row["x"] for row in cut.rows], cut.truncated) == ([1, 2, 3, 4, 5], True)
    assert not (await graph.query("MATCH (n:N) RETURN n.x AS x LIMIT 5")).truncated
    await graph.close()


async def test_a_query_without_end_is_ended(tmp_path: Path) -> None:
    graph = EmbeddedGraph(tmp_path / "graph.db", query_seconds=0.2)
    with pytest.raises(InvalidInput, match=r"longer than 0\.2 s"):
        await graph.query("UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN count(*) AS n")
    assert (await graph.query("RETURN 1 AS one")).rows == [{"one": 1}]
    await graph.close()


async def test_a_value_without_measure_is_refused(graph: EmbeddedGraph) -> None:
    parameters = {"a": "a" * 10_000, "b": "b" * 10_000}
    with pytest.raises(InvalidInput, match="memory"):
        await graph.query("RETURN replace($a, 'a', $b) AS text", parameters)


async def test_other_connections_see_it_and_take_turns(graph: EmbeddedGraph, tmp_path: Path) -> None:
    other = EmbeddedGraph(tmp_path / "home" / "graph.db")
    await asyncio.gather(*(merge(each, f"R-{n:04d}") for n in range(40) for each in (graph, other)))
    assert (await other.query("MATCH (r:Requirement) RETURN count(r) AS n")).rows == [{"n": 40}]
    await other.close()


async def test_a_file_that_is_no_graph_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "graph.db"
    path.write_bytes(b"something else entirely, and long enough to be looked at as a header of a database" * 20)
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable, match="not a database"):
        await EmbeddedGraph(path).query("MATCH (n) RETURN n")
    assert path.read_bytes() == before


async def test_missing_libraries_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysqlite3", None)
    with pytest.raises(Misconfigured) as caught:
        await EmbeddedGraph(tmp_path / "graph.db").query("RETURN 1 AS one")
    assert "loopwright[jobs]" in caught.value.hint


async def test_a_pattern_that_the_engine_misreads_is_refused_and_its_other_spelling_is_right(
    graph: EmbeddedGraph,
) -> None:
    await graph.query("CREATE (:R {rid: 'a'})-[:F]->(:B), (:R {rid: 'c'})-[:Y]->(:B)", write=True)
    for condition in ("NOT (r)-[:X|Y]->()", "EXISTS { (r)-[x:X|Y]->() }", "size([(r)-[:X|Y]->(b) | b]) = 0"):
        with pytest.raises(InvalidInput, match="choose between types") as caught:
            await graph.query(f"MATCH (r:R) WHERE {condition} RETURN r.rid AS rid")
    assert "EXISTS { MATCH (r)-[x]->() WHERE type(x) IN" in caught.value.hint
    right = "MATCH (r:R) WHERE NOT EXISTS { MATCH (r)-[x]->() WHERE type(x) IN ['X', 'Y'] } RETURN r.rid AS rid"
    assert (await graph.query(right)).rows == [{"rid": "a"}]
    assert (await graph.query("MATCH (r:R)-[x:X|Y]->() RETURN r.rid AS rid")).rows == [{"rid": "c"}]

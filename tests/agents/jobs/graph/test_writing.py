"""Changes of the graph are made once, between what exists, and taken back by a rewind."""

import pytest

from loopwright.agents.jobs.graph import (
    Author,
    merge_node,
    merge_relationship,
    remove_relationship,
    withdraw_after,
)
from loopwright.agents.jobs.store.graph import EmbeddedGraph
from loopwright.kernel.errors import InvalidInput, NotFound


async def nodes(graph: EmbeddedGraph) -> list[str]:
    rows = (await graph.query("MATCH (n) RETURN coalesce(n.rid, n.boid) AS id ORDER BY id")).rows
    return [row["id"] for row in rows]


async def links(graph: EmbeddedGraph) -> list[str]:
    return [row["t"] for row in (await graph.query("MATCH ()-[x]->() RETURN type(x) AS t ORDER BY t")).rows]


async def status(graph: EmbeddedGraph, rid: str) -> str:
    rows = (await graph.query("MATCH (n:Requirement {rid: $rid}) RETURN n.complianceStatus AS s", {"rid": rid})).rows
    return str(rows[0]["s"])


async def test_what_is_made_twice_is_there_once(graph: EmbeddedGraph) -> None:
    for phase in (2, 4):
        author = Author("job", phase)
        await merge_node(graph, "Requirement", "R-0001", {"name": f"of phase {phase}", "note": None}, author)
        await merge_node(graph, "BusinessObject", "BO-x", {"name": "X"}, author)
        await merge_relationship(graph, "RELATES_TO_OBJECT", "R-0001", "BO-x", {"reason": "r"}, author)
    assert (await nodes(graph), await links(graph)) == (["BO-x", "R-0001"], ["RELATES_TO_OBJECT"])
    (row,) = (await graph.query("MATCH (n:Requirement) RETURN n.name AS name, n.phase AS phase, keys(n) AS keys")).rows
    assert (row["name"], row["phase"]) == ("of phase 4", 2)
    assert "note" not in row["keys"]


async def test_relationships_need_their_ends_and_the_schema(graph: EmbeddedGraph) -> None:
    author = Author("job", 2)
    await merge_node(graph, "Requirement", "R-0001", {"name": "n"}, author)
    with pytest.raises(NotFound, match="no BusinessObject BO-x"):
        await merge_relationship(graph, "RELATES_TO_OBJECT", "R-0001", "BO-x", {}, author)
    with pytest.raises(NotFound, match="no Requirement R-0002"):
        await merge_relationship(graph, "REFINES", "R-0002", "R-0001", {}, author)
    with pytest.raises(InvalidInput, match="itself"):
        await merge_relationship(graph, "REFINES", "R-0001", "R-0001", {}, author)
    with pytest.raises(InvalidInput, match="no relationship X"):
        await merge_relationship(graph, "X]->() DETACH DELETE", "R-0001", "R-0002", {}, author)
    assert await links(graph) == []


async def test_the_compliance_status_follows(graph: EmbeddedGraph) -> None:
    author = Author("job", 2)
    await merge_node(graph, "Requirement", "R-0001", {"name": "n"}, author)
    for entity in ("BO-x", "BO-y"):
        await merge_node(graph, "BusinessObject", entity, {"name": entity}, author)
    await merge_relationship(graph, "FULFILLED_BY_OBJECT", "R-0001", "BO-x", {}, author)
    assert await status(graph, "R-0001") == "fulfilled"
    await merge_relationship(graph, "NOT_FULFILLED_BY_OBJECT", "R-0001", "BO-y", {}, author)
    assert await status(graph, "R-0001") == "partial"
    await remove_relationship(graph, "FULFILLED_BY_OBJECT", "R-0001", "BO-x")
    assert await status(graph, "R-0001") == "open"


async def test_a_rewind_takes_out_what_later_phases_made(graph: EmbeddedGraph) -> None:
    early, late, other = Author("job", 2), Author("job", 4), Author("other", 9)
    await merge_node(graph, "Requirement", "R-0001", {"name": "early"}, early)
    await merge_node(graph, "BusinessObject", "BO-x", {"name": "X"}, early)
    await merge_relationship(graph, "FULFILLED_BY_OBJECT", "R-0001", "BO-x", {}, late)
    await merge_node(graph, "Requirement", "R-0002", {"name": "late"}, late)
    await merge_node(graph, "Requirement", "R-0003", {"name": "other"}, other)
    await merge_relationship(graph, "REFINES", "R-0003", "R-0001", {}, other)
    await withdraw_after(graph, "job", 2)
    assert await nodes(graph) == ["BO-x", "R-0001", "R-0003"]
    assert (await links(graph), await status(graph, "R-0001")) == (["REFINES"], "open")


async def test_no_node_outlives_its_requirement(graph: EmbeddedGraph) -> None:
    for number, author in ((1, Author("validator", 2)), (2, Author("validator", 2))):
        properties = {"name": "n", "requirementId": f"id-{number}"}
        await merge_node(graph, "Requirement", f"R-000{number}", properties, author)
    await withdraw_after(graph, "creator", 4, ["id-2"])
    assert await nodes(graph) == ["R-0001"]

"""Each check finds what breaks its rule, and nothing in a graph that keeps them all."""

import pytest

from loopwright.agents.jobs.graph import Author, merge_node, merge_relationship, settle_status
from loopwright.agents.jobs.graph.compliance import CHECKS, check_compliance
from loopwright.agents.jobs.store.graph import EmbeddedGraph

AUTHOR = Author("job", 2)


async def requirement(graph: EmbeddedGraph, rid: str, **changes: object) -> None:
    properties = {
        "name": rid,
        "text": f"Text of {rid}",
        "type": "compliance",
        "priority": "high",
        "status": "active",
        "goBDRelevant": True,
        **changes,
    }
    await merge_node(graph, "Requirement", rid, properties, AUTHOR)
    await settle_status(graph, rid)


async def fill(graph: EmbeddedGraph) -> None:
    """A small graph without fault."""
    await requirement(graph, "R-0001")
    await requirement(graph, "R-0002")
    await merge_node(graph, "BusinessObject", "BO-invoice", {"name": "Invoice"}, AUTHOR)
    await merge_node(graph, "Message", "MSG-sent", {"name": "Sent"}, AUTHOR)
    for kind, source, target in (
        ("REFINES", "R-0002", "R-0001"),
        ("USES_OBJECT", "MSG-sent", "BO-invoice"),
        ("FULFILLED_BY_OBJECT", "R-0001", "BO-invoice"),
        ("NOT_FULFILLED_BY_MESSAGE", "R-0001", "MSG-sent"),
        ("NOT_FULFILLED_BY_OBJECT", "R-0002", "BO-invoice"),
    ):
        await merge_relationship(graph, kind, source, target, {"confidence": 0.9}, AUTHOR)


async def found(graph: EmbeddedGraph) -> dict[str, list[str]]:
    report = await check_compliance(graph)
    result: dict[str, list[str]] = {}
    for violation in report.violations:
        result.setdefault(violation.check_id, []).append(violation.what)
    return result


async def test_a_graph_that_keeps_its_schema_has_no_violation(graph: EmbeddedGraph) -> None:
    await fill(graph)
    report = await check_compliance(graph)
    assert (report.compliant, report.violations, len(report.checked)) == (True, (), len(CHECKS))
    status = await graph.query("MATCH (r:Requirement) RETURN r.rid AS rid, r.complianceStatus AS s ORDER BY rid")
    assert [(row["rid"], row["s"]) for row in status.rows] == [("R-0001", "partial"), ("R-0002", "open")]


NEW = (
    "{rid: 'R-0009', name: 'n', text: 't', type: 'compliance', priority: 'low', status: 'x', complianceStatus: 'open'}"
)
BREAKING = [
    ("A1", "MATCH (b:BusinessObject) CREATE (n:Odd {name: 'odd'})<-[:IMPACTS_OBJECT]-(b)", "odd"),
    ("A2", "MATCH (b:BusinessObject) CREATE (:BusinessObject {boid: 'BO-invoice', name: 'Twin'})", "BO-invoice"),
    ("A3", "MATCH (r:Requirement {rid: 'R-0002'}) SET r.text = null", "R-0002"),
    ("A3", "MATCH (r:Requirement {rid: 'R-0002'}) SET r.priority = 'urgent'", "R-0002"),
    ("B1", "MATCH (a:Requirement {rid: 'R-0001'}), (b:BusinessObject) CREATE (a)-[:LIKES]->(b)", "R-0001 -LIKES->"),
    (
        "B2",
        "MATCH (a:Requirement {rid: 'R-0001'}), (b:BusinessObject) CREATE (b)-[:IMPACTS_OBJECT]->(a)",
        "BO-invoice -",
    ),
    ("B3", "MATCH (a:Requirement {rid: 'R-0001'}) CREATE (a)-[:DEPENDS_ON]->(a)", "R-0001"),
    ("C1", f"CREATE (:Requirement {NEW})", "R-0009"),
    ("C2", "MATCH (:Message)-[x:USES_OBJECT]->() DELETE x", "MSG-sent"),
    ("C3", "MATCH (r:Requirement {rid: 'R-0002'})-[x:NOT_FULFILLED_BY_OBJECT]->() DELETE x", "R-0002"),
    ("C4", "MATCH (r:Requirement {rid: 'R-0002'})-[x:NOT_FULFILLED_BY_OBJECT]->() DELETE x", "R-0002"),
    ("C5", "MATCH (r:Requirement {rid: 'R-0002'}) SET r.complianceStatus = 'fulfilled'", "R-0002"),
]


@pytest.mark.parametrize(("check", "cypher", "what"), BREAKING, ids=[f"{row[0]}-{n}" for n, row in enumerate(BREAKING)])
async def test_each_check_finds_what_breaks_its_rule(graph: EmbeddedGraph, check: str, cypher: str, what: str) -> None:
    await fill(graph)
    await graph.query(cypher, write=True)
    violations = (await found(graph))[check]
    assert any(each.startswith(what) for each in violations)
    only = await check_compliance(graph, (check[0],))  # type: ignore[arg-type] # the group is the id's first letter
    assert {violation.check_id[0] for violation in only.violations} == {check[0]}


def test_every_check_is_tried() -> None:
    assert {check.check_id for check in CHECKS} == {row[0] for row in BREAKING}

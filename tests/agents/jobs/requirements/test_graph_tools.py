"""The graph is changed by its own tools alone, says what the store says, and can be asked in Cypher."""

from tests.agents.jobs.requirements.bench import Bench, records

TEXT = "Das System muss Rechnungen zehn Jahre lang unverändert aufbewahren."


async def test_a_requirement_is_worked_into_the_graph(bench: Bench) -> None:
    (name,) = await bench.add(TEXT, gobd_relevant=True, req_type="compliance", mentioned_objects=["Rechnung"])
    validator, call = bench.validator, bench.validator.good
    assert "not held by this job" in await validator.refused("create_requirement_node", requirement_id=name)
    await call("next_requirements")
    assert "not in the graph yet" in await validator.refused(
        "update_requirement", requirement_id=name, status="integrated"
    )
    assert await call("generate_requirement_id", requirement_id=name) == "R-0001"
    await call("create_requirement_node", requirement_id=name, rid="R-0001", value_stream="Abrechnung")
    await call("create_entity_node", kind="BusinessObject", name="Invoice", aliases=["Rechnung"])
    (resolved,) = records(await call("resolve_business_object", entity_name="rechnung"))
    assert resolved["matches"][0] == {"id": "BO-invoice", "name": "Invoice", "confidence": 1.0, "how": "exact"}
    fulfilled = {
        "rid": "R-0001",
        "entity_id": "BO-invoice",
        "fulfilled": True,
        "confidence": 0.9,
        "evidence": "archive",
    }
    for _ in range(2):
        await call("create_fulfillment_relationship", call_id="c", **fulfilled)
    await call("update_requirement", requirement_id=name, status="integrated")
    query = "MATCH (r:Requirement {rid: $rid})-[x]->(b) RETURN r.text AS text, r.complianceStatus AS s, type(x) AS t"
    (row,) = records(await call("execute_cypher_query", query=query, parameters={"rid": "R-0001"}))
    assert row == {"text": TEXT, "s": "fulfilled", "t": "FULFILLED_BY_OBJECT"}
    assert "keeps its schema: 0 errors, 0 warnings" in await call("validate_schema_compliance")
    (counts,) = records(await call("count_graph_statistics"))
    assert counts["nodes"] == {"BusinessObject": 1, "Requirement": 1}


async def test_a_rejected_requirement_leaves_nothing_in_the_graph(bench: Bench) -> None:
    (name,) = await bench.add(TEXT)
    await bench.validator.good("next_requirements")
    await bench.validator.good("create_requirement_node", requirement_id=name)
    verdict = {"requirement_id": name, "status": "rejected", "reason": "duplicate"}
    await bench.validator.good("update_requirement", **verdict)
    assert "0 nodes" in await bench.validator.good("count_graph_statistics")


async def test_numbers_go_on_behind_those_that_the_graph_has(bench: Bench) -> None:
    graph = bench.validator.stores.graph
    await graph.query("CREATE (:Requirement {rid: 'R-0041', name: 'old', text: 'old'})", write=True)
    first, second = await bench.add(TEXT, "Anders.")
    await bench.validator.good("next_requirements")
    rids = [await bench.validator.good("generate_requirement_id", requirement_id=n) for n in (first, second, first)]
    assert rids == ["R-0042", "R-0043", "R-0042"]
    assert "is R-0042, not R-0007" in await bench.validator.refused(
        "create_requirement_node", requirement_id=first, rid="R-0007"
    )


async def test_a_judgement_replaces_its_opposite_and_needs_a_reason(bench: Bench) -> None:
    (name,) = await bench.add(TEXT)
    validator = bench.validator
    await validator.good("next_requirements")
    rid = await bench.integrate(name)
    made = await validator.good("create_entity_node", kind="Message", name="Invoice sent")
    judged = {"rid": rid, "entity_id": made.removeprefix("ok: "), "confidence": 0.8}
    say = "create_fulfillment_relationship"
    assert "evidence" in await validator.refused(say, fulfilled=True, **judged)
    assert "severity" in await validator.refused(say, fulfilled=False, gap_description="none", **judged)
    thin = judged | {"confidence": 0.5}
    assert "0.7 is needed" in await validator.refused(say, fulfilled=True, evidence="maybe", **thin)
    assert "no business object or message BO-x" in await validator.refused(
        say, fulfilled=True, evidence="e", **judged | {"entity_id": "BO-x"}
    )
    await validator.good(say, fulfilled=True, evidence="a log", **judged)
    await validator.good(say, fulfilled=False, gap_description="no log", severity="major", **judged)
    (row,) = records(await validator.good("get_entity_relationships", entity_id=rid))
    assert (row["type"], row["direction"], row["properties"]["severity"]) == (
        "NOT_FULFILLED_BY_MESSAGE",
        "out",
        "major",
    )
    assert "no node R-9" in await validator.refused("get_entity_relationships", entity_id="R-9")


async def test_requirements_are_related_to_each_other(bench: Bench) -> None:
    names = await bench.add(TEXT, "Anders.")
    await bench.validator.good("next_requirements")
    first, second = [await bench.integrate(name) for name in names]
    relate = {"source_id": second, "target_id": first, "type": "TRACES_TO", "reason": "alike", "confidence": 0.8}
    await bench.validator.good("create_relationship", **relate)
    (row,) = records(await bench.validator.good("get_entity_relationships", entity_id=first))
    assert (row["type"], row["direction"], row["id"]) == ("TRACES_TO", "in", second)
    assert "Invalid arguments" in await bench.validator.refused(
        "create_relationship", **relate | {"type": "FULFILLED_BY_OBJECT"}
    )
    assert "no Requirement BO-x" in await bench.validator.refused(
        "create_relationship", **relate | {"target_id": "BO-x"}
    )


async def test_what_stands_in_the_graph_alone_is_an_original_too(bench: Bench) -> None:
    graph = bench.validator.stores.graph
    await graph.query("CREATE (:Requirement {rid: 'R-0005', name: 'old', text: $text})", {"text": TEXT}, write=True)
    (name,) = await bench.add(TEXT)
    (found,) = records(await bench.validator.good("check_for_duplicates", requirement_id=name))
    assert [(match["rid"], match["similarity"]) for match in found["matches"]] == [("R-0005", 1.0)]


async def test_cypher_only_reads_and_says_what_is_wrong(bench: Bench) -> None:
    ask = "execute_cypher_query"
    for query, told in (
        ("MATCH (n) DETACH DELETE n", "only reads"),
        ("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", "LOAD is not allowed"),
        ("MATCH (n) RETRUN n", "Line 1"),
        ("CALL dbms.listConfig()", "may not be called"),
    ):
        assert told in await bench.validator.refused(ask, query=query)
    assert "0 rows" in await bench.validator.good(ask, query="MATCH (n) RETURN n")


async def test_the_schema_is_told_with_what_is_there(bench: Bench) -> None:
    await bench.validator.good("create_entity_node", kind="Message", name="Order placed")
    said = await bench.validator.good("get_database_schema")
    assert "(:Message)-[:USES_OBJECT]->(:BusinessObject)" in said
    (row,) = records(said)
    assert (row["label"], row["number"]) == ("Message", 1)
    assert "not a name" in await bench.validator.refused("create_entity_node", kind="Message", name="?!")
    assert "0 of 2 names" in await bench.validator.good("resolve_message", entity_names=["Zahlung", "Kaution"])
    assert "no name to resolve" in await bench.validator.refused("resolve_message")


async def test_a_graph_that_breaks_its_schema_is_told_so(bench: Bench) -> None:
    await bench.validator.stores.graph.query("CREATE (:Odd {name: 'odd'})", write=True)
    said = await bench.validator.good("validate_schema_compliance", checks="A")
    assert "breaks its schema: 1 errors, 0 warnings (checks A1, A2, A3)" in said
    assert records(said)[0]["what"] == "odd"

"""Requirements are added whole and once, found by what they are, and changed by those who may."""

import pytest

from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from tests.stores.requirements.bench import Bench, wanted


async def test_all_fields_come_back(bench: Bench) -> None:
    fields = {
        "text": "Das System muss Rechnungen zehn Jahre unverändert aufbewahren.",
        "name": "Aufbewahrung",
        "type": "compliance",
        "priority": "high",
        "source_document": "documents/GoBD.pdf",
        "source_location": "p. 12",
        "gobd_relevant": True,
        "gdpr_relevant": False,
        "citations": ["CIT-001", "CIT-002"],
        "mentioned_objects": ["Rechnung"],
        "mentioned_messages": [],
        "reasoning": "obligation",
        "research_notes": "",
        "confidence": 0.9,
        "tags": ["retention"],
    }
    (added,) = await bench.store.add("creator", [fields], phase=2, key="k")
    got = await bench.store.get(added.requirement_id)
    assert {name: getattr(got, name) for name in fields} == fields
    assert (got.status, got.phase, got.graph_id, got.claimed_by) == ("pending", 2, None, None)
    assert got.model_dump(mode="json")["graph_id"] is None


async def test_a_repeated_call_adds_nothing(bench: Bench) -> None:
    pair = [wanted(1), wanted(2)]
    first = await bench.store.add("creator", pair, phase=2, key="k")
    assert await bench.store.add("creator", pair, phase=2, key="k") == first
    # Another job's call may have the same key by chance; it is another call.
    assert await bench.store.add("first", pair, phase=2, key="k") != first
    assert (await bench.store.counts(job_id="creator"))["pending"] == 2


UNUSABLE = [
    ({"text": ""}, "text"),
    ({"text": "x" * 10_001}, "text"),
    ({"type": "wish"}, "type"),
    ({"confidence": 1.5}, "confidence"),
    ({"citations": ["C"] * 101}, "citations"),
    ({"surprise": 1}, "surprise"),
    ({"tags": ["a\x00b"]}, "zero character"),
]


async def test_what_cannot_be_stored_stores_nothing(bench: Bench) -> None:
    for change, told in UNUSABLE:
        with pytest.raises(InvalidInput, match=told):
            await bench.store.add("creator", [wanted(1), wanted(2) | change], phase=2, key="k")
    with pytest.raises(InvalidInput, match="0 requirements"):
        await bench.store.add("creator", [], phase=2, key="k")
    assert await bench.store.find() == []


async def test_a_job_that_does_not_exist_has_no_requirements(bench: Bench) -> None:
    with pytest.raises(NotFound):
        await bench.store.add("nobody", [wanted(1)], phase=2, key="k")
    with pytest.raises(NotFound, match="no requirement nothing"):
        await bench.store.get("nothing")


async def test_finding_filters_pages_and_keeps_the_order_of_adding(bench: Bench) -> None:
    rows = await bench.add(7)
    bench.clock.passes(1)
    await bench.store.add("first", [wanted(9, type="compliance", priority="high", name="100 % done")], phase=1, key="k")
    assert [row.requirement_id for row in await bench.store.find(job_id="creator")] == [r.requirement_id for r in rows]
    assert await bench.store.find(limit=3, offset=2) == rows[2:5]
    assert [row.name for row in await bench.store.find(type="compliance", priority="high")] == ["100 % done"]
    assert [row.name for row in await bench.store.find(containing="0 % D")] == ["100 % done"]
    assert await bench.store.find(containing="%%") == []
    assert await bench.store.counts() == {
        "pending": 8,
        "validating": 0,
        "integrated": 0,
        "rejected": 0,
        "failed": 0,
    }


async def test_only_the_job_that_added_or_holds_it_changes_a_requirement(bench: Bench) -> None:
    (row,) = await bench.add(1)
    changed = await bench.store.update(row.requirement_id, {"priority": "high"}, job_id="creator", phase=3, key="e")
    assert changed.priority == "high"
    with pytest.raises(Conflict, match="not held by this job"):
        await bench.store.update(row.requirement_id, {"priority": "low"}, job_id="first", phase=3, key="f")
    await bench.claim("first", 1)
    with pytest.raises(Conflict):
        await bench.store.update(row.requirement_id, {"priority": "low"}, job_id="creator", phase=3, key="g")
    held = await bench.store.update(row.requirement_id, {"research_notes": "seen"}, job_id="first", phase=3, key="h")
    assert (held.priority, held.research_notes) == ("high", "seen")
    with pytest.raises(InvalidInput, match="status"):
        await bench.store.update(row.requirement_id, {"status": "integrated"}, job_id="first", phase=3, key="i")


async def test_a_repeated_edit_does_not_undo_what_came_between(bench: Bench) -> None:
    (row,) = await bench.add(1)
    for name, key in (("one", "a"), ("two", "b"), ("one", "a")):
        await bench.store.update(row.requirement_id, {"name": name}, job_id="creator", phase=3, key=key)
    assert (await bench.store.get(row.requirement_id)).name == "two"


async def test_a_number_for_the_graph_is_given_once_and_to_one_requirement(bench: Bench) -> None:
    first, second, third = [row.requirement_id for row in await bench.add(3)]
    assert await bench.store.assign_graph_id(first) == "R-0001"
    assert await bench.store.assign_graph_id(second, above=41) == "R-0042"
    assert await bench.store.assign_graph_id(first, above=99) == "R-0001"
    assert await bench.store.assign_graph_id(third) == "R-0043"

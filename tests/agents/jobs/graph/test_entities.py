"""Names are resolved: the same, then a part, then what is alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.jobs.graph import Author, Entity, entities_of, entity_id, merge_node, resolve
from loopwright.agents.jobs.store.graph import EmbeddedGraph
from loopwright.kernel.errors import InvalidInput

ENTITIES = [
    Entity("BO-invoice", "Invoice", ("Rechnung",), ""),
    Entity("BO-credit-note", "Credit Note", ("Gutschrift", "Rechnungskorrektur"), ""),
    Entity("BO-vehicle", "Vehicle", ("Fahrzeug",), ""),
]


def told(name: str) -> list[tuple[str, float, str]]:
    return [(match.entity.entity_id, match.confidence, match.how) for match in resolve(name, ENTITIES)]


def test_the_same_name_in_any_language_is_sure() -> None:
    assert told("rechnung")[0] == ("BO-invoice", 1.0, "exact")
    assert told(" VEHICLE ") == [("BO-vehicle", 1.0, "exact")]


def test_a_part_comes_before_what_is_only_alike() -> None:
    assert told("Eingangsrechnung") == [("BO-invoice", 0.8, "substring")]
    (first, *_) = told("Fahrzeuge")
    assert first == ("BO-vehicle", 0.8, "substring")
    (alike, *_) = told("Gutschrft")
    assert (alike[0], alike[2]) == ("BO-credit-note", "alike")
    assert 0.6 <= alike[1] < 0.8


def test_what_is_not_there_has_no_match() -> None:
    assert told("Kaution") == []
    assert told("ve") == []


@given(st.text(max_size=30))
def test_any_name_is_resolved_or_not_and_never_breaks(name: str) -> None:
    matches = resolve(name, ENTITIES)
    assert [match.confidence for match in matches] == sorted((m.confidence for m in matches), reverse=True)
    assert all(0 < match.confidence <= 1 for match in matches)


def test_ids_are_made_of_names() -> None:
    assert entity_id("BusinessObject", "Credit  Note") == entity_id("BusinessObject", "credit note") == "BO-credit-note"
    assert entity_id("Message", "Rechnung/übermittelt!") == "MSG-rechnung-übermittelt"
    with pytest.raises(InvalidInput):
        entity_id("Message", "***")


async def test_entities_come_back_as_they_were_made(graph: EmbeddedGraph) -> None:
    author = Author("job", 2)
    for entity in ENTITIES:
        properties = {"name": entity.name, "aliases": list(entity.aliases)}
        await merge_node(graph, "BusinessObject", entity.entity_id, properties, author)
    await merge_node(graph, "Message", "MSG-x", {"name": "X", "aliases": []}, author)
    assert sorted(await entities_of(graph, "BusinessObject"), key=lambda e: e.entity_id) == sorted(
        ENTITIES, key=lambda e: e.entity_id
    )
    assert await entities_of(graph, "Message") == [Entity("MSG-x", "X", (), "")]

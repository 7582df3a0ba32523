"""A model's outline becomes a plan's, or the model is told what to mend."""

import json

import pytest

from loopwright.agents.planner.contracts import PatternSpec
from loopwright.agents.planner.grammar import load_outline, validate_grammar
from loopwright.kernel.errors import InvalidInput

SPANISH = {
    "root_id": "g",
    "nodes": [
        {"id": "g", "node_type": "goal", "level": 1, "title": "Speak Spanish"},
        {"id": "p", "parent_id": "g", "node_type": "phase", "level": 2, "title": "Basics"},
        {"id": "t1", "parent_id": "p", "node_type": "task", "level": 3, "title": "Sounds", "estimated_minutes": 45},
        {
            "id": "t2",
            "parent_id": "p",
            "node_type": "task",
            "level": 3,
            "title": "First 200 words",
            "estimated_minutes": 120,
            "dependencies": [{"node_id": "t1", "type": "start_to_start", "lag_lead_minutes": 60}],
        },
    ],
}


def test_ids_become_stable_and_dependencies_stay() -> None:
    outline = load_outline(SPANISH, plan="s1")
    assert validate_grammar(outline).valid
    again = load_outline(json.dumps(SPANISH), plan="s1")
    assert outline == again
    assert {node.id for node in outline.nodes}.isdisjoint(node.id for node in load_outline(SPANISH, plan="s2").nodes)
    first, second = outline.nodes[2:]
    (dependency,) = second.dependencies
    assert dependency.node_id == first.id
    assert (dependency.type, dependency.lag_lead_minutes) == ("start_to_start", 60)
    assert second.metadata["estimated_minutes"] == 120


def test_ids_that_are_known_already_stay() -> None:
    outline = load_outline(SPANISH, plan="s1")
    known = str(outline.nodes[2].id)
    text = json.dumps(SPANISH).replace('"t1"', f'"{known}"')
    assert load_outline(text, plan="s1").nodes[2].id == outline.nodes[2].id


def test_the_root_may_be_left_out_where_it_is_clear() -> None:
    outline = load_outline({"nodes": SPANISH["nodes"]})
    assert outline.root_id == outline.nodes[0].id


def test_the_pattern_is_mirrored() -> None:
    pattern = PatternSpec(pattern_type="milestone_project")
    outline = load_outline(SPANISH, pattern=pattern)
    assert outline.pattern == pattern == outline.plan_context.pattern


def broken(**fields: object) -> dict:
    nodes = [dict(node) for node in SPANISH["nodes"]]
    nodes[2] |= fields
    return {"root_id": "g", "nodes": nodes}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (broken(level=9), "nodes[2] ('t1') level"),
        (broken(title="x"), "nodes[2] ('t1') title"),
        (broken(colour="red"), "nodes[2] ('t1') colour"),
        (broken(estimated_minutes=0), "nodes[2] ('t1') estimated_minutes"),
        ({"root_id": "nobody", "nodes": SPANISH["nodes"]}, "root_id 'nobody'"),
        ({"nodes": [*SPANISH["nodes"], {**SPANISH["nodes"][0], "id": "g2"}]}, "2 nodes have no parent"),
        ({"nodes": SPANISH["nodes"] * 40}, "at most 120"),
        ("{", "not JSON"),
        ([1], "outline"),
    ],
)
def test_a_model_is_told_what_to_mend(data: object, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load_outline(data)
    assert told in caught.value.message
    assert '"parent_id": null' in caught.value.hint

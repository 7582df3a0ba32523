from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.patches import describe_patch, difference
from tests.agents.designspec.patches.documents import DOCUMENTS, VALUES, canonical, patches

SPEC = {"meta": {"seed": 42}, "components": [{"id": "net_1", "radius": 1}, {"id": "net_2"}]}


@pytest.mark.parametrize(
    ("operation", "bare", "told"),
    [
        (
            {"op": "replace", "path": "/meta/seed", "value": 7},
            "Change meta › seed to 7",
            "Change meta › seed from 42 to 7",
        ),
        ({"op": "add", "path": "/meta/seed", "value": 7}, "Add meta › seed: 7", "Change meta › seed from 42 to 7"),
        ({"op": "add", "path": "/meta/name", "value": "x"}, 'Add meta › name: "x"', 'Add meta › name: "x"'),
        (
            {"op": "add", "path": "/components/-", "value": {"id": "net_3", "build": {}}},
            "Append 'net_3' to components",
            "Append 'net_3' to components",
        ),
        (
            {"op": "add", "path": "/components/0", "value": {"id": "net_0"}},
            "Add components › 0: 'net_0'",
            "Add components › net_1: 'net_0'",
        ),
        (
            {"op": "replace", "path": "/components/0/radius", "value": 2},
            "Change components › 0 › radius to 2",
            "Change components › net_1 › radius from 1 to 2",
        ),
        (
            {"op": "remove", "path": "/components/0/radius"},
            "Remove components › 0 › radius",
            "Remove components › net_1 › radius (it was 1)",
        ),
        (
            {"op": "move", "from": "/meta/seed", "path": "/meta/random"},
            "Move meta › seed to meta › random",
            "Move meta › seed to meta › random",
        ),
        ({"op": "test", "path": "/meta/seed", "value": 42}, "Only if meta › seed is 42", "Only if meta › seed is 42"),
        ({"op": "replace", "path": "", "value": 1}, "Change the whole document to 1", None),
    ],
)
def test_an_operation_in_words(operation: dict[str, Any], bare: str, told: str | None) -> None:
    assert describe_patch([operation]) == [bare]
    if told:
        assert describe_patch([operation], SPEC) == [told]


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_each_operation_has_one_line(data: st.DataObject) -> None:
    document = data.draw(DOCUMENTS)
    operations = data.draw(patches(document))
    for lines in (describe_patch(operations), describe_patch(operations, document)):
        assert len(lines) == len(operations)
        assert all(line and "\n" not in line and len(line) < 600 for line in lines)


@given(VALUES, VALUES)
@settings(max_examples=80, deadline=None)
def test_a_difference_leads_from_one_to_the_other(before: Any, after: Any) -> None:
    operations = difference(before, after)
    assert (operations == []) == (canonical(before) == canonical(after))


def test_a_difference_follows_elements_by_their_names() -> None:
    before = [{"id": name, "n": 0} for name in "abcd"]
    after = [{"id": "x"}, {"id": "d", "n": 0}, {"id": "b", "n": 1}, {"id": "a", "n": 0}]
    assert difference({"c": before}, {"c": after}) == [
        {"op": "remove", "path": "/c/2"},
        {"op": "add", "path": "/c/0", "value": {"id": "x"}},
        {"op": "move", "from": "/c/3", "path": "/c/1"},
        {"op": "move", "from": "/c/3", "path": "/c/2"},
        {"op": "replace", "path": "/c/2/n", "value": 1},
    ]

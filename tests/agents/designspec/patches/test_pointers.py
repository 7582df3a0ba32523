from typing import Any

import pytest

from loopwright.agents.designspec.patches import apply_patch, resolve_ids
from loopwright.agents.designspec.patches.tree import PatchError

SPEC: dict[str, Any] = {
    "components": [
        {"id": "net_1", "ports": {"inlets": [{"name": "in1", "radius": 1}, {"name": "a/b", "radius": 2}]}},
        {"id": "net_2", "tags": ["x"]},
        {"id": "twin"},
        {"id": "twin"},
        {"id": "7"},
        {"id": "last"},
    ],
    "domains": {"net_1": {}},
}


def pointers(operations: list[dict[str, Any]]) -> list[tuple[str | None, str]]:
    return [(each.get("from"), each["path"]) for each in resolve_ids(SPEC, operations)]


@pytest.mark.parametrize(
    ("path", "index_path"),
    [
        ("/components/net_2/tags", "/components/1/tags"),
        ("/components/net_1/ports/inlets/in1/radius", "/components/0/ports/inlets/0/radius"),
        ("/components/net_1/ports/inlets/a~1b/radius", "/components/0/ports/inlets/1/radius"),
        ("/components/1/tags", "/components/1/tags"),
        ("/components/4/id", "/components/4/id"),
        ("/components/net_2", "/components/1"),
        ("/domains/net_1", "/domains/net_1"),
    ],
)
def test_names_become_indices(path: str, index_path: str) -> None:
    assert pointers([{"op": "replace", "path": path, "value": 5}]) == [(None, index_path)]


def test_names_are_looked_up_after_the_operations_before() -> None:
    operations = [
        {"op": "remove", "path": "/components/net_1"},
        {"op": "add", "path": "/components/-", "value": {"id": "net_9"}},
        {"op": "add", "path": "/components/net_9/seed", "value": 3},
        {"op": "replace", "path": "/components/net_2/id", "value": "renamed"},
        {"op": "copy", "from": "/components/renamed/tags", "path": "/components/net_9/tags"},
    ]
    resolved = resolve_ids(SPEC, operations)
    assert [each["path"] for each in resolved] == [
        "/components/0",
        "/components/-",
        "/components/5/seed",
        "/components/0/id",
        "/components/5/tags",
    ]
    assert resolved[4]["from"] == "/components/0/tags"
    assert apply_patch(SPEC, resolved)["components"][5] == {"id": "net_9", "seed": 3, "tags": ["x"]}
    assert operations[2]["path"] == "/components/net_9/seed"


def test_a_moves_target_is_meant_after_the_removal() -> None:
    moved = pointers([{"op": "move", "from": "/components/net_1", "path": "/components/last/inner"}])
    assert moved == [("/components/0", "/components/4/inner")]


@pytest.mark.parametrize(
    ("operation", "said", "hint"),
    [
        (
            {"op": "remove", "path": "/components/net_3"},
            "in /components no element is called 'net_3'",
            "Did you mean 'net_2'? There are: net_1, net_2, twin, twin, 7, last.",
        ),
        ({"op": "remove", "path": "/components/twin/id"}, "several elements are called 'twin'", ""),
        (
            {"op": "add", "path": "/components/net_1", "value": {}},
            "no place in it where something can be added",
            "Append with /components/-, or use replace to change what is there.",
        ),
        ({"op": "add", "path": "/components/new", "value": {}}, "no place", "Append with /components/-."),
        ({"op": "remove", "path": "/components/net_2/nothing"}, "has no member 'nothing'", "There are: id, tags."),
        ({"op": "remove", "path": "/components/net_2/tags/x"}, "no element is called 'x'", "empty"),
    ],
)
def test_what_cannot_be_resolved(operation: dict[str, Any], said: str, hint: str) -> None:
    with pytest.raises(PatchError) as refused:
        resolve_ids(SPEC, [operation])
    assert refused.value.message.startswith("Operation 0 (")
    assert said in refused.value.message
    assert hint in refused.value.hint

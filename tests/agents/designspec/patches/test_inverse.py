from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.patches import apply_patch, invert_patch
from loopwright.agents.designspec.patches.tree import PatchError
from tests.agents.designspec.patches.documents import VALUES, canonical, patches


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_the_inverse_takes_every_patch_back(data: st.DataObject) -> None:
    check_inverse(data)


@pytest.mark.soak
@given(st.data())
@settings(max_examples=5_000, deadline=None)
def test_the_inverse_takes_every_patch_back_for_long(data: st.DataObject) -> None:
    check_inverse(data)


def check_inverse(data: st.DataObject) -> None:
    document = data.draw(VALUES)
    operations = data.draw(patches(document))
    inverse = invert_patch(document, operations)
    after = apply_patch(document, operations)
    assert canonical(apply_patch(after, inverse)) == canonical(document)
    again = invert_patch(after, inverse)
    assert canonical(apply_patch(apply_patch(after, inverse), again)) == canonical(after)


@pytest.mark.parametrize(
    ("document", "operation", "inverse"),
    [
        ({"a": 1}, {"op": "add", "path": "/b", "value": 2}, [{"op": "remove", "path": "/b"}]),
        ({"a": 1}, {"op": "add", "path": "/a", "value": 2}, [{"op": "replace", "path": "/a", "value": 1}]),
        ([1, 2], {"op": "add", "path": "/-", "value": 3}, [{"op": "remove", "path": "/2"}]),
        ([1, 2], {"op": "remove", "path": "/0"}, [{"op": "add", "path": "/0", "value": 1}]),
        ({"a": [1, 2]}, {"op": "test", "path": "/a/0", "value": 1}, []),
        ({"a": 1}, {"op": "replace", "path": "", "value": 2}, [{"op": "replace", "path": "", "value": {"a": 1}}]),
        (
            {"a": [1, {"x": 2}]},
            {"op": "move", "from": "/a/0", "path": "/a/0/x"},
            PatchError,
        ),
        (
            {"a": {"b": 1, "c": 2}},
            {"op": "move", "from": "/a/b", "path": "/a"},
            [{"op": "replace", "path": "/a", "value": {"c": 2}}, {"op": "add", "path": "/a/b", "value": 1}],
        ),
    ],
)
def test_the_inverse_is_small(document: Any, operation: dict[str, Any], inverse: Any) -> None:
    if inverse is PatchError:
        with pytest.raises(PatchError, match=r"Operation 0 \(move"):
            invert_patch(document, [operation])
    else:
        assert invert_patch(document, [operation]) == inverse


def test_an_inverse_beyond_the_limits_puts_the_whole_document_back() -> None:
    document = {"a": 1, "b": 2}
    swap = [
        {"op": "move", "from": "/a", "path": "/c"},
        {"op": "move", "from": "/c", "path": "/a"},
    ] * 100
    assert invert_patch(document, swap) == [{"op": "replace", "path": "", "value": document}]

import copy
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.patches import apply_patch
from loopwright.agents.designspec.patches.rebase import PatchConflict, Rebased, rebase_between, rebase_patch
from loopwright.agents.designspec.patches.tree import PatchError
from tests.agents.designspec.patches.documents import DOCUMENTS, canonical, patches

BASE: dict[str, Any] = {
    "meta": {"seed": 42, "tags": ["a", "b"]},
    "components": [
        {"id": "net_1", "radius": 1, "ports": {"inlets": [{"name": "in1"}]}},
        {"id": "net_2", "radius": 2},
        {"id": "net_3", "radius": 3},
    ],
    "path": [[0, 0], [1, 1], [2, 2]],
}


def op(kind: str, path: str, *value: Any, **more: Any) -> dict[str, Any]:
    return {"op": kind, "path": path, **({"value": value[0]} if value else {}), **more}


SET_3 = op("replace", "/components/2/radius", 9)


@pytest.mark.parametrize(
    ("theirs", "ours", "rebased"),
    [
        (op("remove", "/components/0"), SET_3, op("replace", "/components/1/radius", 9)),
        (op("add", "/components/1", {"id": "new"}), SET_3, op("replace", "/components/3/radius", 9)),
        (op("add", "/components/-", {"id": "new"}), SET_3, SET_3),
        (op("replace", "/components/0", {"id": "other"}), SET_3, SET_3),
        (op("move", "/components/0", **{"from": "/components/1"}), SET_3, SET_3),
        (op("replace", "/meta/seed", 7), op("add", "/meta/name", "x"), op("add", "/meta/name", "x")),
        (op("replace", "/meta/seed", 7), op("replace", "/meta/seed", 7), op("replace", "/meta/seed", 7)),
        (
            op("remove", "/components/1"),
            op("add", "/components/1", {"id": "x"}),
            op("add", "/components/1", {"id": "x"}),
        ),
        (
            op("remove", "/components/1"),
            op("add", "/components/3", {"id": "x"}),
            op("add", "/components/2", {"id": "x"}),
        ),
        (op("add", "/path/0", [9, 9]), op("remove", "/path/2"), op("remove", "/path/3")),
        (op("replace", "/path/1", [9, 9]), op("add", "/path/1", [8, 8]), op("add", "/path/1", [8, 8])),
        (op("add", "/path/1", [9, 9]), op("add", "/path/-", [8, 8]), op("add", "/path/-", [8, 8])),
        (
            op("add", "/components/-", {"id": "b"}),
            op("add", "/components/-", {"id": "c"}),
            op("add", "/components/-", {"id": "c"}),
        ),
        (
            op("add", "/components/-", {"id": "b"}),
            op("add", "/components/-", {"id": "a"}),
            op("add", "/components/3", {"id": "a"}),
        ),
        (op("test", "/components/2/radius", 3), op("add", "/meta/x", 1), op("add", "/meta/x", 1)),
    ],
)
def test_changes_that_commute(theirs: dict[str, Any], ours: dict[str, Any], rebased: dict[str, Any]) -> None:
    assert rebase_patch(BASE, [theirs], [ours]) == Rebased([rebased])
    back = rebase_patch(BASE, [ours], [theirs])
    assert isinstance(back, Rebased)
    one = apply_patch(apply_patch(BASE, [theirs]), [rebased])
    other = apply_patch(apply_patch(BASE, [ours]), back.operations)
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("theirs", "ours", "pointers", "said"),
    [
        (
            op("replace", "/meta/seed", 7),
            op("replace", "/meta/seed", 8),
            ("/meta/seed",),
            "the other change is “Change meta › seed from 42 to 7”, this one “Change meta › seed from 42 to 8”",
        ),
        (op("remove", "/components/2"), SET_3, ("/components/2",), "Both touch /components/2: the other change is"),
        (op("replace", "/components", []), SET_3, ("/components",), "Both touch /components"),
        (op("remove", "/components/2"), op("remove", "/components/2"), ("/components/2",), "Remove components › net_3"),
        (op("test", "/components/2/radius", 3), SET_3, ("/components/2/radius",), "Only if"),
        (op("copy", "/meta/c", **{"from": "/components"}), op("remove", "/components/0"), ("/components",), "Copy"),
        (op("test", "/path", BASE["path"]), op("add", "/path/-", [3, 3]), ("/path",), "Only if"),
        (op("add", "/path/1", [9, 9]), op("add", "/path/1", [8, 8]), ("/path/1",), "which comes first is not said"),
        (
            op("add", "/components/-", {"id": "new", "a": 1}),
            op("add", "/components/-", {"id": "new", "a": 2}),
            ("/components/-",),
            "both add an element called 'new'",
        ),
        (op("replace", "", {"a": 1}), op("add", "/meta/x", 1), ("",), "the whole document"),
    ],
)
def test_changes_that_do_not(
    theirs: dict[str, Any], ours: dict[str, Any], pointers: tuple[str, ...], said: str
) -> None:
    conflict = rebase_patch(BASE, [theirs], [ours])
    assert isinstance(conflict, PatchConflict)
    assert conflict.pointers == pointers
    assert said in conflict.reason
    back = rebase_patch(BASE, [ours], [theirs])
    assert isinstance(back, PatchConflict)
    assert back.pointers == pointers


def test_later_operations_follow_what_earlier_ones_made() -> None:
    theirs = [op("add", "/components/0", {"id": "first"}), op("replace", "/components/0/id", "zero")]
    ours = [
        op("add", "/components/1", {"id": "mine"}),
        op("add", "/components/1/radius", 5),
        op("move", "/components/3", **{"from": "/components/1"}),
        op("copy", "/components/0/ports", **{"from": "/components/0/ports/inlets"}),
    ]
    assert isinstance(rebase_patch(BASE, theirs, ours[:3]), Rebased)
    rebased = rebase_patch(BASE, theirs, ours)
    assert isinstance(rebased, Rebased)
    assert [(o.get("from"), o["path"]) for o in rebased.operations] == [
        (None, "/components/2"),
        (None, "/components/2/radius"),
        ("/components/2", "/components/4"),
        ("/components/1/ports/inlets", "/components/1/ports"),
    ]


def test_a_patch_that_cannot_be_applied_is_no_conflict() -> None:
    with pytest.raises(PatchError):
        rebase_patch(BASE, [], [op("remove", "/nothing")])
    with pytest.raises(PatchError):
        rebase_patch(BASE, [op("remove", "/nothing")], [])


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_rebase_laws(data: st.DataObject) -> None:
    check_rebase(data)


@pytest.mark.soak
@given(st.data())
@settings(max_examples=5_000, deadline=None)
def test_rebase_laws_for_long(data: st.DataObject) -> None:
    check_rebase(data)


def check_rebase(data: st.DataObject) -> None:
    base = data.draw(DOCUMENTS)
    roots = data.draw(st.sampled_from([False, False, False, True]))
    theirs = data.draw(patches(base, least=1, most=3, roots=roots))
    ours = data.draw(patches(base, least=1, most=3, roots=roots))
    before = copy.deepcopy([base, theirs, ours])
    assert rebase_patch(base, [], ours) == Rebased(ours)
    one, other = rebase_patch(base, theirs, ours), rebase_patch(base, ours, theirs)
    assert canonical([base, theirs, ours]) == canonical(before)
    event(f"{type(one).__name__} of {min(len(theirs), 1)} and {min(len(ours), 1)}")
    if isinstance(one, PatchConflict):
        assert isinstance(other, PatchConflict)
        assert one.pointers == other.pointers
        assert one.reason
    else:
        assert isinstance(other, Rebased)
        left = apply_patch(apply_patch(base, theirs), one.operations)
        right = apply_patch(apply_patch(base, ours), other.operations)
        assert canonical(left) == canonical(right)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_changes_at_different_components_always_commute(data: st.DataObject) -> None:
    """Whatever is inserted, removed and set elsewhere: what was meant for a component arrives at this component."""
    ids = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=2, unique=True))
    base = {"components": [{"id": each, "n": 0} for each in ids]}
    target = data.draw(st.sampled_from(ids))
    state, theirs = copy.deepcopy(base), []
    for number in range(data.draw(st.integers(1, 4))):
        there = state["components"]
        free = [index for index, each in enumerate(there) if each["id"] != target]
        kind = data.draw(st.sampled_from(["add", "remove", "replace"] if free else ["add"]))
        path = f"/components/{data.draw(st.sampled_from(free) if kind != 'add' else st.integers(0, len(there)))}"
        operation = op(kind, path) if kind == "remove" else op(kind, path, {"id": f"new{number}"})
        state = apply_patch(state, [operation])
        theirs.append(operation)
    ours = [op("replace", f"/components/{ids.index(target)}/n", 1)]
    for rebased in (rebase_patch(base, theirs, ours), rebase_between(base, state, ours)):
        assert isinstance(rebased, Rebased)
        after = apply_patch(state, rebased.operations)
        assert [each["id"] for each in after["components"] if each.get("n") == 1] == [target]

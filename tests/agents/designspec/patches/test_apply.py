import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.patches import apply_patch, check_protected
from loopwright.agents.designspec.patches.tree import MAX_DOCUMENT_BYTES, PatchError
from tests.agents.designspec.patches.documents import DOCUMENTS, VALUES, canonical, patches
from tests.shape.source import ROOT

SUITE = ROOT.parent / "shared" / "data" / "json-patch-tests"
SPEC = {
    "meta": {"name": "liver", "seed": 42},
    "components": [{"id": "net_1", "ports": {"inlets": [{"name": "in1", "radius": 0.001}]}}, {"id": "net_2"}],
}


def public_cases() -> list[Any]:
    if not SUITE.is_dir():
        return []
    return [
        pytest.param(case, id=f"{name}-{number}")
        for name in ("spec_tests", "tests")
        for number, case in enumerate(json.loads((SUITE / f"{name}.json").read_text(encoding="utf-8")))
        if not case.get("disabled") and "patch" in case
    ]


def test_the_public_suite_is_there() -> None:
    if not SUITE.is_dir():
        pytest.skip("the public suite is no part of the repository; it stands beside it where it was fetched")
    assert len(public_cases()) == 108


@pytest.mark.parametrize("case", public_cases())
def test_public_suite(case: dict[str, Any]) -> None:
    before = copy.deepcopy(case)
    if "error" in case:
        with pytest.raises(PatchError):
            apply_patch(case["doc"], case["patch"])
    else:
        result = apply_patch(case["doc"], case["patch"])
        assert canonical(result) == canonical(case.get("expected", result))
    assert case == before


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_nothing_that_is_given_is_changed_or_shared(data: st.DataObject) -> None:
    document = data.draw(DOCUMENTS)
    operations = data.draw(patches(document))
    before = canonical([document, operations])
    result = apply_patch(document, operations)
    assert canonical([document, operations]) == before
    if isinstance(result, dict):
        for value in list(result.values()):
            if isinstance(value, dict):
                value["touched"] = True
            if isinstance(value, list):
                value.append("touched")
        assert canonical([document, operations]) == before


POINTERS = st.one_of(
    st.sampled_from(["", "/", "/a", "/a/-", "/a/-/b", "/a/01", "/a/-1", "/a/1e0", "a", "/~2", "/a/" + "9" * 20, "/é"]),
    st.text(max_size=8),
    st.none(),
    st.integers(),
)
JUNK = st.one_of(
    VALUES,
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "append", "", None, []]),
            "path": POINTERS,
        },
        optional={"from": POINTERS, "value": VALUES, "more": VALUES},
    ),
)


@given(VALUES, st.lists(JUNK, max_size=4))
@settings(max_examples=120, deadline=None)
def test_junk_is_refused_with_an_expected_error(document: Any, operations: Any) -> None:
    before = canonical(document)
    said = ""
    try:
        apply_patch(document, operations)
    except PatchError as error:
        said = error.message
    assert len(said) < 600
    assert canonical(document) == before


@pytest.mark.parametrize(
    ("operation", "said", "hint"),
    [
        (
            {"op": "replace", "path": "/meta/sede", "value": 1},
            "/meta has no member 'sede'",
            "Did you mean 'seed'? There are: name, seed.",
        ),
        (
            {"op": "remove", "path": "/components/2"},
            "/components has 2 elements, so there is no index '2'",
            "There are: net_1, net_2.",
        ),
        (
            {"op": "replace", "path": "/components/-", "value": {}},
            "/components/- is the place after the last element",
            "There are: net_1, net_2.",
        ),
        (
            {"op": "add", "path": "/policy/growth", "value": {}},
            "the document has no member 'policy'",
            "Add the outer part first.",
        ),
        ({"op": "add", "path": "/components/7", "value": {}}, "there is no index '7'", "end the pointer with /-."),
        ({"op": "add", "path": "/meta/seed/x", "value": 1}, "/meta/seed is a number", ""),
        ({"op": "test", "path": "/meta/seed", "value": 43}, "another one than the tested", "There is 42."),
        ({"op": "move", "from": "/meta", "path": "/meta/inner"}, "own children", ""),
        ({"op": "copy", "from": "/met", "path": "/x"}, "no member 'met'", "Did you mean 'meta'?"),
        ({"op": "remove", "path": ""}, "whole document", ""),
        ({"op": "add", "path": "meta", "value": 1}, "is not a JSON pointer", "A pointer is like"),
        ({"op": "add", "path": "/x"}, "lacks the member `value`", ""),
        ({"op": "append", "path": "/x", "value": ""}, "`op` is none of RFC 6902", "add, remove"),
        ({"op": "add", "path": "/x", "value": math.nan}, "not finite", ""),
        ({"op": "add", "path": "/x", "value": {"a": [-math.inf]}}, "not finite", ""),
        ({"op": "add", "path": "/x", "value": 10**400}, "too large", ""),
        ({"op": "add", "path": "/x", "value": (1, 2)}, "a Python tuple", ""),
        ({"op": "add", "path": "/x", "value": {1: 2}}, "whose name is not a string", ""),
        ({"op": "add", "path": "/x", "value": "\ud800"}, "not valid Unicode", ""),
        ({"op": "add", "path": "/" + "x" * 1_000, "value": 1}, "1001 characters", ""),
    ],
)
def test_a_refusal_names_the_operation_what_is_wrong_and_what_is_there(
    operation: dict[str, Any], said: str, hint: str
) -> None:
    first = {"op": "test", "path": "/meta/name", "value": "liver"}
    with pytest.raises(PatchError) as refused:
        apply_patch(SPEC, [first, operation])
    assert refused.value.message.startswith("Operation 1 (")
    assert said in refused.value.message
    assert hint in refused.value.hint
    assert refused.value.index == 1


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_limits() -> None:
    one = {"op": "add", "path": "/x", "value": 1}
    assert apply_patch({}, [one] * 200) == {"x": 1}
    with pytest.raises(PatchError, match="201 operations"):
        apply_patch({}, [one] * 201)
    assert apply_patch({}, [{"op": "add", "path": "/x", "value": nested(63)}])
    for depth in (65, 100_000):
        with pytest.raises(PatchError, match="more than 64 levels"):
            apply_patch({}, [{"op": "add", "path": "/x", "value": nested(depth)}])
    with pytest.raises(PatchError, match="more than 64 levels"):
        apply_patch({"a": nested(60)}, [{"op": "copy", "from": "", "path": "/a"}] * 5)
    with pytest.raises(PatchError, match=r"2\.0 MB; at most"):
        apply_patch({}, [{"op": "add", "path": "/x", "value": "x" * MAX_DOCUMENT_BYTES}])
    with pytest.raises(PatchError, match="at most 4 MB"):
        apply_patch({}, [{"op": "add", "path": "/x", "value": "x" * MAX_DOCUMENT_BYTES}] * 3)
    with pytest.raises(PatchError, match="an array of operations"):
        apply_patch({}, {"op": "add"})  # type: ignore[arg-type]


def test_copies_cannot_fill_the_memory() -> None:
    bomb = [{"op": "copy", "from": "/a", "path": "/a/-"}]
    with pytest.raises(PatchError, match="21 copy operations"):
        apply_patch({"a": [1]}, bomb * 21)
    with pytest.raises(PatchError, match=r"Operation \d+ \(copy /a → /a/-\): .*MB"):
        apply_patch(
            {"a": ["x" * 10_000]}, [{"op": "copy", "from": "", "path": f"/{n}"} for n in range(20)] and bomb * 20
        )


@pytest.mark.parametrize(
    ("operation", "refused"),
    [
        ({"op": "replace", "path": "/schema/version", "value": "9"}, True),
        ({"op": "remove", "path": "/schema"}, True),
        ({"op": "replace", "path": "", "value": {}}, True),
        ({"op": "move", "from": "/schema", "path": "/x"}, True),
        ({"op": "move", "from": "/x", "path": "/schema/name"}, True),
        ({"op": "copy", "from": "/x", "path": ""}, True),
        ({"op": "copy", "from": "/schema/name", "path": "/meta/name"}, False),
        ({"op": "test", "path": "/schema/version", "value": "1.0.0"}, False),
        ({"op": "add", "path": "/schemata", "value": 1}, False),
        ({"op": "add", "path": "/meta/schema", "value": 1}, False),
    ],
)
def test_protected_parts(operation: dict[str, Any], refused: bool) -> None:
    if refused:
        with pytest.raises(PatchError, match="Operation 0"):
            check_protected([operation])
    else:
        check_protected([operation])

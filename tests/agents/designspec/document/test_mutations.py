"""Documents that have been damaged at random are answered, never crashed on, and never half accepted."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.document import (
    backend_parameters,
    check_document,
    diff_documents,
    effective_policies,
    require_spec,
)
from loopwright.agents.designspec.document.domains import join, lookup
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.document.documents import put, tree

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.sampled_from(
        ["", "main", "other", "net_1", "in_1", "mm", "m", "..", "/", "kary_tree", "programmatic", "\ud800", "~"]
    ),
    st.text(max_size=8),
    st.lists(st.integers(-5, 5), max_size=4),
    st.just([[]]),
    st.dictionaries(st.sampled_from(["type", "id", "name", "radius", "backend", "x"]), st.integers(), max_size=3),
    st.just({"type": "transform", "base_domain": "other"}),
    st.just({"type": "composite", "operation": "difference", "children": ["main", {"type": "sphere", "radius": 1}]}),
)


def every_pointer(value: Any, pointer: str = "") -> list[str]:
    """The pointers of all values of a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else [])
    return [pointer, *(deeper for key, item in inner for deeper in every_pointer(item, join(pointer, key)))]


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    document = copy.deepcopy(tree())
    for _ in range(draw(st.integers(1, 4))):
        pointer = draw(st.sampled_from(every_pointer(document)[1:] or ["/schema"]))
        if draw(st.booleans()) and lookup(document, pointer) is not None:
            put(document, pointer, None)  # taken out
        else:
            put(document, pointer, copy.deepcopy(draw(JUNK)))
    return document


@settings(max_examples=250, deadline=None)
@given(document=damaged())
def test_check_never_raises(document: dict[str, Any]) -> None:
    """An accepted document has a hash and parameters for every grower; a refused one has pointers into itself."""
    before = repr(document)
    report = check_document(document)
    assert repr(document) == before
    json.dumps(report.model_dump(mode="json"))
    assert report.ok == (report.spec is not None) == bool(report.spec_hash)
    if report.spec is not None:
        for component in report.spec.components:
            if component.build.type == "backend_network":
                backend_parameters(effective_policies(report.spec, component))
    for issue in report.issues:
        above = issue.pointer.rpartition("/")[0] if issue.code.startswith(("MISSING", "NO_")) else issue.pointer
        assert lookup(document, above, ...) is not ... or issue.severity != "error", issue


@settings(max_examples=100, deadline=None)
@given(document=damaged())
def test_require_spec_accepts_or_names_the_culprit(document: dict[str, Any]) -> None:
    if check_document(document).complete:
        assert require_spec(document).spec is not None
    else:
        with pytest.raises(InvalidInput, match=r"^/"):
            require_spec(document)


@settings(max_examples=100, deadline=None)
@given(before=damaged(), after=damaged())
def test_differences_of_damaged_documents(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Every difference is found, nothing is different from itself, and every one has words."""
    try:
        changes = diff_documents(before, after)
    except InvalidInput:
        return
    assert diff_documents(before, copy.deepcopy(before)) == []
    assert all(change.text.strip() for change in changes)
    if json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True):
        assert changes == []


def test_deep_nesting_is_refused_not_crashed_on() -> None:
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(5_000):
        inner["a"] = inner = {}
    assert [issue.code for issue in check_document(deep).errors] == ["TOO_DEEP"]
    with pytest.raises(InvalidInput):
        diff_documents(deep, {})

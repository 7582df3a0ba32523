"""Arguments: valid ones are never changed, slips are put right, missing text is never invented."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.models.answer import repair_arguments

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(), JSON_VALUES, max_size=4))
def test_valid_arguments_are_not_touched(arguments):
    assert repair_arguments(json.dumps(arguments)) == arguments


@given(st.text())
def test_any_text_gives_a_dict_or_a_complaint(raw):
    assert isinstance(repair_arguments(raw), dict | str)


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ("", {}),
        ("null", {}),
        ('{"a": 1,}', {"a": 1}),
        ("{'a': 'b'}", {"a": "b"}),
        ('{"a": {"b": 1}', {"a": {"b": 1}}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('{"html": "<p>\n</p>"}', {"html": "<p>\n</p>"}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("{a: 1, b: True}", {"a": 1, "b": True}),
    ],
)
def test_slips_of_form_are_put_right(raw, arguments):
    assert repair_arguments(raw) == arguments


@pytest.mark.parametrize("raw", ['{"html": "<p>half a pa', '{"html": "<p>\\"half', '{"slug": "a", "html": "'])
def test_text_that_stops_is_not_completed(raw):
    complaint = repair_arguments(raw)
    assert isinstance(complaint, str)
    assert "stop in the middle" in complaint


@pytest.mark.parametrize("raw", ["[1, 2]", "3", "just words", '"text"', "{"])
def test_what_is_no_object_is_complained_about(raw):
    assert isinstance(repair_arguments(raw), str)

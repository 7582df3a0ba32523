"""What a JSON body may be made of: random bodies against a plain reading of the rules."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.server.guards import MAX_DEPTH, UnusableBody, check_json

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**65), 2**65), st.floats(), st.text(st.characters(), max_size=20)
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=5), inner)
)


def usable(value: Any, depth: int = 0) -> bool:
    """The rules, written the slow and obvious way."""
    if isinstance(value, dict | list):
        parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        return depth < MAX_DEPTH and all(usable(part, depth + 1) for part in parts)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return not isinstance(value, str) or not any("\ud800" <= character <= "\udfff" for character in value)


def is_taken(body: bytes) -> bool:
    try:
        check_json(body)
    except UnusableBody:
        return False
    return True


@given(VALUES, st.integers(0, 90), st.booleans())
def test_the_rules(value: Any, wrapped: int, is_object: bool) -> None:
    for _ in range(wrapped):
        value = {"[{": value} if is_object else [value]
    assert is_taken(json.dumps(value).encode()) == usable(value)


@given(st.binary(max_size=200))
def test_any_bytes_are_taken_or_refused(body: bytes) -> None:
    """What is no JSON is left to the routes, which say so."""
    is_taken(body)


@pytest.mark.parametrize(
    "body", [b"[" * 10_000_000, b'{"a":"' + b"\\" * 5_000_000, b'"' + b"\\u0000" * 1_000_000 + b'"']
)
def test_large_bodies_take_no_time(body: bytes) -> None:
    is_taken(body)

"""An edit that leaves a file which can no longer be read is seen, and only such a one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.ide.editing.replacing import broken_by


@pytest.mark.parametrize(
    ("path", "before", "after", "told"),
    [
        ("limits.py", "A = 12\n", "20 = 12\n", "line 1"),
        ("limits.py", "A = 12\n", "A = 20\n", ""),
        ("limits.py", "A = = 12\n", "20 = 12\n", ""),
        ("limits.py", "A = 12\n", None, ""),
        ("new.py", None, "def f(:\n", "line 1"),
        ("a.json", '{"a": 1}', '{"a": 1,}', "line 1"),
        ("a.toml", "a = 1\n", "a = \n", "line 1"),
        ("a.js", "const a = 1;\n", "const a = ;\n", "line 1 is not valid javascript"),
        ("a.js", "f();\n", "const g = async () => { for await (const x of y) {} };\n", ""),
        ("notes.txt", "a", "{(", ""),
    ],
)
def test_what_breaks_a_file_is_told(path: str, before: str | None, after: str | None, told: str) -> None:
    """The place is named; what was broken before, or has no known form, is left alone."""
    old, new = (None if each is None else each.encode() for each in (before, after))
    found = broken_by(path, old, new)
    assert found == "" if not told else told in found


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=4)))
def test_every_json_text_can_be_read(value: object) -> None:
    """No valid file is refused."""
    assert broken_by("a.json", b"[]", json.dumps(value).encode()) == ""

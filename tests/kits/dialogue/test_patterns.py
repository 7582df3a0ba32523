"""Requests are read by patterns that are data."""

import re

import pytest

from loopwright.kits.dialogue import Patterns, clauses, expression

DATA = {
    "parts": {
        "NAME": '[`"]?(?P<*>[a-z]+)[`"]?',
        "QUOTED": '(?:`(?P<*1>[^`]+)`|"(?P<*2>[^"]+)")',
        "THING": "(?:the )?(?:file|class)",
        "VERBS": "find|open",
    },
    "joint": "\\s+and (?=(?:VERBS)\\b)",
    "intents": [
        {"intent": "open", "patterns": ["open THING {name1:NAME}", "open {name2:QUOTED}"]},
        {"intent": "find", "patterns": ["find {word:THING} {text:QUOTED}(?: in {place:NAME})?", "find\\s\\bTHING"]},
    ],
}


@pytest.mark.parametrize(
    ("clause", "intent", "groups"),
    [
        ("Open the class `thing`", "open", {"name": "thing"}),
        ('open "two words"', "open", {"name": "two words"}),
        ("find the file `x y`", "find", {"word": "the file", "text": "x y"}),
        ("find class `x y` in src", "find", {"word": "class", "text": "x y", "place": "src"}),
        ("find the file", "find", {}),
    ],
)
def test_a_clause_is_read_with_what_its_groups_hold(clause: str, intent: str, groups: dict[str, str]) -> None:
    """Groups that differ only in a number are one; quotes are not kept."""
    asked = Patterns.of(DATA).read(clause)
    assert asked is not None
    assert (asked.intent, dict(asked.groups)) == (intent, groups)
    assert asked["missing"] == ""


def test_a_pattern_is_for_a_whole_clause_unless_it_may_stand_anywhere() -> None:
    """The agent decides."""
    assert Patterns.of(DATA).read("please open class a") is None
    asked = Patterns.of(DATA, whole=False).read("please open class a")
    assert asked is not None
    assert asked.words == "open class a"


def test_a_part_that_is_not_there_is_an_error_at_once() -> None:
    """Not at the first request that needs it."""
    with pytest.raises(KeyError):
        Patterns.of({"intents": [{"intent": "a", "patterns": ["{b:GONE}"]}]})


def test_a_request_is_cut_where_it_asks_for_something_else_and_never_in_a_quotation() -> None:
    """What is kept comes back whole, and empty pieces go."""
    joint = expression(DATA, "joint")
    assert clauses("find `a and open b` and open c", joint, re.compile("`[^`]*`"), str.strip) == [
        "find `a and open b`",
        "open c",
    ]

"""The form in which a small model describes a first design: only what was said, each size once, else a question."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.designspec.directive import first_directive
from loopwright.agents.designspec.operations.first_design import (
    BRANCHING,
    JOINED,
    NOTHING,
    STRAIGHT,
    Said,
    begins,
    schema_of,
)

BLOCK = "Please model a block that is 45 mm long and 26 mm wide, with one hole of 5 mm straight down through it."
HOLE = {"count": 1, "diameter_mm": 5, "apart_mm": 0, "along": "top to bottom"}


def directive(text: str, body: dict[str, Any], inside: dict[str, Any]) -> dict[str, Any]:
    """The directive that an answer comes to."""
    form = first_directive(text)
    return form.model_validate({"body": body, "inside": inside}).model_dump(mode="json", exclude_defaults=True)


@pytest.mark.parametrize(
    ("text", "shapes", "kinds", "ways"),
    [
        ("A disc 50 mm across and 8 mm thick, a 6 mm hole through the centre", ["cylinder"], [STRAIGHT, NOTHING], None),
        ("65 mm x 35 mm x 15 mm, three inlets on the left, one outlet on the right, 3 mm", ["box"], [JOINED], None),
        ("A 30 mm cube, a 4 mm inlet on top that splits into 8 tips", ["cube"], [BRANCHING], None),
        (
            "Give me a puck, 40 mm in diameter and 14 mm high, with three 5 mm holes",
            ["cylinder"],
            [STRAIGHT, NOTHING],
            None,
        ),
        ("What I have in mind is a bar, 80 mm long, 16 mm wide and 16 mm high", ["box"], [STRAIGHT, NOTHING], None),
        ("A plate 60 mm by 40 mm by 4 mm with four 3 mm holes", ["box"], [STRAIGHT, NOTHING], ["thickness"]),
        ("42 mm in x, 28 mm in y, 20 mm in z, a 3 mm channel along y", ["box"], [STRAIGHT, NOTHING], ["front to back"]),
        (
            "Ein Würfel mit 20 mm Kanten und einer Bohrung von 2 mm der Länge nach",
            ["cube"],
            [STRAIGHT, NOTHING],
            ["length"],
        ),
    ],
)
def test_only_what_the_words_hold_is_offered(
    text: str, shapes: list[str], kinds: list[str], ways: list[str] | None
) -> None:
    """Shapes, what is inside, and directions."""
    said = Said(text)
    assert (said.shapes, said.kinds) == (shapes, kinds)
    assert ways is None or said.ways == ways


def test_a_described_part_becomes_operations() -> None:
    """Inlets and outlets are joined; a cube has one size."""
    ports = [{"face": "left", "count": 3, "diameter_mm": 3}]
    found = directive(
        "A 20 mm cube with three 3 mm inlets on the left and one outlet on the right",
        {"shape": "cube", "edge_mm": 20},
        {"kind": JOINED, "inlets": ports, "outlets": [{"face": "right", "count": 1, "diameter_mm": 3}]},
    )
    assert [each["op"] for each in found["operations"]] == ["add_box", "add_ports", "add_ports", "join"]
    assert found["operations"][0] == {"op": "add_box", "x_mm": 20, "y_mm": 20, "z_mm": 20}


def test_a_size_that_was_said_of_a_hole_is_no_side() -> None:
    """The user is asked for the side that is missing."""
    body = {"shape": "box", "x_mm": 45, "y_mm": 26, "z_mm": 5}
    found = directive(BLOCK, body, {"kind": STRAIGHT, "holes": [HOLE]})
    assert [each["op"] for each in found["operations"] if each["op"] != "ask"] == []
    assert "How high" in str(found)


def test_a_question_that_was_not_answered_ends_with_what_is_missing() -> None:
    """It is not asked again and again."""
    answer = {
        "body": {"shape": "box", "x_mm": 45, "y_mm": 26, "z_mm": 5},
        "inside": {"kind": STRAIGHT, "holes": [HOLE]},
    }
    found = first_directive(BLOCK, asked=True).model_validate(answer)
    assert not found.operations
    assert found.assistant_message == "Nothing is changed, since a size is missing: How high is the body?"


def test_alike_sides_were_said_twice() -> None:
    """Two sides of the same size need the size twice, or words that say so."""
    hole = {"kind": STRAIGHT, "holes": [HOLE | {"diameter_mm": 2}]}
    body = {"shape": "box", "x_mm": 20, "y_mm": 20, "z_mm": 40}
    said = "Make a box 20 x 20 x 40 mm with a 2 mm hole from top to bottom"
    assert [each["op"] for each in directive(said, body, hole)["operations"]] == ["add_box", "drill"]


def test_a_direction_that_nobody_said_is_told() -> None:
    """It is an assumption."""
    body = {"shape": "box", "x_mm": 30, "y_mm": 20, "z_mm": 10}
    said = "A block of 30 x 20 x 10 mm with a hole of 5 mm"
    assert (
        "You did not say in which direction"
        in directive(said, body, {"kind": STRAIGHT, "holes": [HOLE]})["assistant_message"]
    )


def test_a_distance_that_was_said_is_used() -> None:
    """The model left it out, and no other size is left over."""
    said = "A 32 mm cube. Two channels of 2 mm from top to bottom, their centres 12 mm away from each other."
    inside = {"kind": STRAIGHT, "holes": [HOLE | {"count": 2, "diameter_mm": 2}]}
    assert directive(said, {"shape": "cube", "edge_mm": 32}, inside)["operations"][1]["apart_mm"] == 12


def test_right_through_is_no_face() -> None:
    """The word says how, not where."""
    assert Said("a hole that goes right through it, 3 mm").faces == list(Said("").faces)


@pytest.mark.parametrize(
    ("document", "said", "wanted"),
    [
        ({}, ["A 20 mm cube"], True),
        ({"domains": {"body": {}}}, ["A 20 mm cube"], False),
        ({}, ["What I have in mind is a bar, 80 mm long, 16 mm wide and 16 mm high."], True),
        ({}, ["Can I have a manifold for air? Outside it is 7 cm x 3 cm x 3 cm."], True),
        ({}, ["How thick must a wall be, 2 mm?"], False),
        ({}, ["A 20 mm cube with a blind hole of 3 mm, 10 mm deep"], False),
        ({}, [], False),
    ],
)
def test_it_is_for_a_first_design(document: dict[str, Any], said: list[str], wanted: bool) -> None:
    """Not for a question, not for what the form cannot hold, not where there is a body."""
    assert begins(document, said) is wanted


@given(st.text(max_size=200))
def test_every_text_has_a_schema(text: str) -> None:
    """Whatever the user writes, there is something to choose in every field."""

    def choices(node: Any) -> None:
        if isinstance(node, dict):
            assert node.get("enum") != []
            assert node.get("anyOf") != []
            for each in node.values():
                choices(each)
        elif isinstance(node, list):
            for each in node:
                choices(each)

    choices(schema_of(text))

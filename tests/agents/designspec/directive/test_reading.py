"""A model's messy text becomes a directive, or a complaint that says what to repair."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.designspec.contracts import DesignSpecDirective
from loopwright.agents.designspec.directive import (
    extract_object,
    next_signal,
    parse_expanded,
    parse_first,
    read_directive,
)
from loopwright.kernel.errors import InvalidInput

ADD = {"op": "add", "path": "/meta/name", "value": "part"}
PLAIN = {"assistant_message": "I name it.", "proposed_patches": [ADD], "confidence": 0.9}


def wrapped(text: str) -> list[str]:
    """The same object as models write it."""
    return [
        text,
        f"```json\n{text}\n```",
        f"```\n{text}\n```\nDone.",
        f"Sure! Here is the directive:\n\n{text}\n\nTell me what you think of {{this}}.",
        f'{{"note": "a thought first"}}\n{text}',
        f'I looked at {{"x_min": 0, "x_max": 1}} and suggest:\n{text}',
        f"A set {{ that is not closed, then\n{text}",
    ]


@pytest.mark.parametrize("index", range(7))
def test_the_directive_is_found_in_whatever_stands_around_it(index: int):
    directive = read_directive(wrapped(json.dumps(PLAIN))[index])
    assert directive.assistant_message == "I name it."
    assert directive.proposed_patches[0].as_json() == [ADD]


@pytest.mark.parametrize(
    "broken",
    [
        '{"assistant_message": "I name it.", "confidence": 0.9,}',
        '{"assistant_message": "I name it.", // the user asked\n "confidence": 0.9}',
        '{"assistant_message": "I name it.", /* so it is */ "stop": False, "run_request": None}',
        '{"assistant_message": "I name it.", "questions": [],}',
    ],
)
def test_small_flaws_are_forgiven(broken: str):
    assert read_directive(broken).assistant_message == "I name it."


def test_strings_are_never_tidied():
    said = "Use [1,] and // keep {braces}, None, 'quotes' \\ and \"more\"."
    text = json.dumps({"assistant_message": said, "stop": True})[:-1] + ",}"
    assert read_directive(text).assistant_message == said


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_message_survives_any_surroundings_without_braces(message: str, around: str):
    around = around.replace("{", "(").replace("}", ")")
    wanted = {"assistant_message": f"x{message}"}
    assert extract_object(f"{around}\n{json.dumps(wanted)}\n{around}") == wanted


def test_half_an_object_is_never_completed():
    text = json.dumps(PLAIN)
    for end in range(1, len(text) - 1):
        with pytest.raises(InvalidInput):
            read_directive(text[:end])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"proposed_patches": [{"op": "set", "path": "/a", "value": 1}]}, "/proposed_patches/0/operations/0/op"),
        ({"proposed_patches": [{"op": "add", "path": "a", "value": 1}]}, 'begins with "/"'),
        ({"proposed_patches": [{"op": "add", "path": "/a"}]}, "add needs a value"),
        ({"proposed_patches": [{"op": "move", "path": "/a"}]}, 'move needs "from"'),
        ({"proposed_patches": ["/a"]}, "an operation is an object"),
        ({"proposed_patches": {"op": "add"}}, "/proposed_patches"),
        ({"run_request": {"run": True, "run_until": "meshing"}}, "compile_policies, compile_domains"),
        ({"run_request": {"run": "perhaps"}}, "/run_request/run"),
        ({"confidence": 1.5}, "/confidence"),
        ({"confidence": float("inf")}, "not a number"),
        ({"questions": [{"question": "Which?"}]}, "/questions/0/id"),
        ({"questions": [{"id": "q", "question": ""}]}, "/questions/0/question"),
        ({"stop": "maybe"}, "/stop"),
        ({"context_requests": {"need_specific_files": "all"}}, "/context_requests/need_specific_files"),
    ],
)
def test_a_broken_contract_is_told_field_by_field(change: dict, told: str):
    parsed = parse_first(json.dumps(PLAIN | change))
    assert parsed.complaint is not None
    assert told in parsed.complaint
    assert not parsed.records


def test_nothing_at_all_is_a_complaint_too():
    for text in ("", "I would add a box.", "[]", "{}", "null", '{"proposed_patches": []}'):
        assert parse_first(text).complaint


@pytest.mark.parametrize("stage", ["mesh_merge", "union_void", "union_voids", "full", "component_build:net_1"])
def test_every_name_of_a_stage_is_taken(stage: str):
    directive = read_directive(json.dumps({"run_request": {"run": True, "run_until": stage}}))
    assert directive.run_request.run_until == stage


def test_what_comes_first():
    run = {"run_request": {"run": True}}
    question = {"questions": [{"id": "q", "question": "Which?"}]}
    context = {"context_requests": {"need_full_spec": True}}
    everything = json.dumps(PLAIN | run | question | context)
    assert parse_first(everything).signal == "context"
    assert parse_expanded(everything).signal == "patches"
    directive = read_directive(everything)
    assert [next_signal(directive, after=after) for after in ("", "patches", "run", "questions")] == [
        "patches",
        "run",
        "questions",
        "done",
    ]
    assert parse_first(json.dumps({"assistant_message": "Hello."})).signal == "done"
    assert parse_first(json.dumps({"run_request": {"run": False}, "assistant_message": "No."})).signal == "done"


def test_patches_may_be_grouped():
    groups = [{"title": "Name", "operations": [ADD]}, {"title": "Seed", "operations": [ADD | {"path": "/meta/seed"}]}]
    directive = read_directive(json.dumps(PLAIN | {"proposed_patches": groups}))
    assert [patch.title for patch in directive.proposed_patches] == ["Name", "Seed"]


@given(st.builds(dict, assistant_message=st.text(min_size=1, max_size=50).map(lambda t: f"x{t}"), stop=st.booleans()))
def test_a_directive_says_the_same_when_written_again(data: dict):
    directive = DesignSpecDirective.model_validate(data | {"proposed_patches": [ADD]})
    assert DesignSpecDirective.model_validate(directive.as_json()) == directive


@pytest.mark.parametrize(
    "hostile",
    ["{" * 500_000, '{"a":' * 100_000, '{"a":"' + "x" * 500_000, '{"a":1}' * 50_000, '"' * 500_000, "[" * 500_000],
    ids=["braces", "nesting", "open string", "many objects", "quotes", "brackets"],
)
def test_hostile_text_is_refused(hostile: str):
    assert parse_first(hostile).complaint

"""What a human may send to a gate, and what becomes of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import Gate, QuestionItem, default_answers, digest_of, read_answer

COLOUR = QuestionItem(question="Colour?", type="radio", options=["red", "blue"])
PAGES = QuestionItem(question="Pages?", type="checkbox", options=["home", "cart"])
NAME = QuestionItem(question="Name?", type="text")


def questions(*items: QuestionItem) -> Gate:
    return Gate(gate_id="g", kind="questions", digest="d", questions=list(items or (COLOUR, PAGES, NAME)))


def permission() -> Gate:
    return Gate(gate_id="g", kind="permission", digest="d")


@pytest.mark.parametrize(
    ("payload", "answers"),
    [
        ({"answers": {"0": "red", "1": ["home"], "2": "Bo"}}, {"Colour?": "red", "Pages?": ["home"], "Name?": "Bo"}),
        ({"Colour?": "red", "1": ["home", "cart"]}, {"Colour?": "red", "Pages?": ["home", "cart"]}),
        ({"Pages?": "home"}, {"Pages?": ["home"]}),
        ({"answers": {}}, {}),
        ({}, {}),
        ({"0": "green, please"}, {"Colour?": "green, please"}),
    ],
)
def test_good_answers(payload, answers):
    assert read_answer(questions(), payload) == {"answers": answers}


@pytest.mark.parametrize(
    "payload",
    [
        None, "red", ["red"], 7,
        {"answers": "red"}, {"answers": None}, {"7": "red"}, {"Size?": "L"},
        {"0": ["red"]}, {"0": 1}, {"2": None}, {"1": [1]}, {"1": {}},
        {"0": "red", "Colour?": "blue"},
    ],
)  # fmt: skip
def test_bad_answers(payload):
    with pytest.raises(InvalidInput):
        read_answer(questions(), payload)


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_decisions(decision):
    gate = permission()
    gate.answer = read_answer(gate, {"decision": decision, "comment": "so"})
    assert gate.answer == {"decision": decision, "comment": "so"}
    assert gate.approved == (decision == "approve")


@pytest.mark.parametrize("payload", [{}, {"decision": "maybe"}, {"answers": {}}, {"decision": "approve", "x": 1}, True])
def test_bad_decisions(payload):
    with pytest.raises(InvalidInput):
        read_answer(permission(), payload)


json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["answers", "decision", "approve"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["answers", "decision", "0", "1", "Colour?", "x", "comment"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@given(json, st.booleans())
def test_any_payload_is_read_or_refused(payload, asks):
    gate = questions() if asks else permission()
    try:
        answer = read_answer(gate, payload)
    except InvalidInput:
        return
    assert set(answer) == {"answers"} if asks else answer["decision"] in ("approve", "reject")
    assert read_answer(gate, answer) == answer


@st.composite
def items(draw):
    kind = draw(st.sampled_from(["radio", "checkbox", "text"]))
    options = draw(st.lists(st.text(max_size=5), min_size=1, max_size=4)) if kind != "text" else None
    default = (
        draw(st.none() | st.text(max_size=5) | st.lists(st.text(max_size=5), max_size=3))
        if kind == "checkbox"
        else draw(st.none() | st.text(max_size=5))
    )
    return QuestionItem(question=draw(st.text(min_size=1, max_size=8)), type=kind, options=options, default=default)


@given(st.lists(items(), max_size=4, unique_by=lambda item: item.question))
def test_the_agent_s_defaults_are_answers_that_fit(asked):
    gate = questions(*asked) if asked else questions()
    defaults = default_answers(gate)
    assert set(defaults["answers"]) == {item.question for item in gate.questions}
    assert read_answer(gate, defaults) == defaults


def test_yes_approves():
    assert default_answers(permission()) == {"decision": "approve"}


@pytest.mark.parametrize(
    "bad",
    [
        {"question": "Q?", "type": "radio"},
        {"question": "Q?", "type": "checkbox", "options": []},
        {"question": "", "type": "text"},
        {"question": "Q?", "type": "slider", "options": ["1"]},
        {"question": "Q?", "type": "radio", "options": [{"id": "a"}]},
        {"question": "Q?", "type": "radio", "options": ["a"], "default": ["a"]},
        {"question": "Q?", "type": "text", "default": ["a"]},
    ],
)
def test_questions_that_no_widget_shows(bad):
    with pytest.raises(ValidationError):
        QuestionItem.model_validate(bad)


def test_a_digest_names_exactly_its_content():
    assert digest_of("a", {"b": 1}) == digest_of("a", {"b": 1})
    assert len({digest_of("a", {"b": 1}), digest_of("a", {"b": 2}), digest_of("ab"), digest_of("a", "b")}) == 4

"""A request is read as the contract writes it, and nothing is made up where it is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.offline.product_doc import (
    Look,
    brand_style,
    interview,
    recorded_answers,
    recorded_look,
    with_patches,
)
from loopwright.agents.pages.offline.reading import ProjectState, Reading, UnreadableRequest, find_json, read_answers
from loopwright.kernel.messages import Message, ToolCall

STATE = {"pages": [{"slug": "index", "title": "Home"}, {"slug": "cart", "title": "Cart"}], "target_pages": []}


def system(**over: object) -> Message:
    return Message.system(
        f"[task: pages/multi-page]\nYou …\n```project-state\n{json.dumps(STATE | over)}\n```\n:root {{}}"
    )


def call(call_id: str, name: str, **arguments: object) -> Message:
    return Message.assistant("", [ToolCall(id=call_id, name=name, arguments=json.dumps(arguments))])


def test_the_request_is_the_message_before_the_first_call() -> None:
    """Earlier runs are plain dialogue; what the controller says after a call is no request."""
    reading = Reading.of(
        [
            system(),
            Message.user("make a shop"),
            Message.assistant("Done."),
            Message.user("make it dark"),
            call("a", "read_page", slug="index"),
            Message.tool("a", "<html>"),
            Message.user("Your answer was empty."),
        ]
    )
    assert reading.message == "make it dark"
    assert reading.earlier == ("make a shop",)
    assert [(done.name, done.slug, done.failed, done.step) for done in reading.done] == [
        ("read_page", "index", False, 0)
    ]


def test_pages_of_the_state_and_of_this_run() -> None:
    """The state is a snapshot; the dialogue after it is newer. A failed call makes no page."""
    reading = Reading.of(
        [
            system(),
            Message.user("add a page"),
            call("a", "generate_page", slug="team"),
            Message.tool("a", "Saved."),
            call("b", "generate_page", slug="jobs"),
            Message.tool("b", "Error: no"),
        ]
    )
    assert reading.slugs == ("index", "cart", "team")


def test_targets_are_real_pages() -> None:
    reading = Reading.of([system(target_pages=["gone", "index"]), Message.user("@Cart and mail@index.org please")])
    assert reading.targets == ("index", "cart")


def test_images_by_path_before_data() -> None:
    data = "data:image/png;base64,AA=="
    assert Reading.of([system(), Message.user("like this", [data])]).images == (data,)
    assert Reading.of([system(), Message.user("like uploads/a.png.", [data])]).images == ("uploads/a.png",)


@pytest.mark.parametrize("text", ["no block", "```project-state\n{broken\n```", '```project-state\n{"pages": 3}\n```'])
def test_a_request_without_readable_state_is_refused(text: str) -> None:
    with pytest.raises(UnreadableRequest):
        ProjectState.read(text)


@pytest.mark.parametrize(
    ("output", "answers"),
    [
        (
            '{"answers": {"Colour?": "Green", "Pages?": ["A", " "], "Name?": "  "}}',
            {"Colour?": "Green", "Pages?": ["A"]},
        ),
        ('The user answered:\n{"Colour?": "Green"}', {"Colour?": "Green"}),
        ('{"answers": [{"question": "Colour?", "answer": "Green"}]}', {"Colour?": "Green"}),
        ("The user gave no answers.", {}),
        ('{"answers": {}}', {}),
    ],
)
def test_answers(output: str, answers: dict[str, object]) -> None:
    assert read_answers(output) == answers


def test_json_between_words() -> None:
    assert find_json('see {this}: {"a": 1} and more') == {"a": 1}
    assert find_json("nothing") is None


WORDS = st.text(alphabet=st.characters(whitelist_categories=("L", "N", "P")), min_size=1, max_size=30).filter(
    lambda text: "→" not in text and "·" not in text
)


@given(st.dictionaries(WORDS, WORDS | st.lists(WORDS, min_size=2, max_size=4), max_size=5))
def test_recorded_answers_come_back(answers: dict[str, str | list[str]]) -> None:
    """What the product doc holds is what the user said."""
    shown = "\n".join(f"### {patch.name} · {patch.title}\n{patch.content}" for patch in interview(answers))
    assert recorded_answers(f"- before → the section\n{shown}\n\n- after → it\n") == answers


def test_the_recorded_look_comes_back() -> None:
    look = Look("dark", ("#E50914", "#FFFFFF"), ("bold", "modern"))
    assert recorded_look(f"### brand_style · Brand style\n{brand_style(look).content}\n\nmore") == look
    assert recorded_look(f"### brand_style\n{brand_style(Look()).content}") == Look()
    assert recorded_look("nothing") == Look()


def test_patches_are_fenced() -> None:
    text = with_patches("Hello.", [brand_style(Look("dark"))])
    visible, _, block = text.partition("\n\n```product-doc\n")
    assert visible == "Hello."
    assert json.loads(block.removesuffix("\n```"))["sections"][0]["name"] == "brand_style"
    assert with_patches("Hello.", []) == "Hello."

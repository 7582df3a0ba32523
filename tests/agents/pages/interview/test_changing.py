"""Changed answers: what differs is computed, and only that is made anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.interview.plan import (
    InterviewRecord,
    decision_of,
    difference,
    message_of,
    read_changes,
    read_correction,
)

BRIEF = "make me a coffee shop app"


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"Which colours?": "Gold, dark theme"}, ("look",)),
        ({"What is it called?": "Moka"}, ("name",)),
        ({"Which pages do you want besides the home page?": ["Menu", "Jobs"]}, ("pages",)),
        ({"Who is it for?": "Families"}, ("look",)),
        ({"What kind of app is it?": "Online shop"}, ("product_type", "name", "pages")),
        ({"How strong is the coffee?": "Very"}, ()),
    ],
)
def test_a_changed_answer_changes_its_part_and_no_other(
    changes: dict[str, str | list[str]], parts: tuple[str, ...]
) -> None:
    found = difference(BRIEF, {}, changes).parts
    assert found == parts if "product_type" not in parts else set(found) <= set(parts)


def test_the_same_answer_changes_nothing() -> None:
    answers = {"Which colours?": "Gold, dark theme"}
    assert difference(BRIEF, answers, answers).parts == ()
    assert "Nothing of the app" in message_of(BRIEF, answers, answers)


def test_a_message_of_changes_says_what_follows_and_can_be_read_again() -> None:
    changes = {"Which colours?": "Gold, dark theme", "What is it called?": "Moka"}
    message = message_of(BRIEF, {}, changes)
    assert read_changes(message) == changes
    assert "the design system is made anew, no page is" in message
    assert "“Coffee Shop” becomes “Moka”" in message
    assert read_changes("make the header green") == {}


@pytest.mark.parametrize(
    ("said", "decides"),
    [
        ("actually make it dark", "colours"),
        ("改成深色", "colours"),
        ("I meant for families", "audience"),
        ("call it Moka Corner", "name"),
        ("改名叫麦香", "name"),
        ("actually, more playful", "style"),
        ("actually make the button dark", None),
        ("make the header green", None),
        ("add a page for families", None),
        ("把按钮改成绿色", None),
        ("what is it called?", None),
    ],
)
def test_plain_words(said: str, decides: str | None) -> None:
    assert [decision_of(question) for question in read_correction(said)] == ([decides] if decides else [])


@given(st.text(max_size=200))
def test_any_message_is_read(text: str) -> None:
    read_correction(text)
    read_changes("I change my answers:\n" + text)


def test_a_newer_answer_about_a_decision_replaces_the_old_one() -> None:
    record = InterviewRecord().with_answers({"What is it called?": "Bean"}, assumed=True)
    record = record.with_answers({"What should the app be named?": "Moka"})
    assert record.plain() == {"What should the app be named?": "Moka"}
    assert InterviewRecord.of(record.to_metadata()) == record
    assert InterviewRecord.of({"interview": ["broken"]}) == InterviewRecord()

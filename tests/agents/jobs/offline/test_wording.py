"""Texts: both languages say the same things, and a step's text tells which step it is."""

import re

import pytest

from loopwright.agents.jobs.offline.wording import SLOT, wording


def slots(text: str) -> set[str]:
    return set(SLOT.findall(text))


def test_both_languages_have_the_same_texts_with_the_same_facts() -> None:
    english, german = wording("en"), wording("de")
    for mine, theirs in ((english.steps, german.steps), (english.words, german.words)):
        assert set(mine) == set(theirs)
        assert {name: slots(str(mine[name])) for name in mine} == {name: slots(str(theirs[name])) for name in mine}
    assert {name for name in english.words if english.words[name] == german.words[name]} <= {
        "heading_status",
        "document_is",
    }


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_step_is_recognised_by_its_text(language: str) -> None:
    text = wording(language)
    for name, template in text.steps.items():
        facts = {slot: f"documents/{slot} (1), 2.pdf" for slot in slots(template)}
        assert text.read(text.step(name, **facts)) == (name, facts)
        assert text.read(text.step(name, **facts).replace(" ", "\n  ", 1)) == (name, facts), "as YAML folds it"


def test_facts_are_filled_in_once_and_foreign_todos_are_not_taken_for_steps() -> None:
    text = wording("en")
    assert "{size}" in text.step("chunk", document="{size}")
    assert text.read("Please wipe the disk") is None
    assert not re.search(r"\{[a-z_]+\}", text.say("note_ended"))


def test_an_unknown_language_is_answered_in_english() -> None:
    assert wording("../en").words == wording("en").words

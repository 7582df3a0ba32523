"""Texts: both languages say the same things, and a step's text tells which step it is."""

import re
from pathlib import Path

import pytest

from loopwright.agents.jobs import offline
from loopwright.agents.jobs.offline.job_rules import wording
from loopwright.kits.dialogue import SLOT

OFFLINE = Path(offline.__path__[0])


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


@pytest.mark.parametrize("language", ["en", "de"])
def test_notes_do_not_repeat_what_is_written_into_files(language: str) -> None:
    """Files that are read again count as foreign text, and eight words of them in a row would be refused in notes."""

    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"\w+", SLOT.sub("0", text).lower())
        return {tuple(words[n : n + 8]) for n in range(len(words) - 7)}

    words = wording(language).words
    notes = {name: runs(str(text)) for name, text in words.items() if name.startswith("note_")}
    files = {name: runs(str(text)) for name, text in words.items() if not name.startswith("note_")}
    assert {(note, file) for note in notes for file in files if notes[note] & files[file]} == set()


def test_every_text_is_used() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in OFFLINE.rglob("*.py"))
    text = wording("en")
    unused = [name for name in (*text.steps, *text.words) if not re.search(rf"""["'{{]{name}["'}}]""", sources)]
    by_slot = ("language_", "kind_")
    assert [name for name in unused if not name.startswith(by_slot)] == []

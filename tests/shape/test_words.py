"""Words of our own for things that have a name do not come back (docs/terms.md says what to write instead)."""

import re

import pytest

from tests.shape.source import repository_files, shown

OLD = {
    "wish": "intent, request",
    "mend": "repair, fix",
    "headway": "progress, stall",
    "house": "application, services, context",
    "room": "module; space, slack",
    "floor": "layer",
    "door": "entry point, adapter",
    "doorkeeper": "authentication",
    "guest": "plug-in, third party",
    "stranger": "plug-in, third party",
    "rescue": "fallback",
    "ledger": "record",
}
"""The word, and what the thing is called."""

OF_THE_USERS = (
    "src/loopwright/agents/designspec/offline/intents/channels.py",
    "src/loopwright/agents/designspec/offline/intents/places.py",
    "src/loopwright/agents/designspec/offline/intents/repairing.py",
    "src/loopwright/agents/planner/patterns.py",
    "src/loopwright/kernel/account/reading/",
    "src/loopwright/models/offline.py",
)
"""What reads what users write, and users have houses with rooms."""

ABOUT_THE_WORDS = ("docs/terms.md", "docs/decisions/")
"""The list itself, and notes that are never rewritten."""

ORDINARY = re.compile(
    r"math\.floor|\bfloor\(|\"floor\"|meeting room|the front door|guest house|wish(?: \?|\\s\?)lists?"
    r"|(?:(?<=\|)|(?<=\())(?:guests\??|room)(?=[|)\"])"
)
"""What the words mean otherwise, also as an alternative in a pattern of what users write: `users?|guests?`."""

PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
ENDING = re.compile(r"(?:es|ed|ing|s)$")


def old_words(text: str) -> list[str]:
    """The old words in a text, also as parts of names such as `mend_pages` or `NoRoom`."""
    parts = (match.group().lower() for match in PART.finditer(ORDINARY.sub("", text)))
    return [part for part in parts if part in OLD or ENDING.sub("", part) in OLD]


def test_no_old_word() -> None:
    problems = []
    for path in repository_files("src", "docs", "clients"):
        name = shown(path)
        if name.startswith((*OF_THE_USERS, *ABOUT_THE_WORDS)) or path.suffix not in {
            ".py",
            ".md",
            ".ts",
        }:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            problems += [f"{name}:{number}: {word}" for word in old_words(line)]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("text", ["def mend_pages", "class NoRoom", "the wishes", "MAX_WISHES", "two doors", "mended"])
def test_the_rule_itself(text: str) -> None:
    assert old_words(text)
    assert not old_words("recommend, amendment, bathroom, greenhouse, math.floor(x), warehouses, doorway, mendelian")

"""Statements beside each other: which are neighbours, and what of their words says something."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from loopwright.agents.planner.account.dates import HAN, Phrase
from loopwright.kernel.account import Claim, Statement

Found = Iterator[tuple[str, Claim]]
Known = Mapping[str, Claim]
THEM = frozenset(("it", "them", "sie", "es", "ihn", "together", "zusammen", "gemeinsam", "一起"))
WHOLE_WORD: Mapping[str, str] = {"跑": "跑步", "骑": "骑车", "爬": "爬山", "滑": "滑雪", "跳": "跳舞"}
"""What a Chinese verb of one sign is called where it stands alone."""
EVENT_KINDS = frozenset(
    re.findall(r"\w+", "exam test race wedding event appointment prüfung klausur termin hochzeit rennen lauf launch")
)
HAN_KINDS = re.compile("比赛|考试|婚礼|演出|面试|活动|会议")
"""What one calls an event without its name."""


def near(one: Statement, other: Statement) -> bool:
    """Whether nothing but a space lies between two statements; Chinese has none."""
    space = 0 if HAN.search(one.text[-1:] + other.text[:1]) else 1
    return one.message == other.message and 0 <= other.parts[0][0] - one.parts[-1][1] <= space


def pieces_of(statement: Statement) -> list[str]:
    """The text of each part of a statement that stands at several places of its message."""
    found, place = [], 0
    for first, last in statement.parts:
        found.append(statement.text[place : place + last - first])
        place += last - first + 1
    return found if len(" ".join(found)) == len(statement.text) else [statement.text]


def pairs(ordered: Sequence[Statement]) -> Iterator[tuple[Statement, Statement, int]]:
    """Neighbours of one message, and how many letters lie between them."""
    for one, other in itertools.pairwise(ordered):
        if one.message == other.message:
            yield one, other, other.parts[0][0] - one.parts[-1][1]


def things_of(text: str) -> tuple[str, ...]:
    """The words of a text that name something."""
    return tuple(word for word in Phrase(text, date.min, opening=False).content if word.casefold() not in THEM)


def own_words_beside(head: Statement, other: Statement) -> str:
    """What a statement says beside the words with which another one begins too: a list shares its first words."""
    one, more = head.text.split(), other.text.split()
    shared = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, more, strict=False))))
    return " ".join(more[shared:])


def verbs_alone(words: Iterable[str]) -> tuple[str, ...]:
    """Chinese names of sports by their verb, since what is done is called otherwise too: 跑步 and 长跑 are 跑."""
    return tuple(word[0] if word in WHOLE_WORD.values() else word for word in words)


def person_of(text: str) -> list[str]:
    """Who is spoken of, as the words name them: "my supervisor", "mein Trainer"."""
    found = re.findall(r"\b(?:my|our|mein[er]?|unser[e]?)\s+([A-Za-zÄÖÜäöüß]{3,})", text, re.I)
    return found[-1:]

"""Which languages a word belongs to: lists of the commonest words of seven languages.

A name belongs to none of them.  The lists hold some 25,000 words each, so a rare word or a compound may be missing.
"""

import re
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?:;\u2026\n\"\u201c\u201d\u201e\u00ab\u00bb()\u2013\u2014]\s*$")


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case, names left out.

    A name is what is written with a capital inside a sentence, and then wherever it stands.
    """
    found = [(match[0], _begins_sentence(text, match.start())) for match in _WORD.finditer(text)]
    names = {word.lower() for word, first in found if word[0].isupper() and not first}
    words = (word.lower().replace("\u2019", "'") for word, _ in found)
    return [word for word in words if word not in names]


def known(words: list[str], language: str) -> int:
    """How many of the words are words of a language of `LANGUAGES`; a word counts as often as it is there."""
    vocabulary = _vocabulary(language)
    return sum(word in vocabulary or all(part in vocabulary for part in word.split("'")) for word in words)


def _begins_sentence(text: str, position: int) -> bool:
    before = text[max(0, position - 8) : position]
    return not before.strip() or _SENTENCE_END.search(before) is not None


@cache
def _vocabulary(language: str) -> frozenset[str]:
    return frozenset(files(__package__).joinpath("vocabulary", f"{language}.txt").read_text(encoding="utf-8").split())

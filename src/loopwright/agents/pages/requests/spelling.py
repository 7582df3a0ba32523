"""Misspelt words of a request, put right where only one word of the vocabulary is one slip away."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from loopwright.agents.pages.requests.meaning import QUOTED, Page, colour_in
from loopwright.agents.pages.requests.vocabulary import words

_GROUPS = ("kinds", "verbs", "align", "places", "beside", "relations")
SHORTEST = 3
"""Letters below which a word is never taken for another one; of three letters only two may have changed places."""


def spelled(clause: str, pages: Sequence[Page]) -> str:
    """The clause with its misspelt words put right; what is quoted or shown on the pages stays."""
    texts = [text.lower() for page in pages for text in (page.title, *page.texts)]
    shown = {word for text in texts for word in re.findall(r"[a-z]+", text)}
    known = _vocabulary()
    quoted = [found.span() for found in QUOTED.finditer(clause)]

    def right(found: re.Match[str]) -> str:
        word = found[0]
        fits = word.lower() in known or word.lower() in shown or colour_in(word) is not None
        if fits or any(a <= found.start() < b for a, b in quoted):
            return word
        near = {each for each in _slips(word.lower()) if each in known or each in shown or colour_in(each)}
        return near.pop() if len(near) == 1 else word

    return re.sub(r"(?<![\w#@./-])[A-Za-z]{3,20}(?![\w@/-])", right, clause)


@cache
def _vocabulary() -> frozenset[str]:
    """The words of the English lists, as far as they are written out, with their plurals."""
    found: set[str] = set()
    for name in _GROUPS:
        table = words()[name]
        lists = table.values() if isinstance(table, dict) else [each[2] for each in table]
        for expression in (each for one in lists for each in one):
            found |= set(_written_out(expression))
    for expression in words()["empty"]["en"]:
        found |= set(_written_out(expression))
    return frozenset(each for each in found if len(each) >= SHORTEST)


def _written_out(expression: str) -> Iterator[str]:
    """The words of an expression without alternatives; a letter that may be missing is once there and once not."""
    plain = re.sub(r"\(\?[:=!].*?\)\??|\[.*?\]\??|\\.", "|", expression)
    for word in re.findall(r"(?<![a-z?|])[a-z]{2,}(?:[a-z]\?)?(?![a-z?|])", plain.lower()):
        yield word.replace("?", "")
        if word.endswith("?"):
            yield word[:-2]


def _slips(word: str) -> set[str]:
    """What a word may have been meant to be: two letters changed places, one is wrong, missing or too many."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    halves = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1}
    if len(word) > SHORTEST:
        found |= {a + b[1:] for a, b in halves if b} | {a + c + b[1:] for a, b in halves if b for c in letters}
        found |= {a + c + b for a, b in halves for c in letters}
    return found - {word}

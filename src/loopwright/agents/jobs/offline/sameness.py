"""Whether two texts that are alike say the same: by the words in which they differ.

Items of one list share a long sentence that opens the list, and so are alike almost to the letter; a number, a negation
or one noun makes another duty of a text. Likeness alone would take all of these for duplicates.
"""

import re
from difflib import SequenceMatcher

WORD = re.compile(r"\w+(?:[.,]\d+)*")
LITTLE = 3
"""Letters up to which a word says nothing of its own, as articles do."""
NEGATIONS = frozenset({"no", "not", "nie", "nor", "non"})
HELPING = frozenset(
    ["sind", "wird", "werden", "wurde", "wurden", "eine", "einem", "einen", "einer", "eines", "were", "have", "been"]
)
BEGINNING = 3
INFLECTED = 0.8
"""The likeness of two forms of one word, which also begin alike."""


def says_the_same(first: str, second: str) -> bool:
    """Whether nothing but articles, helping verbs and inflections differs."""
    a, b = _telling(first), _telling(second)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return all(
        kind == "equal" or (j - i == m - k and all(map(_is_inflected, a[i:j], b[k:m])))
        for kind, i, j, k, m in matcher.get_opcodes()
    )


def _telling(text: str) -> list[str]:
    """The words that mean something: long ones, numbers, negations."""
    words = WORD.findall(text.casefold())
    return [w for w in words if w not in HELPING and (len(w) > LITTLE or not w.isalpha() or w in NEGATIONS)]


def _is_inflected(one: str, other: str) -> bool:
    if not one.isalpha() or not other.isalpha() or one[:BEGINNING] != other[:BEGINNING]:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= INFLECTED

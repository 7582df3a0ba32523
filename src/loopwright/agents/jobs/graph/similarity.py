"""How like two texts are: the ratio of the standard library's `difflib`, reached quickly.

The ratio is twice the characters in matching blocks, through the characters of both texts. These blocks are a common
subsequence, so the longest common subsequence bounds it; that one is found bit by bit in parallel (Hyyrö, "Bit-parallel
LCS-length computation revisited", 2004), some twenty times faster, and unlike texts never get any further.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache


@dataclass(frozen=True)
class Likeness:
    """A text that is like the one asked about; `key` is whatever the caller named it by."""

    key: str
    ratio: float


def comparable(text: str) -> str:
    """The text without what does not matter: case, forms of letters, white space, marks at its ends."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\s+", " ", folded).strip(" .,;:!?-–—\"'„“”‚‘’»«()")


@lru_cache(maxsize=4_096)
def _prepared(text: str) -> tuple[str, Counter[str]]:
    """The comparable text and its characters: the same texts are compared again and again."""
    folded = comparable(text)
    return folded, Counter(folded)


class Comparison:
    """One text, compared with many."""

    def __init__(self, text: str) -> None:
        """Prepare what every comparison needs."""
        self._text, self._counts = _prepared(text)
        self._places: dict[str, int] = {}
        for place, character in enumerate(self._text):
            self._places[character] = self._places.get(character, 0) | (1 << place)

    def ratio(self, text: str, least: float) -> float:
        """How like the text is, 0 to 1; 0 where it is less than `least`."""
        other, counts = _prepared(text)
        length = len(self._text) + len(other)
        if self._text == other:
            return 1.0 if length else 0.0
        needed = least * length / 2
        if min(len(self._text), len(other)) < needed:
            return 0.0
        if (self._counts & counts).total() < needed or self._common_subsequence(other) < needed:
            return 0.0
        # The matcher's answer depends on the order of its texts; one order for both ways round.
        first, second = sorted((self._text, other), key=lambda each: (len(each), each))
        ratio = SequenceMatcher(None, first, second, autojunk=False).ratio()
        return ratio if ratio >= least else 0.0

    def _common_subsequence(self, other: str) -> int:
        """The length of the longest common subsequence: the zeros that are left of a row of ones."""
        mask = (1 << len(self._text)) - 1
        row = mask
        for character in other:
            matches = row & self._places.get(character, 0)
            row = ((row + matches) | (row - matches)) & mask
        return len(self._text) - row.bit_count()


def most_alike(text: str, others: Iterable[tuple[str, str]], least: float) -> list[Likeness]:
    """Those of the others (key, text) that are at least so like the text, the most alike first."""
    comparison = Comparison(text)
    found = [Likeness(key, ratio) for key, other in others if (ratio := comparison.ratio(other, least)) > 0]
    return sorted(found, key=lambda each: (-each.ratio, each.key))

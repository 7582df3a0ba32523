"""Which lines of a file are most like some others: by their words first, since that is quick, then by their order."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

WORD = re.compile(r"\w+|[^\w\s]")
CANDIDATES = 6
"""Places whose words are compared in their order."""
MOST_WORDS = 5_000
"""Of what is looked for; beyond that the comparison would make people wait."""


@dataclass(frozen=True)
class Likeness:
    """The bounds of a place (indices of lines, the higher one excluded) and its likeness, 0 to 1 for equal words."""

    low: int
    high: int
    ratio: float


def most_alike(lines: Sequence[str], wanted: Sequence[str]) -> list[Likeness]:
    """The places that are most like the wanted lines, the best first; they do not overlap."""
    words = [WORD.findall(line) for line in lines]
    target = [word for line in wanted for word in WORD.findall(line)]
    if not words or not target or len(target) > MOST_WORDS:
        return []
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(target)

    def compare(low: int, high: int) -> Likeness:
        matcher.set_seq1([word for line in words[low:high] for word in line])
        return Likeness(low, high, matcher.ratio())

    rated = [compare(low, high) for low, high in _candidates(words, Counter(target), len(wanted))]
    found: list[Likeness] = []
    for place in sorted(rated, key=lambda each: -each.ratio):
        if all(place.high <= other.low or place.low >= other.high for other in found):
            found.append(place)
    best = found[0]
    moves = [(best.low + a, best.high + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    near = [compare(low, high) for low, high in moves if 0 <= low < high <= len(lines)]
    return [max(near, key=lambda each: each.ratio), *found[1:]]


def _candidates(words: Sequence[Sequence[str]], target: Counter[str], size: int) -> list[tuple[int, int]]:
    """The windows of so many lines that share most words with the target, counted while the window moves on."""
    size, wanted = min(size, len(words)), target.total()
    window: Counter[str] = Counter()
    shared = total = 0
    scored: list[tuple[float, int]] = []
    for high, line in enumerate(words, 1):
        for word in line:
            shared += window[word] < target[word]
            window[word] += 1
        total += len(line)
        if high > size:
            for word in words[high - size - 1]:
                window[word] -= 1
                shared -= window[word] < target[word]
            total -= len(words[high - size - 1])
        if high >= size:
            scored.append((2 * shared / (total + wanted), high - size))
    scored.sort(key=lambda each: (-each[0], each[1]))
    return [(low, low + size) for _, low in scored[:CANDIDATES]]

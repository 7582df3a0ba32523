"""Joining two people's changes of one text, where they touch different lines."""

import difflib
from collections.abc import Iterator, Sequence

from loopwright.agents.ide.editing.diffs import lines_of

MOST_LINES = 20_000
"""Finding what two texts have in common takes time that grows with the square of their differences."""


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What comes of making both changes of `base`: the one that led to `ours`, and the one that led to `theirs`.

    The three-way merge of diff3 (Khanna, Kunal, Pierce: A Formal Investigation of Diff3, 2007): a stretch between lines
    that all three have in common may differ from the base on one side only, or be the same on both.

    Returns:
        The joined text; None where both changed the same lines or lines that touch, or where one is no UTF-8 text.
    """
    try:
        texts = [data.decode("utf-8") for data in (base, ours, theirs)]
    except UnicodeDecodeError:
        return None
    if any("\0" in text for text in texts):
        return None
    lines = [lines_of(text) for text in texts]
    if max(map(len, lines)) > MOST_LINES:
        return None
    joined = _joined(*lines)
    return None if joined is None else "".join(joined).encode("utf-8")


def _joined(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str] | None:
    result: list[str] = []
    at, at_ours, at_theirs = 0, 0, 0
    for low, high, low_ours, low_theirs in _common(base, ours, theirs):
        stretch, one, other = base[at:low], ours[at_ours:low_ours], theirs[at_theirs:low_theirs]
        if one == stretch:
            result += other
        elif other in (stretch, one):
            result += one
        else:
            return None
        result += base[low:high]
        at, at_ours, at_theirs = high, low_ours + high - low, low_theirs + high - low
    return result


def _common(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches of the base (from, to) that stand in both others too, and where; the texts' ends are the last."""
    one, other = _matches(base, ours), _matches(base, theirs)
    i = j = 0
    while i < len(one) and j < len(other):
        (a, b, length), (c, d, long) = one[i], other[j]
        low, high = max(a, c), min(a + length, c + long)
        if low < high:
            yield low, high, b + low - a, d + low - c
        if a + length < c + long:
            i += 1
        else:
            j += 1
    yield len(base), len(base), len(ours), len(theirs)


def _matches(base: Sequence[str], other: Sequence[str]) -> list[tuple[int, int, int]]:
    """Where a text has lines of the base: (place in the base, place in the text, how many)."""
    blocks = difflib.SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]

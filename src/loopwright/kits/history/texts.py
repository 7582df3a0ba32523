"""Texts that several people change: their differences in git's format, and the joining of two changes of one text."""

import difflib
import re
from collections.abc import Iterator, Sequence

# Differences of files, as people and `git apply` read them.

NO_NEWLINE = "\\ No newline at end of file\n"
LINE = re.compile(r"[^\n]*\n|[^\n]+")


def lines_of(text: str) -> list[str]:
    """The lines with their ends; only line feeds end a line, as in git, so that a form feed stays in its line."""
    return LINE.findall(text)


def told(path: str) -> str:
    """A path as it is told: one with signs that nobody sees stands in quotes, in git's spelling."""
    if path.isprintable():
        return path
    plain = (each if each.isprintable() and each not in '"\\' else _octal(each) for each in path)
    return f'"{"".join(plain)}"'


def _octal(letter: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))


def unified_diff(path: str, before: bytes | None, after: bytes | None, context: int = 3) -> str:
    """The difference in git's format; None is a file that is not there, and equal contents have no difference.

    Of a file that is no UTF-8 text it says only that it differs.
    """
    if before == after:
        return ""
    sides = told(f"a/{path}"), told(f"b/{path}")
    head = f"diff --git {sides[0]} {sides[1]}\n"
    head += "new file mode 100644\n" if before is None else "deleted file mode 100644\n" if after is None else ""
    try:
        old, new = (lines_of((data or b"").decode("utf-8")) for data in (before, after))
    except UnicodeDecodeError:
        return f"{head}Binary files {sides[0]} and {sides[1]} differ\n"
    names = ("/dev/null" if before is None else sides[0], "/dev/null" if after is None else sides[1])
    return head + "".join(_hunks(old, new, *names, context))


def count_changes(before: bytes | None, after: bytes | None) -> tuple[int, int]:
    """Lines added and removed."""
    old, new = (lines_of((data or b"").decode("utf-8", "replace")) for data in (before, after))
    added = removed = 0
    for tag, low, high, new_low, new_high in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            removed += high - low
            added += new_high - new_low
    return added, removed


def _hunks(old: list[str], new: list[str], from_name: str, to_name: str, context: int) -> Iterator[str]:
    groups = list(difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context))
    if groups:
        yield f"--- {from_name}\n+++ {to_name}\n"
    for group in groups:
        (_, low, _, new_low, _), (_, _, high, _, new_high) = group[0], group[-1]
        yield f"@@ -{_range(low, high)} +{_range(new_low, new_high)} @@\n"
        for tag, i, j, k, m in group:
            if tag == "equal":
                yield from _marked(" ", old[i:j])
            else:
                yield from _marked("-", old[i:j])
                yield from _marked("+", new[k:m])


def _marked(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{NO_NEWLINE}"


def _range(low: int, high: int) -> str:
    """Start and length; the start of an empty range is the line before it."""
    length = high - low
    return f"{low + 1 if length else low},{length}"


# Joining two people's changes of one text, where they touch different lines.

MOST_CHANGES = 1_000
"""Lines that one side has added and removed. The time to find them grows with the square of their number, and whoever
wrote the texts may be hostile."""

Match = tuple[int, int, int]
"""Where a text has lines of the base: the place in the base, the place in the text, and how many."""


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What comes of making both changes of `base`: the one that led to `ours`, and the one that led to `theirs`.

    The three-way merge of diff3 (Khanna, Kunal, Pierce: A Formal Investigation of Diff3, 2007): a stretch between lines
    that all three have in common may differ from the base on one side only, or be the same on both.

    Returns:
        The joined text; None where both changed the same lines or lines that touch, where one is no UTF-8 text, or
        where one side changed too many lines.
    """
    try:
        texts = [data.decode("utf-8") for data in (base, ours, theirs)]
    except UnicodeDecodeError:
        return None
    if any("\0" in text for text in texts):
        return None
    first, second, third = (lines_of(text) for text in texts)
    one, other = _matches(first, second), _matches(first, third)
    if one is None or other is None:
        return None
    joined = _joined(first, second, third, list(_common((first, second, third), one, other)))
    return None if joined is None else "".join(joined).encode("utf-8")


def _joined(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], common: Sequence[tuple[int, int, int, int]]
) -> list[str] | None:
    result: list[str] = []
    at, at_ours, at_theirs = 0, 0, 0
    for low, high, low_ours, low_theirs in common:
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


def _common(
    texts: Sequence[Sequence[str]], one: Sequence[Match], other: Sequence[Match]
) -> Iterator[tuple[int, int, int, int]]:
    """The stretches of the base (from, to) that stand in both others too, and where; the texts' ends are the last."""
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
    base, ours, theirs = map(len, texts)
    yield base, base, ours, theirs


def _matches(base: Sequence[str], other: Sequence[str]) -> list[Match] | None:
    """The lines that a shortest way from the base to a text leaves alone; None where every way is too long.

    The greedy algorithm of Myers (An O(ND) Difference Algorithm, 1986): by diagonal (place in the base less place in
    the text) how far one comes with so many changes.
    """
    far, steps = {1: 0}, []
    for changes in range(MOST_CHANGES + 1):
        steps.append(dict(far))
        low = -changes + 2 * max(0, changes - len(other))
        high = changes - 2 * max(0, changes - len(base))
        for diagonal in range(low, high + 1, 2):
            at = _entered(far, diagonal, changes)
            while at < len(base) and at - diagonal < len(other) and base[at] == other[at - diagonal]:
                at += 1
            far[diagonal] = at
            if at >= len(base) and at - diagonal >= len(other):
                return _walked_back(steps, at, diagonal)
    return None


def _is_added(far: dict[int, int], diagonal: int, changes: int) -> bool:
    """Whether the next change comes into a diagonal farthest by a line that was added, not by one that was removed."""
    if diagonal in (-changes, changes):
        return diagonal == -changes
    return far.get(diagonal + 1, -1) > far.get(diagonal - 1, -1)


def _entered(far: dict[int, int], diagonal: int, changes: int) -> int:
    return far[diagonal + 1] if _is_added(far, diagonal, changes) else far[diagonal - 1] + 1


def _walked_back(steps: Sequence[dict[int, int]], at: int, diagonal: int) -> list[Match]:
    found: list[Match] = []
    for changes in range(len(steps) - 1, -1, -1):
        begin = _entered(steps[changes], diagonal, changes)
        if begin < at:
            found.append((begin, begin - diagonal, at - begin))
        added = _is_added(steps[changes], diagonal, changes)
        at, diagonal = (begin, diagonal + 1) if added else (begin - 1, diagonal - 1)
    return found[::-1]

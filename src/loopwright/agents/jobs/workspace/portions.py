"""Parts of long texts that fit into one reading, and how to go on."""

from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.kernel.errors import InvalidInput

LONGEST_LINE = 2_000
"""Characters after which a line is counted as the next one, so that a file of one line can be read in parts too."""


@dataclass(frozen=True)
class Portion:
    """Lines or pages `first` to `last` (from 1) of `total`; `cut` where the last of them is not shown whole."""

    parts: tuple[str, ...]
    first: int
    last: int
    total: int
    cut: bool = False


def lines_of(text: str, most: int) -> list[str]:
    """The lines as tools count them.

    Args:
        text: of the whole file.
        most: characters that one reading may give; no line is longer.
    """
    longest = min(LONGEST_LINE, most)
    return [
        line[start : start + longest]
        for line in text.removesuffix("\n").split("\n")
        for start in range(0, max(len(line), 1), longest)
    ]


def portion(parts: Sequence[str], first: int | None, last: int | None, most: int, unit: str) -> Portion:
    """As many parts from `first` on as fit, at most up to `last`; at least one, cut where it alone is too long.

    Args:
        parts: lines or pages.
        first: from 1; None means the first.
        last: inclusive; None means as many as fit.
        most: characters.
        unit: how messages call a part: `line` or `page`.

    Raises:
        InvalidInput: there is no such part, or the range is empty.
    """
    begin = first or 1
    if begin > len(parts):
        raise InvalidInput(f"There is no {unit} {begin}: the file has {len(parts)}.", hint=f"Give a {unit} up to that.")
    if last is not None and last < begin:
        raise InvalidInput(f"{unit}_end ({last}) lies before {unit}_start ({begin}).")
    taken: list[str] = []
    size = 0
    for part in parts[begin - 1 : last]:
        size += len(part) + 1
        if taken and size > most:
            break
        taken.append(part[:most])
    cut = len(taken) == 1 and len(parts[begin - 1]) > most
    return Portion(tuple(taken), begin, begin + len(taken) - 1, len(parts), cut)

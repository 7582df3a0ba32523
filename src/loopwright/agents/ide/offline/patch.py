"""Unified diffs of files that were read."""

import difflib
from collections.abc import Mapping, Sequence

CONTEXT = 3


def unified(path: str, lines: Mapping[int, str], changed: Mapping[int, Sequence[str]]) -> str:
    """The diff of a file whose lines, all of them, are given by their numbers.

    Args:
        path: the file.
        lines: its lines.
        changed: by its number, what stands in a line's place; 0 is what comes before the first line.
    """
    after = [*changed.get(0, ()), *(line for number, text in lines.items() for line in changed.get(number, (text,)))]
    made = difflib.unified_diff(list(lines.values()), after, f"a/{path}", f"b/{path}", n=CONTEXT, lineterm="")
    return "\n".join(made) + "\n"

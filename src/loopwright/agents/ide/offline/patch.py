"""Unified diffs of lines that were read."""

import difflib
import re
from collections.abc import Mapping, Sequence

CONTEXT = 3
LONGEST_LINE = 2_000
"""`index_read_file` shows no more of a line; a longer one cannot be written back."""
HUNK = re.compile(r"^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


def header(path: str) -> list[str]:
    """The two lines that name a file that exists before and after."""
    return [f"--- a/{path}", f"+++ b/{path}"]


def hunks(lines: Mapping[int, str], changed: Mapping[int, Sequence[str]], shift: int = 0) -> list[str]:
    """The hunks that put other lines in the place of some.

    Args:
        lines: consecutive lines of the file by their numbers.
        changed: by its number, what stands in a line's place.
        shift: by how many lines earlier hunks have made the file longer.
    """
    first = min(lines)
    after = [line for number, text in lines.items() for line in changed.get(number, (text,))]
    made = difflib.unified_diff(list(lines.values()), after, n=CONTEXT, lineterm="")
    return [_moved(line, first - 1, shift) for line in list(made)[2:]]


def _moved(line: str, by: int, shift: int) -> str:
    found = HUNK.match(line)
    if found is None:
        return line
    before, after = int(found[1]) + by, int(found[3]) + by + shift
    return f"@@ -{before}{found[2] or ''} +{after}{found[4] or ''} @@"

"""Differences of files, as people and `git apply` read them."""

import difflib
import re
from collections.abc import Iterator

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

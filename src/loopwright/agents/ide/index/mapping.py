"""The map of a project: files with their definitions, the most used ones first, within a budget of tokens."""

import re
import sqlite3
from collections import Counter, defaultdict
from dataclasses import dataclass
from math import sqrt

CHARACTERS_PER_TOKEN = 3
"""The kernel's estimate (spec 000)."""
MOST_SYMBOLS_OF_A_FILE = 8
TEST = re.compile(r"(^|/)(tests?|spec|__tests__)/|(^|/)test_|_test\.|\.spec\.|\.test\.")
MOST_SYMBOLS_THAT_COUNT = 20
FOR_WORD = 4.0
"""How much more a file counts with each word of the focus in its path or among its names."""
FOR_TEST, FOR_METHOD, FOR_PRIVATE = 0.25, 0.5, 0.25
"""Factors: what says less about a structure."""
ROOM_FOR_THE_REST = 70
WORD = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass(frozen=True)
class _Named:
    """A definition of a file, and how much it says about the project."""

    shown: str
    weight: float
    near: bool
    """Whether the focus speaks of it."""


def draw_map(connection: sqlite3.Connection, token_budget: int, focus: str) -> str:
    """Files by importance: how often other files use what they define, and how near they are to the focus."""
    room = token_budget * CHARACTERS_PER_TOKEN
    wanted = {word.casefold() for word in WORD.findall(focus)}
    symbols = _symbols(connection, wanted)
    paths = [row[0] for row in connection.execute("SELECT path FROM resources ORDER BY path")]
    scores = {path: _score(path, symbols.get(path, []), wanted) for path in paths}
    lines: list[str] = []
    ranked = sorted(scores, key=lambda path: (-scores[path], path))
    for path in ranked:
        block = _block(path, symbols.get(path, []))
        room -= len(block) + 1
        if room < ROOM_FOR_THE_REST:
            break
        lines.append(block)
    if len(lines) < len(ranked):
        lines.append(f"… and {len(ranked) - len(lines)} more files (index_list_files, index_find_files)")
    return "\n".join(lines) if ranked else "(the project has no files yet)"


def _block(path: str, names: list[_Named]) -> str:
    chosen = sorted(names, key=lambda each: (not each.near, -each.weight))[:MOST_SYMBOLS_OF_A_FILE]
    shown = ", ".join(each.shown for each in names if each in chosen)
    return f"{path}: {shown}" if shown else path


def _score(path: str, names: list[_Named], wanted: set[str]) -> float:
    weights = sorted((each.weight for each in names), reverse=True)[:MOST_SYMBOLS_THAT_COUNT]
    near = sum(1 for word in wanted if word in path.casefold())
    near += sum(1 for each in names if each.near)
    return (1 + sum(weights)) * (1 + FOR_WORD * near) * (FOR_TEST if TEST.search(path) else 1) - 0.2 * path.count("/")


def _symbols(connection: sqlite3.Connection, wanted: set[str]) -> dict[str, list[_Named]]:
    """The definitions of each file, in order. What stands in many files counts; less what many places define."""
    rows = connection.execute(
        "SELECT r.path, s.name, s.kind, s.container FROM symbols s JOIN resources r ON r.id = s.resource_id "
        "WHERE s.kind NOT IN ('variable', 'type', 'initializer') AND s.name NOT LIKE '\\_\\_%' ESCAPE '\\' "
        "ORDER BY r.path, s.line_start"
    ).fetchall()
    uses = _uses(connection)
    defined = Counter(name for _, name, _, _ in rows)
    found: dict[str, dict[str, _Named]] = defaultdict(dict)
    for path, name, kind, container in rows:
        shown = f"{container}.{name}" if container else name
        weight = sqrt(uses[name]) / defined[name] * (FOR_METHOD if kind == "method" else 1)
        weight *= FOR_PRIVATE if name.startswith("_") else 1
        found[path].setdefault(shown, _Named(shown, weight, name.casefold() in wanted))
    return {path: list(names.values()) for path, names in found.items()}


def _uses(connection: sqlite3.Connection) -> Counter[str]:
    """In how many source files each word stands."""
    uses: Counter[str] = Counter()
    for (words,) in connection.execute("SELECT words FROM resources WHERE language IS NOT NULL"):
        uses.update(words.split())
    return uses

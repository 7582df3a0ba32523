"""The map of a project: files with their definitions, the most used ones first, within a budget of tokens."""

import re
import sqlite3
from collections import Counter, defaultdict
from math import sqrt

CHARACTERS_PER_TOKEN = 3
"""The kernel's estimate (spec 000)."""
MOST_SYMBOLS_OF_A_FILE = 8
TEST = re.compile(r"(^|/)(tests?|spec|__tests__)/|(^|/)test_|_test\.|\.spec\.|\.test\.")
FOR_WORD, FOR_TEST = 6.0, 0.25
"""Weights: of a word of the focus in the path or among the names, and of tests, which say less about a structure."""
WORD = re.compile(r"[A-Za-z_]\w{2,}")


def draw_map(connection: sqlite3.Connection, token_budget: int, focus: str) -> str:
    """Files by importance: how often other files use what they define, and how near they are to the focus."""
    room = token_budget * CHARACTERS_PER_TOKEN
    symbols = _symbols(connection)
    uses = _uses(connection)
    wanted = {word.casefold() for word in WORD.findall(focus)}
    scores = {path: _score(path, symbols.get(path, []), uses, wanted) for path in _paths(connection)}
    lines: list[str] = []
    shown = 0
    ranked = sorted(scores, key=lambda path: (-scores[path], path))
    for path in ranked:
        block = _block(path, symbols.get(path, []), uses, wanted)
        if sum(map(len, lines)) + len(lines) + len(block) + 60 > room:
            break
        lines.append(block)
        shown += 1
    if shown < len(ranked):
        lines.append(f"… and {len(ranked) - shown} more files (index_list_files, index_find_files)")
    return "\n".join(lines) if ranked else "(the project has no files yet)"


def _block(path: str, names: list[tuple[str, str, str]], uses: dict[str, int], wanted: set[str]) -> str:
    chosen = sorted(names, key=lambda each: -_weight(each[0], uses, wanted))[:MOST_SYMBOLS_OF_A_FILE]
    kept = [each for each in names if each in chosen]
    shown = ", ".join(f"{container}.{name}" if container else name for name, _, container in kept)
    return f"{path}: {shown}" if shown else path


def _score(path: str, names: list[tuple[str, str, str]], uses: dict[str, int], wanted: set[str]) -> float:
    used: int = sum(min(uses.get(name, 0), 20) for name, _, _ in names)
    near = sum(FOR_WORD for word in wanted if word in path.casefold())
    near += sum(FOR_WORD for name, _, _ in names if name.casefold() in wanted)
    depth = path.count("/")
    return (1 + sqrt(used) + near * 3 + (2 if names else 0) - 0.2 * depth) * (FOR_TEST if TEST.search(path) else 1)


def _weight(name: str, uses: dict[str, int], wanted: set[str]) -> float:
    return uses.get(name, 0) + (100 if name.casefold() in wanted else 0) - (1 if name.startswith("_") else 0)


def _paths(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT path FROM resources ORDER BY path")]


def _symbols(connection: sqlite3.Connection) -> dict[str, list[tuple[str, str, str]]]:
    found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    rows = connection.execute(
        "SELECT r.path, s.name, s.kind, s.container FROM symbols s JOIN resources r ON r.id = s.resource_id "
        "WHERE s.kind NOT IN ('variable', 'type') ORDER BY r.path, s.line_start"
    )
    for path, name, kind, container in rows:
        if (name, kind, container) not in found[path]:
            found[path].append((name, kind, container))
    return found


def _uses(connection: sqlite3.Connection) -> Counter[str]:
    """In how many source files each word stands."""
    uses: Counter[str] = Counter()
    for (words,) in connection.execute("SELECT words FROM resources WHERE language IS NOT NULL"):
        uses.update(words.split())
    return uses

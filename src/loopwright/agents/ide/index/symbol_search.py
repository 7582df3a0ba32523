"""Finding definitions by their names, or by what somebody remembers of them."""

import difflib
import re
import sqlite3
from collections.abc import Sequence

from loopwright.agents.ide.contracts.symbols import Symbol

SUBWORD = re.compile(r"[^\W\d_a-z]+(?![a-z])|[^\W\d_]?[^\W\d_A-Z]+|\d+")
"""`HTTPServer2` is HTTP, Server, 2."""
COLUMNS = "s.name, s.kind, r.path, s.line_start, s.line_end, s.container, s.signature"
KEYS = ("name", "kind", "path", "line_start", "line_end", "container", "signature")
MOST_PARTS = 8
MOST_TYPING_ERRORS = 2
LIKENESS = 0.75


def symbols_where(connection: sqlite3.Connection, condition: str, values: Sequence[object]) -> list[Symbol]:
    """The symbols (`s`, of resources `r`) that meet a condition; the condition is written here, never taken."""
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM symbols s JOIN resources r ON r.id = s.resource_id WHERE {condition}",  # noqa: S608
        tuple(values),
    )
    return [Symbol.model_validate(dict(zip(KEYS, row, strict=True))) for row in rows]


def search_symbols(connection: sqlite3.Connection, query: str, kind: str, limit: int) -> list[Symbol]:
    """Definitions, the closest first: the very name, its beginning, a part, its words; names like it if none is."""
    parts = [part.casefold() for part in SUBWORD.findall(query)][:MOST_PARTS]
    ranked = [
        (rank, len(name), name)
        for name in _candidates(connection, query, parts, kind)
        if (rank := _rank(query, parts, name)) is not None
    ]
    names = [name for _, _, name in sorted(ranked)] or _alike(connection, query, kind)
    found: list[Symbol] = []
    for name in names:
        found += symbols_where(
            connection,
            "s.name = ?1 AND ?2 IN ('', s.kind) ORDER BY r.path, s.line_start LIMIT ?3",
            (name, kind, limit - len(found)),
        )
        if len(found) >= limit:
            break
    return found


def _candidates(connection: sqlite3.Connection, query: str, parts: Sequence[str], kind: str) -> list[str]:
    """Names that hold the query, or all of its words."""
    held = ["instr(lower(name), ?)"] * len(parts)
    condition = "instr(lower(name), ?)" + (f" OR ({' AND '.join(held)})" if held else "")
    rows = connection.execute(
        f"SELECT DISTINCT name FROM symbols WHERE ({condition}) AND ? IN ('', kind)",  # noqa: S608
        (_lower(query), *map(_lower, parts), kind),
    )
    return [row[0] for row in rows]


def _rank(query: str, parts: Sequence[str], name: str) -> int | None:
    folded, wanted = name.casefold(), query.casefold()
    if name == query:
        return 0
    if folded == wanted:
        return 1
    if folded.startswith(wanted):
        return 2
    if wanted in folded:
        return 3
    words = [part.casefold() for part in SUBWORD.findall(name)]
    return 4 if parts and all(any(word.startswith(part) for word in words) for part in parts) else None


def _alike(connection: sqlite3.Connection, query: str, kind: str) -> list[str]:
    """Names that may have been meant: with as good as all letters in this order."""
    rows = connection.execute(
        "SELECT DISTINCT name FROM symbols WHERE length(name) BETWEEN ?1 AND ?2 AND ?3 IN ('', kind) ORDER BY name",
        (len(query) - MOST_TYPING_ERRORS, len(query) + MOST_TYPING_ERRORS, kind),
    )
    by_folded = {row[0].casefold(): row[0] for row in rows}
    return [by_folded[match] for match in difflib.get_close_matches(query.casefold(), by_folded, 10, LIKENESS)]


def _lower(text: str) -> str:
    """As SQLite has it: ASCII alone."""
    return "".join(sign.lower() if sign.isascii() else sign for sign in text)

"""Search by meaning: passages of files as vectors, the nearest to a query's first. Needs the extra `semantic`.

The vectors are averages of word vectors. WordLlama's package brings its weights: nothing is fetched from anywhere.
"""

import difflib
import hashlib
import heapq
import json
import logging
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.agents.ide.contracts import Symbol
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.kernel.errors import LoopwrightError, Misconfigured

if TYPE_CHECKING:
    import numpy


# Finding definitions by their names, or by what somebody remembers of them.

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


PASSAGE_LINES = 40
MOST_CHARACTERS = 2_000
"""Of a passage that count for its vector; lines that tools made may be very long."""
LONGEST_TITLE = 160
FILES_AT_ONCE = 50
PASSAGES_AT_ONCE = 16
"""The longest passage of a batch sets the memory that all of it takes."""
STORED = "<f2"
"""Half precision: what is lost lies far below the differences that matter."""
INSTALL = "Install the extra: pip install 'loopwright[semantic]'"
WORD = re.compile(r"\w")


@dataclass(frozen=True)
class PassageHit:
    """Lines of a file, counted from 1, the last one included; `score` is the cosine of the angle to the query."""

    path: str
    line_start: int
    line_end: int
    title: str
    score: float


@dataclass(frozen=True)
class _Passage:
    line_start: int
    line_end: int
    title: str
    text: str


def semantic_is_installed() -> bool:
    """Whether the extra is there; nothing of it is imported."""
    return find_spec("wordllama") is not None and find_spec("numpy") is not None


def search_semantic(
    files: ProjectFiles, connection: sqlite3.Connection, query: str, limit: int = 10
) -> list[PassageHit]:
    """The passages nearest to a query; files without vectors, new or changed ones, get theirs first.

    Raises:
        Misconfigured: the extra is not installed, or not whole.
    """
    if not semantic_is_installed():
        raise Misconfigured("The search by meaning is not installed.", hint=INSTALL)
    import numpy

    wanted = _vectors([query])[0]
    _complete(files, connection)
    rows = connection.execute(
        "SELECT r.path, p.passages, p.vectors FROM passages p JOIN resources r ON r.id = p.resource_id ORDER BY r.path"
    )

    def scored() -> Iterator[tuple[float, str, list[Any]]]:
        for path, passages, blob in rows:
            vectors = numpy.frombuffer(blob, dtype=STORED).reshape(-1, len(wanted)).astype(numpy.float32)
            for passage, score in zip(json.loads(passages), vectors @ wanted, strict=True):
                if score > 0:
                    yield float(score), path, passage

    best = heapq.nsmallest(limit, scored(), key=lambda found: (-found[0], found[1], found[2][0]))
    return [PassageHit(path, start, end, title, score) for score, path, (start, end, title) in best]


def _complete(files: ProjectFiles, connection: sqlite3.Connection) -> None:
    """Give every file of text its vectors. They go with their resource, which another content makes anew."""
    missing = connection.execute(
        "SELECT r.id, r.path, r.content_hash FROM resources r LEFT JOIN passages p ON p.resource_id = r.id "
        "WHERE p.resource_id IS NULL AND trim(r.words) != '' ORDER BY r.path"
    ).fetchall()
    for first in range(0, len(missing), FILES_AT_ONCE):
        made = []
        for identifier, path, digest in missing[first : first + FILES_AT_ONCE]:
            passages = _passages(files, connection, identifier, path, digest)
            if passages is not None:
                vectors = _vectors([f"{path} {passage.text}" for passage in passages])
                shown = [[passage.line_start, passage.line_end, passage.title] for passage in passages]
                made.append((identifier, digest, json.dumps(shown), vectors.astype(STORED).tobytes()))
        with connection:  # a resource that has changed meanwhile is none any more
            connection.executemany(
                "INSERT OR REPLACE INTO passages SELECT id, ?3, ?4 FROM resources WHERE id = ?1 AND content_hash = ?2",
                made,
            )


def _passages(
    files: ProjectFiles, connection: sqlite3.Connection, identifier: int, path: str, digest: str
) -> list[_Passage] | None:
    """A file in passages; None where it cannot be read, or is not what the index knows: the next refresh sees to it."""
    try:
        data = files.read_bytes(path)
    except LoopwrightError:
        return None
    if hashlib.sha256(data).hexdigest() != digest:
        return None
    symbols = connection.execute(
        "SELECT line_start, line_end FROM symbols WHERE resource_id = ? ORDER BY line_start, line_end DESC",
        (identifier,),
    ).fetchall()
    lines = data.decode("utf-8", "replace").split("\n")
    found = []
    for start, end in passage_lines(len(lines), symbols):
        held = [line for line in lines[start - 1 : end] if WORD.search(line)]
        if held:
            title = held[0].strip()[:LONGEST_TITLE]
            found.append(_Passage(start, end, title, "\n".join(held)[:MOST_CHARACTERS]))
    return found


def passage_lines(length: int, symbols: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where to cut a file: definitions of 2 to 40 lines are whole, the outer before the inner; the rest goes by 40.

    Args:
        length: of the file in lines.
        symbols: first and last line of each definition, by the first and then the longer before the shorter.

    Returns:
        First and last lines, without gaps.
    """
    found: list[tuple[int, int]] = []
    covered = 0
    for start, end in symbols:
        if covered < start and 1 < end - start + 1 <= PASSAGE_LINES and end <= length:
            found += _by_forty(covered + 1, start - 1)
            found.append((start, end))
            covered = end
    return found + _by_forty(covered + 1, length)


def _by_forty(first: int, last: int) -> list[tuple[int, int]]:
    return [(start, min(start + PASSAGE_LINES - 1, last)) for start in range(first, last + 1, PASSAGE_LINES)]


def _vectors(texts: Sequence[str]) -> "numpy.ndarray[Any, Any]":
    """A vector of length 1 for each text, or 0 for one without words. Names count as the words they are made of."""
    import numpy

    words = [" ".join(SUBWORD.findall(text)).lower()[:MOST_CHARACTERS] for text in texts]
    found = _model().embed(words, batch_size=PASSAGES_AT_ONCE)
    lengths = numpy.linalg.norm(found, axis=1, keepdims=True)
    vectors: numpy.ndarray[Any, Any] = found / numpy.where(lengths > 0, lengths, 1)
    return vectors


@lru_cache(maxsize=1)
def _model() -> Any:
    with _logging_kept():
        import wordllama
    folder = Path(wordllama.__file__).parent
    try:
        return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    except OSError as error:
        raise Misconfigured(f"The search by meaning lacks its weights: {error}.", hint=INSTALL) from error


@contextmanager
def _logging_kept() -> Iterator[None]:
    """The package sets up logging for the whole program when it is imported; that is the program's own matter."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)

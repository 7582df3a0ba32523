"""What a source file defines and which names it uses, by its grammar."""

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import sqrt
from typing import TYPE_CHECKING, cast

from loopwright.agents.ide.contracts import Symbol, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query


# The map of a project: files with their definitions, the most used ones first, within a budget of tokens.

CHARACTERS_PER_TOKEN = 3
"""The kernel's estimate (spec 000)."""
MOST_SYMBOLS_OF_A_FILE = 8
TEST = re.compile(r"(^|/)(tests?|spec|__tests__)/|(^|/)test_|_test\.|\.spec\.|\.test\.")
MOST_SYMBOLS_THAT_COUNT = 20
FOR_WORD = 4.0
"""How much more a file counts with each word of the focus in its path or among its names."""
FOR_TEST, FOR_METHOD, FOR_PRIVATE = 0.25, 0.5, 0.25
"""Factors: what says less about a structure."""
LEAST_CHARACTERS_LEFT = 70
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
    left = token_budget * CHARACTERS_PER_TOKEN
    wanted = {word.casefold() for word in WORD.findall(focus)}
    symbols = _symbols(connection, wanted)
    paths = [row[0] for row in connection.execute("SELECT path FROM resources ORDER BY path")]
    scores = {path: _score(path, symbols.get(path, []), wanted) for path in paths}
    lines: list[str] = []
    ranked = sorted(scores, key=lambda path: (-scores[path], path))
    for path in ranked:
        block = _block(path, symbols.get(path, []))
        left -= len(block) + 1
        if left < LEAST_CHARACTERS_LEFT:
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


# Languages by suffix, and their grammars and queries, loaded when a file of theirs is read first.

BY_SUFFIX = {
    ".py": "python", ".pyi": "python",
    ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
    ".go": "go", ".rs": "rust", ".java": "java", ".swift": "swift", ".rb": "ruby",
    ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".hxx": "cpp",
}  # fmt: skip
FAMILIES = {"typescript": "javascript", "tsx": "javascript", "c": "cpp"}
"""Languages whose files use each other's names."""
IDENTIFIERS = frozenset(
    {
        "identifier", "type_identifier", "field_identifier", "property_identifier", "simple_identifier", "constant",
        "shorthand_property_identifier", "shorthand_property_identifier_pattern", "namespace_identifier",
    }
)  # fmt: skip
"""Kinds of leaves that are names, in the grammars of these languages."""


def language_of(path: str) -> str | None:
    """The language of a file by its suffix, or None where there is no grammar for it."""
    return BY_SUFFIX.get("." + path.rpartition("/")[2].rpartition(".")[2].lower())


def family_of(path: str) -> str | None:
    """The languages that share their names with each other, by one of them; None as for `language_of`."""
    language = language_of(path)
    return FAMILIES.get(language, language) if language else None


def parser_of(language: str) -> "Parser":
    """A parser of its own for each caller: two threads must not share one."""
    from tree_sitter import Parser
    from tree_sitter_language_pack import get_language

    return Parser(get_language(language))  # type: ignore[arg-type]


@cache
def query_of(language: str, what: str = "definitions") -> "Query | None":
    """One of a language's queries, from its file in the folder of that name; None where the language has none."""
    from tree_sitter import Query
    from tree_sitter_language_pack import get_language

    file = resources.files(__package__).joinpath("queries", what, f"{language}.scm")
    if not file.is_file():
        return None
    return Query(get_language(language), file.read_text(encoding="utf-8"))  # type: ignore[arg-type]


LONGEST_SIGNATURE = 160
CONTAINERS = frozenset({"class", "struct", "enum", "interface", "protocol", "extension", "module"})
MOST_BYTES = 500_000
"""Larger files are made by tools, and hostile ones take seconds; they are found by their text only."""

MOST_CHILDREN_IN_ERROR = 5_000
MOST_OPEN_MATCHES = 1_000


@dataclass(frozen=True)
class Reference:
    """A name in the code, not in a string or a comment. Lines and columns count from 1, columns in characters."""

    path: str
    line: int
    column: int
    name: str


def symbols_of(path: str, data: bytes) -> Iterator[Symbol]:
    """What a file defines, in order; one without a grammar, or too large, has no symbols."""
    language = language_of(path)
    query = query_of(language) if language else None
    if language is None or query is None or len(data) > MOST_BYTES:
        return iter(())
    tree = parser_of(language).parse(data)
    found: list[tuple[int, int, Symbol]] = []
    for _, captures in matches(query, tree.root_node) or ():
        kind, node = next((kind, nodes[0]) for kind, nodes in captures.items() if kind != "name")
        name = text_of(captures["name"][0]) if "name" in captures else "init"
        found.append((node.start_byte, node.end_byte, _symbol(path, name, kind, node, data)))
    return _contained(found)


def references(path: str, data: bytes, name: str) -> list[Reference]:
    """Where a file uses or defines a name."""
    language = language_of(path)
    if language is None or name.encode() not in data:
        return []
    tree = parser_of(language).parse(data)
    lines = data.split(b"\n")
    return [
        Reference(path, row + 1, len(lines[row][:column].decode("utf-8", "replace")) + 1, name)
        for leaf in leaves(tree.root_node)
        if text_of(leaf) == name
        for row, column in [tuple(leaf.start_point)]
    ]


def matches(query: "Query", root: "Node") -> "list[tuple[int, dict[str, list[Node]]]] | None":
    """What a query finds; None in a tree that no person has written and that would take minutes.

    Queries take quadratic time where thousands of nodes stand side by side without making sense, or deep in each other.
    """
    from tree_sitter import QueryCursor

    if _is_senseless(root):
        return None
    cursor = QueryCursor(query, match_limit=MOST_OPEN_MATCHES)
    found = cursor.matches(root)
    return None if cursor.did_exceed_match_limit else found


def _is_senseless(root: "Node") -> bool:
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.has_error and node.child_count > MOST_CHILDREN_IN_ERROR:
            return True
        if node.has_error:
            nodes += node.children
    return False


def _symbol(path: str, name: str, kind: str, node: "Node", data: bytes) -> Symbol:
    """The definition; not validated, since all of it is made here and by the queries of this package."""
    line, _, _ = data[node.start_byte : min(node.end_byte, node.start_byte + LONGEST_SIGNATURE)].partition(b"\n")
    return Symbol.model_construct(
        name=name,
        kind=cast("SymbolKind", kind),
        path=path,
        line_start=node.start_point[0] + 1,
        line_end=node.end_point[0] + 1,
        signature=line.decode("utf-8", "replace").strip(),
    )


def _contained(found: list[tuple[int, int, Symbol]]) -> Iterator[Symbol]:
    """Each symbol with the one it stands in; a function in a class is a method."""
    open_ones: list[tuple[int, Symbol]] = []
    for start, end, symbol in sorted(found, key=lambda each: (each[0], -each[1])):
        while open_ones and open_ones[-1][0] <= start:
            open_ones.pop()
        container = next((outer for _, outer in reversed(open_ones) if outer.kind in CONTAINERS), None)
        if container is not None and container.name != symbol.name:
            kind = "method" if symbol.kind == "function" else symbol.kind
            symbol = symbol.model_copy(update={"container": container.name, "kind": kind})
        yield symbol
        open_ones.append((end, symbol))


def leaves(root: "Node") -> Iterator["Node"]:
    """All names of a tree, in order; without recursion, since trees may be deep."""
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is not None and node.child_count == 0 and node.type in IDENTIFIERS:
            yield node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def text_of(node: "Node") -> str:
    """What a node stands for."""
    return (node.text or b"").decode("utf-8", "replace")

"""What a source file defines and which names it uses, by its grammar."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from loopwright.agents.ide.contracts.symbols import Symbol, SymbolKind
from loopwright.agents.ide.index.languages import IDENTIFIERS, language_of, parser_of, query_of

if TYPE_CHECKING:
    from tree_sitter import Node, Query

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

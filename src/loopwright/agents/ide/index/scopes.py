"""What each occurrence of a name in a file means: which scope binds it, and which module it comes from.

A language that has a file in `queries/scopes` is resolved by it; in the others every occurrence is a plain name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from loopwright.agents.ide.index.languages import language_of, parser_of, query_of
from loopwright.agents.ide.index.parsing import leaves, matches, text_of
from loopwright.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from tree_sitter import Node, Query

Role = Literal["name", "member", "keyword", "module", "exported"]
"""A plain name, an attribute, an argument's keyword, a part of a module's name, a string that says what is exported."""
Kind = Literal["module", "function", "class"]
Origin = tuple[str, str]
"""A module as the file writes it, and the name in it."""


@dataclass(frozen=True)
class Scope:
    """A stretch of a file that binds names; `start` and `end` are bytes."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True)
class Occurrence:
    """A name in a file. `origin` is where an import takes it from; None for what is no import's."""

    name: str
    start: int
    line: int
    role: Role
    scope: Scope
    bound: bool
    origin: Origin | None


@dataclass(frozen=True)
class Occurrences:
    """All occurrences of one name in a file, the modules of which it imports everything, and whether it parses."""

    found: tuple[Occurrence, ...]
    stars: tuple[str, ...]
    sound: bool
    resolved: bool
    """Whether the language's scopes are known."""


@dataclass
class _Names:
    """What the scopes query says of one name in one file. Nodes are named by their first byte."""

    whole: Scope
    scopes: set[Scope] = field(default_factory=set)
    bindings: dict[int, Scope] = field(default_factory=dict)
    """To the scope that binds."""
    origins: dict[int, Origin] = field(default_factory=dict)
    roles: dict[int, Role] = field(default_factory=dict)
    exported: list["Node"] = field(default_factory=list)
    members: dict[int, str] = field(default_factory=dict)
    """To the text before the dot."""
    roots: dict[str, str] = field(default_factory=dict)
    """Names that imports bind, to the modules they stand for."""
    stars: list[str] = field(default_factory=list)


def occurrences(path: str, data: bytes, name: str) -> Occurrences:
    """Where a file speaks of a name, in order; a file without a grammar has no occurrences.

    Raises:
        InvalidInput: no person has written such code.
    """
    language = language_of(path)
    if language is None or not name or name.encode() not in data:
        return Occurrences((), (), sound=True, resolved=False)
    root = parser_of(language).parse(data).root_node
    names = _Names(Scope("module", 0, len(data) + 1))
    query = query_of(language, "scopes")
    if query is not None:
        _ask(query, root, name, names)
    bound: dict[Scope, Origin | None] = {}
    for start, scope in names.bindings.items():  # what a scope itself defines goes before what it imports
        bound[scope] = names.origins.get(start) if bound.get(scope, "") is not None else None
    nodes = [leaf for leaf in leaves(root) if text_of(leaf) == name] + names.exported
    found = [_occurrence(node, names, bound) for node in sorted(nodes, key=lambda node: node.start_byte)]
    return Occurrences(tuple(found), tuple(names.stars), sound=not root.has_error, resolved=query is not None)


def _ask(query: "Query", root: "Node", name: str, names: _Names) -> None:
    found = matches(query, root)
    if found is None:
        raise InvalidInput(f"The code around {name!r} is too tangled to be understood.", hint="Change it by hand.")
    labelled = [{label: nodes[0] for label, nodes in captures.items()} for _, captures in found]
    for match in labelled:
        _note_scope(match, names)
    for match in labelled:
        _note_import(match, name, names)
        _note_binding(match, name, names)
    for match in labelled:
        _note_role(match, name, names)
    for match in labelled:
        if "outer" in match and text_of(match["outer"]) == name:
            outer = _around(match["outer"].start_byte, names)
            names.bindings = {start: scope for start, scope in names.bindings.items() if scope != outer}


def _note_scope(match: Mapping[str, "Node"], names: _Names) -> None:
    for label, kind in (("scope", "function"), ("class", "class")):
        if label in match:
            names.scopes.add(_scope_of(match[label], "class" if kind == "class" else "function"))


def _note_import(match: Mapping[str, "Node"], name: str, names: _Names) -> None:
    module = text_of(match["module"]) if "module" in match else None
    source = text_of(match["source"]) if "source" in match else None
    if module is not None:
        known = "root" if "root" in match else "alias"
        local = text_of(match[known])
        names.roots[local] = local if known == "root" else module
        if local == name:
            _bind(match[known], names, (names.roots[local], ""))
    if source is not None and "imported" not in match:
        names.stars.append(source)
    elif source is not None:
        imported = text_of(match["imported"])
        local = text_of(match.get("alias", match["imported"]))
        names.roots[local] = f"{source}{'' if source.endswith('.') else '.'}{imported}"
        if imported == name:
            names.origins[match["imported"].start_byte] = (source, imported)
        if local == name:
            _bind(match.get("alias", match["imported"]), names, (source, imported))


def _note_binding(match: Mapping[str, "Node"], name: str, names: _Names) -> None:
    node = match.get("binding")
    if node is not None and text_of(node) == name:
        _bind(node, names, None, _scope_of(match["scope"], "function") if "scope" in match else None)


def _note_role(match: Mapping[str, "Node"], name: str, names: _Names) -> None:
    for label, role in (("keyword", "keyword"), ("part", "module"), ("member", "member")):
        node = match.get(label)
        if node is not None and text_of(node) == name and node.start_byte not in names.bindings:
            names.roles[node.start_byte] = role  # type: ignore[assignment]
            if label == "member":
                names.members[node.start_byte] = text_of(match["object"])
    node = match.get("exported")
    if node is not None and text_of(node) == name:
        names.roles[node.start_byte] = "exported"
        names.exported.append(node)


def _bind(node: "Node", names: _Names, origin: Origin | None, scope: Scope | None = None) -> None:
    names.bindings[node.start_byte] = scope or _around(node.start_byte, names)
    if origin is not None:
        names.origins[node.start_byte] = origin


def _occurrence(node: "Node", names: _Names, bound: Mapping[Scope, Origin | None]) -> Occurrence:
    start, name = node.start_byte, text_of(node)
    role = names.roles.get(start, "name")
    line = node.start_point[0] + 1
    if role == "member":
        return Occurrence(name, start, line, role, names.whole, False, _origin_of_member(names, start, name))
    scope = names.bindings.get(start) or _resolve(start, names, bound)
    return Occurrence(name, start, line, role, scope, scope in bound, names.origins.get(start) or bound.get(scope))


def _origin_of_member(names: _Names, start: int, name: str) -> Origin | None:
    root, dot, rest = names.members[start].partition(".")
    if root not in names.roots:
        return None
    return names.roots[root] + dot + rest, name


def _resolve(start: int, names: _Names, bound: Mapping[Scope, Origin | None]) -> Scope:
    """The innermost scope around that binds the name; a class binds for what stands directly in it alone."""
    innermost = _around(start, names)
    for scope in _all_around(start, names):
        if scope in bound and (scope.kind != "class" or scope == innermost):
            return scope
    return names.whole


def _around(start: int, names: _Names) -> Scope:
    return next(iter(_all_around(start, names)), names.whole)


def _all_around(start: int, names: _Names) -> Iterable[Scope]:
    around = [scope for scope in names.scopes if scope.start <= start < scope.end]
    return sorted(around, key=lambda scope: scope.end - scope.start)


def _scope_of(node: "Node", kind: Kind) -> Scope:
    return Scope(kind, node.start_byte, node.end_byte)

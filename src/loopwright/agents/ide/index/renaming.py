"""Renaming a symbol wherever the code means it, and nowhere else.

Where a language's scopes are known, local names of the same spelling, attributes of other things and what comes from
other libraries keep their names. In the other languages every occurrence in the code is renamed, so that what belongs
together stays together. Strings and comments keep the name, but for lists of what a module exports.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from loopwright.agents.ide.contracts import Symbol
from loopwright.agents.ide.index.parsing import family_of, language_of, leaves, matches, parser_of, query_of, text_of
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound

if TYPE_CHECKING:
    from tree_sitter import Node, Query


# What each occurrence of a name in a file means: which scope binds it, and which module it comes from.

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
    """A name in a file. `origin` is where an import takes it from; None for what is not an import's."""

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


# Which modules of Python a project holds, by where its files lie.

SUFFIXES = (".py", ".pyi")


class Modules:
    """The modules of one project, under every name by which they may be imported.

    A file is a module of the package that its folder is; above the outermost package (a folder with `__init__`) any
    folder may be where imports begin.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        """Take the paths of all files."""
        files = [path for path in paths if path.endswith(SUFFIXES)]
        self._packages = {path.rpartition("/")[0] for path in files if _stem(path) == "__init__"}
        self._names = {name for path in files for name in self._names_of(path)}

    def holds(self, module: str, importer: str) -> bool:
        """Whether a module, as the file `importer` writes it, is one of the project."""
        return self._absolute(module, importer) in self._names

    def inside(self, dotted: str, importer: str) -> bool:
        """Whether a dotted name is something in a module of the project, such as a class, and no module itself."""
        parts = self._absolute(dotted, importer).split(".")
        return ".".join(parts) not in self._names and any(
            ".".join(parts[:end]) in self._names for end in range(1, len(parts))
        )

    def _absolute(self, module: str, importer: str) -> str:
        """A module as it is called from the root: `..b` in `a/c/d.py` is `a.b`."""
        bare = module.lstrip(".")
        up = len(module) - len(bare)
        if not up:
            return module
        folders = importer.split("/")[:-1]
        return ".".join([*folders[: len(folders) - up + 1], *([bare] if bare else [])])

    def _names_of(self, path: str) -> Iterable[str]:
        parts = path.split("/")
        folder = parts[:-1]
        outermost = len(folder)
        while outermost > 0 and "/".join(folder[:outermost]) in self._packages:
            outermost -= 1
        dotted = [*folder] if _stem(path) == "__init__" else [*folder, _stem(path)]
        for begin in range(outermost + 1):
            for end in range(begin + 1, len(dotted) + 1):
                yield ".".join(dotted[begin:end])


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


@dataclass(frozen=True)
class FileEdit:
    """What renaming does to one file; `lines` are those that change, counted from 1."""

    path: str
    before: str
    after: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Renaming:
    """The edits of a renaming, by path; nothing is written. `kept` are lines that have the name for something else."""

    old: str
    new: str
    edits: tuple[FileEdit, ...]
    kept: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class _Definition:
    """Where the symbol is bound, in a file whose scopes are known or not."""

    path: str
    scope: Scope


def rename_symbol(
    files: ProjectFiles,
    old: str,
    new: str,
    *,
    definitions: Sequence[Symbol],
    using: Sequence[str],
    paths: Sequence[str],
) -> Renaming:
    """Think out a renaming.

    Args:
        files: the project's files.
        old: the symbol's name.
        new: the name that it shall have.
        definitions: which of the symbols of this name are meant.
        using: the files that may speak of the name.
        paths: all files of the project.

    Raises:
        NotFound: nothing is defined by the old name.
        Conflict: the new name is taken in a file that would change.
        InvalidInput: the new name is none in the language, or a file that would change is not UTF-8 text.
    """
    if not definitions:
        raise NotFound(
            f"Nothing is defined by the name {old!r}.", hint="index_search_symbols finds names that are near."
        )
    if old == new:
        raise InvalidInput(f"The new name is the old one, {old!r}.", hint="Choose another name.")
    family = family_of(definitions[0].path)
    seen = {path: occurrences(path, files.read_bytes(path), old) for path in using if family_of(path) == family}
    meant_ones = _bound_at(definitions, seen)
    modules = Modules(paths)
    edits: list[FileEdit] = []
    kept: list[tuple[str, int]] = []
    for path, known in sorted(seen.items()):
        meant = [each for each in known.found if any(_means(one, path, each, known, modules) for one in meant_ones)]
        kept += [(path, each.line) for each in known.found if each not in meant and each.role != "module"]
        if meant:
            edits.append(_edit(files, path, meant, old, new))
    return Renaming(old, new, tuple(edits), tuple(dict.fromkeys(kept)))


def _bound_at(definitions: Sequence[Symbol], seen: Mapping[str, Occurrences]) -> list[_Definition]:
    """The scopes that bind the symbol; one inside a function counts where there is no other."""
    found: list[_Definition] = []
    for symbol in definitions:
        known = seen[symbol.path].found if symbol.path in seen else ()
        within = (each for each in known if symbol.line_start <= each.line <= symbol.line_end)
        binding = next((each for each in within if each.role == "name"), None)
        if binding is not None:
            found.append(_Definition(symbol.path, binding.scope))
    if not found:
        raise NotFound(f"{definitions[0].path} does not define {definitions[0].name!r} any more.", hint="Search again.")
    return [each for each in found if each.scope.kind != "function"] or found


def _means(definition: _Definition, path: str, each: Occurrence, known: Occurrences, modules: Modules) -> bool:
    """Whether an occurrence stands for the symbol of a definition."""
    if not known.resolved:
        return True
    if each.role in ("keyword", "module"):
        return False
    kind = definition.scope.kind
    if each.role == "name" and (path, each.scope) == (definition.path, definition.scope):
        return True
    if kind == "class":
        return each.role == "member" and (each.origin is None or modules.inside(each.origin[0], path))
    if kind == "function":
        return False
    if each.origin is not None:
        return each.origin[1] == each.name and modules.holds(each.origin[0], path)
    stars = any(modules.holds(star, path) for star in known.stars)
    if each.role == "exported":
        others = (other for other in known.found if other.role == "name" and other.scope.kind == "module")
        return stars or any(_means(definition, path, other, known, modules) for other in others)
    return each.role == "name" and not each.bound and stars


def _edit(files: ProjectFiles, path: str, meant: Sequence[Occurrence], old: str, new: str) -> FileEdit:
    data = files.read_bytes(path)
    if occurrences(path, data, new).found:
        raise Conflict(f"{path} uses the name {new!r} already; nothing was renamed.", hint="Choose another name.")
    length = len(old.encode())
    parts, end = list[bytes](), 0
    for each in meant:
        parts += [data[end : each.start], new.encode()]
        end = each.start + length
    after = b"".join([*parts, data[end:]])
    _check(path, data, after, len(meant), old, new)
    try:
        return FileEdit(path, data.decode(), after.decode(), tuple(dict.fromkeys(each.line for each in meant)))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text (byte {error.start}); nothing was renamed.") from error


def _check(path: str, before: bytes, after: bytes, count: int, old: str, new: str) -> None:
    """The renamed file must read as before, with as many of the new name as were renamed."""
    result = occurrences(path, after, new)
    if len(result.found) != count or (not result.sound and occurrences(path, before, old).sound):
        raise InvalidInput(
            f"{new!r} cannot stand for {old!r} in {path}; nothing was renamed.", hint="Choose another name."
        )

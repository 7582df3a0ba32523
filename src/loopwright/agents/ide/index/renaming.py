"""Renaming a symbol wherever the code means it, and nowhere else.

Where a language's scopes are known, local names of the same spelling, attributes of other things and what comes from
other libraries keep their names. In the other languages every occurrence in the code is renamed, so that what belongs
together stays together. Strings and comments keep the name, but for lists of what a module exports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loopwright.agents.ide.contracts.symbols import Symbol
from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.index.languages import family_of
from loopwright.agents.ide.index.modules import Modules
from loopwright.agents.ide.index.scopes import Occurrence, Occurrences, Scope, occurrences
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound


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
        InvalidInput: the new name is none in the language, or a file that would change is no UTF-8 text.
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
        raise InvalidInput(f"{path} is no UTF-8 text (byte {error.start}); nothing was renamed.") from error


def _check(path: str, before: bytes, after: bytes, count: int, old: str, new: str) -> None:
    """The renamed file must read as before, with as many of the new name as were renamed."""
    result = occurrences(path, after, new)
    if len(result.found) != count or (not result.sound and occurrences(path, before, old).sound):
        raise InvalidInput(
            f"{new!r} cannot stand for {old!r} in {path}; nothing was renamed.", hint="Choose another name."
        )

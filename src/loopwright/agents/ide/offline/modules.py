"""Python modules: what a file is called in an import, which names it lacks, and where an import belongs."""

import ast
import builtins
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

HOMES = (
    "pathlib", "dataclasses", "datetime", "collections.abc", "collections", "typing", "enum", "functools", "contextlib",
    "decimal", "fractions", "abc", "textwrap", "tempfile", "string", "concurrent.futures", "threading",
)  # fmt: skip
"""Modules whose names are usually imported out of them, the one that is preferred first."""
ALWAYS_THERE = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__spec__", "__path__", "__package__"}


def module_of(path: str, files: Sequence[str]) -> str:
    """The dotted name by which a file is imported: from the folder that is no package, or below `src`."""
    parts = path.removesuffix(".py").removesuffix(".pyi").split("/")
    folders = parts[:-1]
    start = folders.index("src") + 1 if "src" in folders else 0
    if start == 0:
        packages = {known.rpartition("/")[0] for known in files if known.endswith("/__init__.py")}
        start = len(folders)
        while start > 0 and "/".join(folders[:start]) in packages:
            start -= 1
    named = parts[start:]
    return ".".join(named[:-1] if named[-1] == "__init__" and len(named) > 1 else named)


def undefined_names(tree: ast.Module) -> list[str]:
    """Names that are read and bound nowhere in the file; a star import binds anything, so there are none then."""
    bound = set(ALWAYS_THERE)
    loaded: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return []
        bound |= set(_bound_by(node))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            loaded[node.id] = None
    return [name for name in loaded if name not in bound]


def _bound_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names


def standard_home(name: str) -> str | None:
    """The module of the standard library that is the usual home of a name, such as `pathlib` of `Path`."""
    return next((module for module in HOMES if name in import_module(module).__all__), None)


def is_standard(module: str) -> bool:
    """Whether it is a module of Python's standard library."""
    return module in sys.stdlib_module_names


def import_place(lines: Mapping[int, str]) -> int:
    """The line after which a new import stands: the last import at the top, or the module's own words, or nothing."""
    text = "\n".join(lines.values())
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return _place_by_lines(lines)
    place = 0
    for position, node in enumerate(body):
        words = position == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not words and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        place = node.end_lineno or node.lineno
    return place or _place_by_lines(lines)


def _place_by_lines(lines: Mapping[int, str]) -> int:
    """In a file that cannot be parsed, or has no import: after its `#!` line and coding."""
    place = 0
    for number, line in lines.items():
        if not re.match(r"#!|#.*coding[:=]", line):
            break
        place = number
    return place


def has_import(text: str, statement: str) -> bool:
    """Whether an import statement stands in a file already, alone or among others."""
    try:
        present, (wanted,) = ast.parse(text), ast.parse(statement).body
    except SyntaxError:
        return statement in text.splitlines()
    return any(_imports(node, wanted) for node in ast.walk(present))


def _imports(node: ast.AST, wanted: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom) and isinstance(wanted, ast.ImportFrom):
        same = (node.module, node.level) == (wanted.module, wanted.level)
        return same and {(a.name, a.asname) for a in wanted.names} <= {(a.name, a.asname) for a in node.names}
    if isinstance(node, ast.Import) and isinstance(wanted, ast.Import):
        return {(a.name, a.asname) for a in wanted.names} <= {(a.name, a.asname) for a in node.names}
    return False

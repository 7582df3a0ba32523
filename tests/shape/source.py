"""What the rules read: the repository's own files, each parsed once."""

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "loopwright"
FOLDERS = (".ci", "bench", "docs", "src", "tests")


def repository_files(*folders: str) -> list[Path]:
    """Every file under the named folders; under all of ours, and at the top, when none is named.

    Walks instead of asking git, so that the rules hold in an unpacked archive too.
    """
    top = [] if folders else [path for path in ROOT.iterdir() if path.is_file()]
    deep = [path for folder in folders or FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(path for path in top + deep if "__pycache__" not in path.parts and path.suffix != ".pyc")


def python_files(*folders: str) -> list[Path]:
    """The Python files of the named folders, or all of ours."""
    return [path for path in repository_files(*folders) if path.suffix == ".py"]


def shown(path: Path) -> str:
    """The path as a reader of a failure wants it."""
    return path.relative_to(ROOT).as_posix()


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The parsed file; the collector would go through all the trees again and again, and find nothing."""
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    finally:
        gc.freeze()
        gc.enable()


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Everything in a tree, as `ast.walk` finds it; a dozen rules look at the same three million nodes."""
    return tuple(ast.walk(tree))


def called(function: ast.expr) -> str:
    """The last name of what is called: `b` of `a.b(…)`, "" of what has no name; far cheaper than `ast.unparse`."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def module_name(path: Path) -> str:
    """The dotted name under which a file of the package is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

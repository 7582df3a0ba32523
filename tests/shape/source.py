"""What the house rules read: the repository's own files, each parsed once."""

import ast
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
    """The parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def module_name(path: Path) -> str:
    """The dotted name under which a file of the package is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

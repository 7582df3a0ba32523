"""How much code there is, and how much of it only the offline model needs.

    python bench/code_size.py [--json] [--root FOLDER]

Counts the lines of Python files and of data files (texts, tables, templates) of the package. Only offline is what lies
in a folder named `offline`, and each module that is imported by such modules alone, directly or through others of its
kind. A module that nothing imports (an entry point, say) is not counted as offline.
"""

import argparse
import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "loopwright"
DATA = {".css", ".html", ".j2", ".js", ".json", ".md", ".toml", ".txt", ".yaml", ".yml"}
OFFLINE = "offline"


def module_of(path: Path, root: Path) -> str:
    """The dotted name of a file of the package."""
    parts = (root.name, *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[str]:
    """What a file imports, wherever the import stands: of `from a.b import c` `a`, `a.b` and `a.b.c`."""
    for name in _named_in(path):
        parts = name.split(".")
        yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _named_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def offline_modules(files: dict[str, Path]) -> set[str]:
    """The modules that only the offline model needs."""
    importers: dict[str, set[str]] = {}
    for name, path in files.items():
        for imported in imports_of(path):
            if imported in files and imported != name:
                importers.setdefault(imported, set()).add(name)
    found = {name for name in files if OFFLINE in name.split(".")}
    while more := {name for name, by in importers.items() if name not in found and by <= found}:
        found |= more
    return found


def lines_of(path: Path) -> int:
    """Lines of a text."""
    return len(path.read_text(encoding="utf-8").splitlines())


def measured(root: Path) -> dict[str, int | float]:
    """Files and lines of all, and of what is only offline."""
    files = {module_of(path, root): path for path in sorted(root.rglob("*.py"))}
    data = [path for path in root.rglob("*") if path.suffix in DATA and path.is_file()]
    python = {name: lines_of(path) for name, path in files.items()}
    offline = offline_modules(files)
    beside = sum(python[name] for name in offline if OFFLINE not in name.split("."))
    lines, of_them = sum(python.values()), sum(python[name] for name in offline)
    told = sum(map(lines_of, data))
    told_offline = sum(lines_of(path) for path in data if OFFLINE in path.relative_to(root).parts)
    return {
        "python_files": len(files),
        "python_lines": lines,
        "offline_python_files": len(offline),
        "offline_python_lines": of_them,
        "offline_python_lines_elsewhere": beside,
        "offline_python_share": round(of_them / lines, 3) if lines else 0.0,
        "data_lines": told,
        "offline_data_lines": told_offline,
        "offline_share": round((of_them + told_offline) / (lines + told), 3) if lines + told else 0.0,
    }


def main() -> int:
    """Count and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--root", type=Path, default=PACKAGE, help="the package, such as that of another commit")
    options = parser.parse_args()
    told = measured(options.root.resolve())
    print(json.dumps(told) if options.json else "\n".join(f"{value:>10,}  {name}" for name, value in told.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The signatures of the public names as text, read from the source, so that all versions of Python write the same.

python -m tests.api.signatures        writes tests/api/public_signatures.txt anew
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import loopwright
from loopwright import testing

FILE = Path(__file__).parent / "public_signatures.txt"


def signatures() -> str:
    """A paragraph for each public name: its own signature, and those of its public members."""
    named = [(f"loopwright.{name}", getattr(loopwright, name)) for name in sorted(loopwright.__all__)]
    named += [(f"loopwright.testing.{name}", getattr(testing, name)) for name in sorted(testing.__all__)]
    return "\n\n".join("\n".join(lines_of(name, thing)) for name, thing in named) + "\n"


def lines_of(name: str, thing: Any) -> Iterator[str]:
    """The lines of a public function or class."""
    if inspect.isclass(thing):
        yield f"{name}({', '.join(base.__name__ for base in thing.__bases__ if base is not object)})"
        for line in dict.fromkeys(_members(thing)):  # in order: fields are positional
            yield f"    {line}"
        return
    for node in _overloads_and_body(thing):
        yield _function(name, node)


def _members(thing: type) -> Iterator[str]:
    """Fields, methods and properties, those of bases in this package too."""
    seen: set[str] = set()
    for each in thing.__mro__:
        if not each.__module__.startswith("loopwright"):
            continue
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
        assert isinstance(node, ast.ClassDef)
        found = [(_name_of(member), member) for member in node.body]
        yield from (_member(name, member) for name, member in found if name and name not in seen and _is_public(name))
        seen |= {name for name, _ in found}


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name in ("__init__", "__call__")


def _name_of(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _member(name: str, node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        marks = "".join(f"@{ast.unparse(each)} " for each in node.decorator_list)
        return marks + _function(name, node)
    return ast.unparse(node)


def _function(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    word = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{word}{name}({ast.unparse(node.args)}){returns}"


def _overloads_and_body(function: Any) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(Path(inspect.getfile(function)).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in tree.body if isinstance(node, kinds) and node.name == function.__name__]


if __name__ == "__main__":
    FILE.write_text(signatures(), encoding="utf-8")

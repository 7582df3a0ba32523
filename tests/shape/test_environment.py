"""One module reads the environment: whoever needs a setting is given it."""

import ast

import pytest

from tests.shape.source import PACKAGE, nodes, python_files, shown, syntax_tree

READER = PACKAGE / "app" / "settings.py"
NAMES = {"environ", "environb", "getenv", "getenvb", "BaseSettings"}


def environment_readers(tree: ast.Module) -> list[str]:
    """The places where the environment is read, by whatever name it was imported."""
    found = []
    for node in nodes(tree):
        if isinstance(node, ast.Attribute) and node.attr in NAMES:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.lineno}: {alias.name}" for alias in node.names if alias.name in NAMES]
    return found


def test_only_the_settings_read_the_environment() -> None:
    """Everything else is told what it needs to know, so that a test can tell it something else."""
    problems = [
        f"{shown(path)}:{problem}"
        for path in python_files("src")
        if path != READER
        for problem in environment_readers(syntax_tree(path))
    ]
    assert not problems, "\n".join(problems)
    assert environment_readers(syntax_tree(READER))


@pytest.mark.parametrize(
    "source", ["import os\nos.environ['A']", "from os import getenv", "import os as o\no.getenv('A')"]
)
def test_the_rule_itself(source: str) -> None:
    """All the usual ways are seen."""
    assert environment_readers(ast.parse(source))

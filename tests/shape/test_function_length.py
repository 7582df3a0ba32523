"""A function fits one screen."""

import ast

from tests.shape.source import nodes, python_files, shown, syntax_tree

MOST_LINES = 60


def long_functions(tree: ast.Module) -> list[str]:
    """The functions above the limit, counted from `def` to the last line, docstring included."""
    return [
        f"{node.lineno}: {node.name} has {length} lines"
        for node in nodes(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MOST_LINES
    ]


def test_no_function_is_too_long() -> None:
    """Source, tests, benchmarks and examples alike."""
    problems = [f"{shown(path)}:{problem}" for path in python_files() for problem in long_functions(syntax_tree(path))]
    assert not problems, "\n".join(problems)


def test_the_rule_itself() -> None:
    """60 lines pass, 61 do not; async and nested functions count."""
    fits = ast.parse("def fits():\n" + "    x = 1\n" * 59)
    long = ast.parse("class Box:\n    async def long(self):\n" + "        x = 1\n" * 60)
    assert long_functions(fits) == []
    assert long_functions(long) == ["2: long has 61 lines"]

"""No exception disappears: who catches everything must do something about it."""

import ast
from typing import TypeGuard

import pytest

from tests.shape.source import called, nodes, python_files, shown, syntax_tree

CATCH_ALL = {"Exception", "BaseException"}


def does_nothing(statement: ast.stmt) -> bool:
    """Whether the statement leaves no trace of what was caught."""
    if isinstance(statement, ast.Pass | ast.Continue | ast.Break):
        return True
    if isinstance(statement, ast.Return):
        return statement.value is None or isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def names_catch_all(expression: ast.expr) -> bool:
    """Whether the expression names Exception or BaseException, alone or in a tuple."""
    return any(isinstance(node, ast.Name) and node.id in CATCH_ALL for node in ast.walk(expression))


def is_suppress(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether the node is a call of contextlib.suppress, under whatever name it was imported."""
    return isinstance(node, ast.Call) and called(node.func).endswith("suppress")


def swallowing(tree: ast.Module) -> list[str]:
    """The places where an exception of any kind is caught and forgotten."""
    found = []
    for node in nodes(tree):
        if isinstance(node, ast.ExceptHandler):
            if node.type is None:
                found.append(f"{node.lineno}: bare except")
            elif names_catch_all(node.type) and all(map(does_nothing, node.body)):
                found.append(f"{node.lineno}: everything is caught, nothing is done")
        elif is_suppress(node) and any(map(names_catch_all, node.args)):
            found.append(f"{node.lineno}: everything is suppressed")
    return found


def test_no_exception_is_swallowed() -> None:
    """Source, tests, benchmarks and examples alike."""
    problems = [f"{shown(path)}:{problem}" for path in python_files() for problem in swallowing(syntax_tree(path))]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    "handler",
    [
        "except:\n    log()",
        "except Exception:\n    pass",
        "except (ValueError, Exception):\n    ...",
        "except BaseException:\n    return None",
    ],
)
def test_the_rule_sees_a_swallowed_exception(handler: str) -> None:
    """Each of these forgets what happened."""
    body = f"try:\n    work()\n{handler}".replace("\n", "\n    ")
    assert swallowing(ast.parse(f"def run():\n    {body}"))


def test_the_rule_sees_a_suppressed_exception() -> None:
    """A context manager can swallow as well."""
    assert swallowing(ast.parse("with contextlib.suppress(Exception):\n    work()"))


@pytest.mark.parametrize("handler", ["except Exception as error:\n    report(error)", "except KeyError:\n    pass"])
def test_the_rule_allows_handling(handler: str) -> None:
    """Turning an exception into a value, or ignoring one that is named, is no swallowing."""
    assert not swallowing(ast.parse(f"try:\n    work()\n{handler}"))

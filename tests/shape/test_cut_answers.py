"""An answer that was cut by its length is never taken for a whole one: whoever asks a model looks at how it ended."""

import ast

import pytest

from tests.shape.source import PACKAGE, nodes, python_files, syntax_tree

ASKERS = {"model", "llm_client", "self.model", "run.model"}
STRICT = {
    "kernel/compaction.py": "a summary is one JSON object with eight keys; cut, it does not parse",
    "agents/jobs/reading/__init__.py": "an answer is one JSON object under a schema; cut, it does not parse",
    "agents/pages/tools/design.py": "an answer is one JSON object under a schema; cut, it does not parse",
}
"""Files that need not look, and why."""


def asks(tree: ast.Module) -> bool:
    """Whether a model is asked here, directly."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "complete"
        and (ast.unparse(node.func.value) in ASKERS or ast.unparse(node.func.value).endswith((".llm_client", ".model")))
        for node in nodes(tree)
    )


def looks(tree: ast.Module) -> bool:
    """Whether it is looked at how an answer ended."""
    return any(isinstance(node, ast.Attribute) and node.attr == "finish_reason" for node in nodes(tree))


def test_whoever_asks_looks_how_the_answer_ended() -> None:
    """The files with a reason of their own need it."""
    blind = {
        path.relative_to(PACKAGE).as_posix()
        for path in python_files("src")
        if asks(tree := syntax_tree(path)) and not looks(tree)
    }
    assert blind == set(STRICT)


@pytest.mark.parametrize(
    "source",
    ["await ctx.llm_client.complete(r)", "x = model.complete(r)", "run.interruptibly(run.model.complete(r, s))"],
)
def test_the_rule_itself(source: str) -> None:
    """The usual ways are seen."""
    tree = ast.parse(f"async def f():\n    {source}")
    assert asks(tree)
    assert not looks(tree)
    assert looks(ast.parse("if response.finish_reason == 'length': pass"))
    assert not asks(ast.parse("speech.complete(answer)"))

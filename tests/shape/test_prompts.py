"""Every prompt is used and fits its variables; every tool has its description, and every description its tool."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from loopwright.kernel.prompts import VARIABLE
from tests.shape.source import PACKAGE, nodes, python_files, syntax_tree

BRACES = re.compile(r"\{\{[^{}]*\}\}")


def prompt_files(package: Path) -> dict[str, Path]:
    """The packaged prompts by the name that the code asks for, `agent/name`."""
    folders = sorted(folder for folder in package.rglob("prompts") if folder.is_dir())
    return {f"{folder.parent.name}/{path.stem}": path for folder in folders for path in sorted(folder.glob("*.md"))}


def literals(trees: Iterable[ast.Module]) -> set[str]:
    """Every string and every keyword of the code: what a prompt's name or variable can be given by."""
    everything = [node for tree in trees for node in nodes(tree)]
    strings = {node.value for node in everything if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return strings | {node.arg for node in everything if isinstance(node, ast.keyword) and node.arg}


def prompt_problems(name: str, text: str, known: set[str]) -> list[str]:
    """What is wrong with a prompt, given the literals of the code."""
    problems = [] if name in known else [f"{name} is used nowhere"]
    problems += [f"{name}: {{{{{variable}}}}} is filled nowhere" for variable in set(VARIABLE.findall(text)) - known]
    return problems + [
        f"{name}: {found} is no variable" for found in BRACES.findall(text) if not VARIABLE.fullmatch(found)
    ]


def call_problems(tree: ast.Module, texts: dict[str, str]) -> list[str]:
    """The calls `render("agent/name", …)` that name no prompt or do not fit its variables."""
    problems = []
    for node in nodes(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "render"):
            continue
        name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if not isinstance(name, str) or any(keyword.arg is None for keyword in node.keywords):
            continue
        given = {keyword.arg for keyword in node.keywords}
        if name not in texts:
            problems.append(f"{node.lineno}: there is no prompt {name!r}")
        elif given != set(VARIABLE.findall(texts[name])):
            problems.append(f"{node.lineno}: {name} is given {sorted(map(str, given))}")
    return problems


def tool_names(tree: ast.Module) -> set[str]:
    """The names of the tools that a module defines: `name = "…"` in the body of a class."""
    found = set()
    for node in nodes(tree):
        for statement in node.body if isinstance(node, ast.ClassDef) else ():
            if not isinstance(statement, ast.Assign | ast.AnnAssign) or not isinstance(statement.value, ast.Constant):
                continue
            target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
            if ast.unparse(target) == "name":
                found.add(str(statement.value.value))
    return found


def test_every_prompt_is_used_and_filled() -> None:
    """No orphan, no variable that nothing fills, no braces that are no variable."""
    known = literals(map(syntax_tree, python_files("src")))
    prompts = prompt_files(PACKAGE)
    assert prompts
    problems = [p for name, path in prompts.items() for p in prompt_problems(name, path.read_text("utf-8"), known)]
    assert not problems, "\n".join(problems)


def test_every_call_fits_its_prompt() -> None:
    """What the code gives is what the prompt takes, wherever both are plain to see."""
    texts = {name: path.read_text(encoding="utf-8") for name, path in prompt_files(PACKAGE).items()}
    problems = [
        f"{path.name}:{problem}" for path in python_files("src") for problem in call_problems(syntax_tree(path), texts)
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("folder", sorted(PACKAGE.glob("agents/*/tools")), ids=lambda path: path.parent.name)
def test_tools_and_descriptions_belong_together(folder: Path) -> None:
    """`name.md` beside the tool named so; a description has no variables."""
    described = {path.stem: path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
    defined = {name for path in folder.rglob("*.py") for name in tool_names(syntax_tree(path))}
    assert set(described) == defined
    assert not [name for name, text in described.items() if not text.strip() or BRACES.search(text)]


def test_the_rule_itself() -> None:
    """Orphans, unfilled variables, stray braces and calls that do not fit are found."""
    known = literals([ast.parse('prompts.render("pages/system", brief=text)')])
    assert prompt_problems("pages/system", "Do {{brief}}.", known) == []
    assert prompt_problems("pages/other", "Do.", known) == ["pages/other is used nowhere"]
    assert prompt_problems("pages/system", "{{tone}}", known) == ["pages/system: {{tone}} is filled nowhere"]
    assert prompt_problems("pages/system", "{{Tone}}", known) == ["pages/system: {{Tone}} is no variable"]
    texts = {"pages/system": "Do {{brief}} in {{tone}}."}
    assert call_problems(ast.parse('p.render("pages/system", brief=b, tone=t)'), texts) == []
    assert call_problems(ast.parse('p.render("pages/system", brief=b)'), texts) == [
        "1: pages/system is given ['brief']"
    ]
    assert call_problems(ast.parse('p.render("pages/gone")'), texts) == ["1: there is no prompt 'pages/gone'"]
    assert tool_names(ast.parse('class T:\n    name: ClassVar[str] = "write"\n    effect = "once"')) == {"write"}

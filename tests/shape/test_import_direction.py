"""Imports point only down, and agents stand beside each other without touching."""

import ast

import pytest

from tests.shape.source import PACKAGE, module_name, python_files, shown, syntax_tree

LOWER_FLOORS = {
    "kernel": set(),
    "engine": {"kernel"},
    "stores": {"engine", "kernel"},
    "models": {"stores", "engine", "kernel"},
    "agents": {"engine", "kernel"},
    "app": {"agents", "models", "stores", "engine", "kernel"},
    "server": {"app", "agents", "models", "stores", "engine", "kernel"},
    "web": {"app", "agents", "models", "stores", "engine", "kernel"},
    "cli": {"app", "agents", "models", "stores", "engine", "kernel"},
    "__main__": {"cli"},
}


def imported_names(tree: ast.Module) -> list[tuple[int, str]]:
    """Each imported dotted name with its line, wherever the import stands: in functions and under TYPE_CHECKING too."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.lineno, f"{'.' * node.level}{node.module or ''}.{alias.name}") for alias in node.names]
        elif (
            isinstance(node, ast.Call)
            and node.args
            and ast.unparse(node.func).endswith(("import_module", "__import__"))
        ):
            target = node.args[0]
            if isinstance(target, ast.Constant) and isinstance(target.value, str):
                found.append((node.lineno, target.value))
    return found


def problem(module: str, imported: str) -> str | None:
    """Why `module` may not import `imported`, or None when it may."""
    if imported.startswith("."):
        return "relative imports hide the floor they lead to"
    here, there = module.split("."), imported.split(".")
    if there[0] != "loopwright" or len(there) == 1:
        return None
    floor = here[1] if len(here) > 1 else ""
    if there[1] == floor:
        if floor == "agents" and here[2:3] != there[2:3]:
            return "agents never import each other"
        return None
    if there[1] in LOWER_FLOORS and there[1] not in LOWER_FLOORS.get(floor, set()):
        return f"{floor or 'the package itself'} may not know {there[1]}"
    return None


def test_imports_point_only_down() -> None:
    """Every import of the package obeys the table above."""
    problems = [
        f"{shown(path)}:{line}: {imported}: {why}"
        for path in python_files("src")
        for line, imported in imported_names(syntax_tree(path))
        if (why := problem(module_name(path), imported))
    ]
    assert not problems, "\n".join(problems)


def test_every_folder_has_a_floor() -> None:
    """A folder that the table does not know would be free of every rule."""
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders <= set(LOWER_FLOORS)


@pytest.mark.parametrize(
    ("module", "source", "allowed"),
    [
        ("loopwright.kernel.loop", "from loopwright.stores import journal", False),
        ("loopwright.kernel.loop", "def later():\n    import loopwright.models.client", False),
        ("loopwright.kernel.loop", "if TYPE_CHECKING:\n    from loopwright import app", False),
        ("loopwright.kernel.loop", "importlib.import_module('loopwright.engine.local')", False),
        ("loopwright.kernel.loop", "from ..stores import journal", False),
        ("loopwright.kernel.loop", "from loopwright.kernel.step import step", True),
        ("loopwright.agents.pages.spec", "from loopwright.agents.ide import spec", False),
        ("loopwright.agents.pages.spec", "from loopwright.models import client", False),
        ("loopwright.agents.pages.spec", "from loopwright.agents.pages.contracts import Page", True),
        ("loopwright.agents.pages.spec", "from loopwright.kernel.spec import AgentSpec", True),
        ("loopwright.cli.serve", "import loopwright.server.application", False),
        ("loopwright.server.chat", "from loopwright.app import runs", True),
        ("loopwright", "from loopwright.cli import main", False),
    ],
)
def test_the_rule_itself(module: str, source: str, allowed: bool) -> None:
    """The rule tells forbidden imports from allowed ones."""
    problems = [why for _, name in imported_names(ast.parse(source)) if (why := problem(module, name))]
    assert bool(problems) is not allowed

"""Imports point only down, and agents stand beside each other without touching."""

import ast

import pytest

from tests.shape.source import PACKAGE, called, module_name, nodes, python_files, shown, syntax_tree

LAYERS = ("kernel", "engine", "stores", "models", "mcp_sdk", "app")
"""The layers that everybody's code consists of, the lowest first; none of them knows an agent."""

EDGES = {
    "server": LAYERS,
    "cli": (*LAYERS, "api", "evals"),
    "api": LAYERS,
    "evals": LAYERS,
    "testing": ("kernel",),
    "kits": ("kernel",),
    "": ("api", "kernel"),
    "__main__": ("cli",),
}
"""What stands on all layers; edges never know each other, but for commands over `api` and `evals`."""

PARTS_OF_AGENTS = {
    "store": ("kernel", "engine", "kits", "stores"),
    "settings": (*LAYERS, "kits"),
    "services": (*LAYERS, "kits"),
    "usecases": (*LAYERS, "kits"),
    "routes": (*LAYERS, "kits", "server"),
    "commands": (*LAYERS, "kits", "cli"),
}
"""What the parts of an agent's package may know that are not the agent itself; that knows the kernel and the kits."""

OF_THE_AGENT = ("kernel", "engine", "kits")
TOP = (*LAYERS, *EDGES, "kits", "agents")


def imported_names(tree: ast.Module) -> list[tuple[int, str]]:
    """Each imported dotted name with its line, wherever the import stands: in functions and under TYPE_CHECKING too."""
    found = []
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.lineno, f"{'.' * node.level}{node.module or ''}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Call) and node.args and called(node.func) in ("import_module", "__import__"):
            target = node.args[0]
            if isinstance(target, ast.Constant) and isinstance(target.value, str):
                found.append((node.lineno, target.value))
    return found


def problem(module: str, imported: str) -> str | None:
    """Why `module` may not import `imported`, or None when it may."""
    if imported.startswith("."):
        return "relative imports hide the layer they lead to"
    here, there = [*module.split("."), "", "", ""], [*imported.split("."), "", "", ""]
    if there[0] != "loopwright" or there[1] not in TOP:
        return None
    if here[1] == "agents":
        return _problem_of_agent(here, there)
    if there[1] == "agents":
        return "only an agent's package knows the agent"
    allowed = LAYERS[: LAYERS.index(here[1])] if here[1] in LAYERS else EDGES.get(here[1], ())
    return None if there[1] in (here[1], *allowed) else f"{here[1] or 'the package itself'} may not know {there[1]}"


def _problem_of_agent(here: list[str], there: list[str]) -> str | None:
    part = PARTS_OF_AGENTS.get(here[3])
    if there[1] != "agents":
        return None if there[1] in (part or OF_THE_AGENT) else f"{here[3] or 'an agent'} may not know {there[1]}"
    if here[2] != there[2]:
        return "agents never import each other"
    if part is None and there[3] in PARTS_OF_AGENTS:
        return f"an agent does not know its {there[3]}"
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


def test_every_folder_has_a_layer() -> None:
    """A folder that the table does not know would be free of every rule."""
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders <= set(TOP)


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
        ("loopwright.agents.pages.spec", "from loopwright.agents.pages.store.pages import SqlPages", False),
        ("loopwright.agents.pages.usecases.live_pages", "from loopwright.app.loopwright import Loopwright", True),
        ("loopwright.agents.pages.usecases.live_pages", "from loopwright.server import streams", False),
        ("loopwright.agents.pages.routes.pages", "from loopwright.server import streams", True),
        ("loopwright.agents.pages.commands.history", "from loopwright.agents.pages.usecases import files", True),
        ("loopwright.app.loopwright", "from loopwright.agents.pages.spec import AGENT", False),
        ("loopwright.cli.serve", "import loopwright.server.application", False),
        ("loopwright.server.chat", "from loopwright.app import runs", True),
        ("loopwright", "from loopwright.cli import main", False),
        ("loopwright.kits.history.history", "from loopwright.kernel.files import exclusive_lock", True),
        ("loopwright.kits.history.history", "from loopwright.stores.database import Database", False),
        ("loopwright.kits.history.history", "from loopwright.agents.ide.spec import AGENT", False),
        ("loopwright.agents.ide.project", "from loopwright.kits.history.history import ChangeHistory", True),
        ("loopwright.kernel.loop", "from loopwright.kits.history import history", False),
        ("loopwright.app.runs", "from loopwright.kits.history import history", False),
    ],
)
def test_the_rule_itself(module: str, source: str, allowed: bool) -> None:
    """The rule tells forbidden imports from allowed ones."""
    problems = [why for _, name in imported_names(ast.parse(source)) if (why := problem(module, name))]
    assert bool(problems) is not allowed

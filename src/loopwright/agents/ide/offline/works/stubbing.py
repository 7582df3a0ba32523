"""A stub test for a Python function: what its signature tells is checked, the values are left to who knows them."""

import ast
import textwrap
from dataclasses import dataclass

from loopwright.agents.ide.offline.commands import unittest_command
from loopwright.agents.ide.offline.layout import Definition, definitions, listing, read
from loopwright.agents.ide.offline.modules import module_of
from loopwright.agents.ide.offline.script import Outcome, Script, Work, one
from loopwright.agents.ide.offline.wish import Plan
from loopwright.agents.ide.offline.works.testing import told

FUNCTIONS = ("function", "method")


@dataclass(frozen=True)
class StubTest:
    """Write a stub test for a function or a method."""

    name: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"write a stub test for {self.name}"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"the definition of {self.name}, and where the project keeps its tests",
            risk="rules do not know which values are right, so the stub tests the signature only",
            done_when="the test file is written and the test has been run",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find the function, write the file, run it."""
        wanted = self.name.rpartition(".")[2]
        found = yield from one("index_search_symbols", query=wanted, limit=10)
        exact = [each for each in definitions(found) if each.name == wanted and each.kind in FUNCTIONS]
        exact = [each for each in exact if each.path.endswith(".py") and each.qualified.endswith(self.name)]
        if len(exact) != 1:
            places = f" in {len(exact)} places: {', '.join(each.place for each in exact[:5])}" if exact else " nowhere"
            return Outcome(f"{self.name} is defined as a Python function{places}; no test was written.", (self.aim,))
        function = exact[0]
        files = yield from listing(8)
        text = yield from _stub(function, module_of(function.path, files))
        if text is None:
            return Outcome(f"The signature at {function.place} could not be read.", (self.aim,))
        path = _free_path(function, files)
        if path is None:
            return Outcome(f"There is a stub test for {self.name} already.", (self.aim,))
        if "create_file" not in offered:
            return Outcome(f"{path} was not written: here the project can only be read.\n{text}", (self.aim,))
        done = yield from one("create_file", path=path, content=text)
        if done.failed:
            return Outcome(f"{path} was not written: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        command = unittest_command(files, path)
        run = told(command, (yield from one("run_command", command=command, timeout_seconds=120)), self.aim)
        words = (
            f"Wrote {path}. It checks that {self.name} takes its parameters; the values that are right are not known"
        )
        return Outcome(f"{words} to rules.\n{run.words}", run.missing)


def _stub(function: Definition, module: str) -> Script[str | None]:
    lines = yield from read(function.path, function.first, function.last)
    try:
        tree = ast.parse(textwrap.dedent(lines.text if lines is not None else ""))
    except SyntaxError:
        return None
    node = tree.body[0] if tree.body else None
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    arguments = node.args
    plain = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    names = [*plain, *([arguments.vararg.arg] if arguments.vararg else [])]
    names += [each.arg for each in arguments.kwonlyargs] + ([arguments.kwarg.arg] if arguments.kwarg else [])
    outer = function.container.partition(".")[0]
    decorated = {ast.unparse(each) for each in node.decorator_list}
    if "classmethod" in decorated:
        names = names[1:]
    title = "".join(part.capitalize() for part in function.name.strip("_").split("_")) or "Function"
    return (
        f'"""Tests of `{function.qualified}`."""\n\n'
        "import inspect\nimport unittest\n\n"
        f"from {module} import {outer or function.name}\n\n\n"
        f"class {title}Test(unittest.TestCase):\n"
        f'    """The signature is checked; add what `{function.qualified}` gives for values that you know."""\n\n'
        "    def test_takes_its_parameters(self) -> None:\n"
        f"        parameters = inspect.signature({function.qualified}).parameters\n"
        f"        self.assertEqual(list(parameters), {names!r})\n"
    ).replace("'", '"')


def _free_path(function: Definition, files: list[str]) -> str | None:
    """Where the tests are, under a name that is not taken."""
    stem = function.path.rpartition("/")[2].removesuffix(".py")
    folder = next((f"{name}/" for name in ("tests", "test") if any(path.startswith(f"{name}/") for path in files)), "")
    names = (
        (f"test_{stem}.py", f"test_{stem}_{function.name}.py") if stem != "__init__" else (f"test_{function.name}.py",)
    )
    return next((folder + name for name in names if folder + name not in files), None)

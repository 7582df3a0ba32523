"""Running the project's tests, and saying what failed where."""

import ast
import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.agents.ide.offline.layout import (
    PYTHON_TEST,
    Configuration,
    Excerpt,
    ShownDefinition,
    command_of_tests,
    configuration,
    definitions,
    exit_code,
    hits,
    listing,
    output,
    read,
    unittest_command,
    was_run,
)
from loopwright.agents.ide.offline.runner_output import RunnerOutput, read_runner_output
from loopwright.agents.ide.offline.script import Outcome, TaskPlan, Work, module_of
from loopwright.kits.dialogue import Result, Script, call, one

# Explaining a repository: its purpose, languages, entry points, structure, and how its tests are run.

LANGUAGES = {
    "py": "Python", "pyi": "Python", "js": "JavaScript", "jsx": "JavaScript", "mjs": "JavaScript", "cjs": "JavaScript",
    "ts": "TypeScript", "tsx": "TypeScript", "go": "Go", "rs": "Rust", "java": "Java", "swift": "Swift", "rb": "Ruby",
    "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "cxx": "C++", "hpp": "C++", "cs": "C#", "kt": "Kotlin", "php": "PHP",
    "sh": "Shell", "sql": "SQL", "html": "HTML", "css": "CSS", "scala": "Scala", "lua": "Lua", "dart": "Dart",
}  # fmt: skip
MAIN_FILES = re.compile(r"(?:^|/)(?:__main__\.py|main\.(?:go|rs|py|ts|js|c|cpp|swift)|manage\.py|index\.[jt]sx?)$")
README = re.compile(r"^readme(?:\.\w+)?$", re.IGNORECASE)
NO_PROSE = re.compile(r"^(?:#|=|-{3}|\*{3}|!\[|\[!|\[.*\]:|<|\||```|\.\. )")
LONGEST_PURPOSE = 500
MOST_FOLDERS, MOST_ENTRY_POINTS = 12, 12


@dataclass(frozen=True)
class Overview:
    """Explain the project; `only` limits the answer to one of its parts."""

    only: str = ""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"explain the project{f': its {self.only}' if self.only else ''}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="the list of files, the README, the configuration files, the entry points",
            risk="what the README says may be older than the code",
            done_when="the files that tell it have been read",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Read what a newcomer reads first."""
        found = yield from configuration()
        readme = next((path for path in found.files if README.match(path)), None)
        text = (yield from read(readme, 1, 80)) if readme else None
        mains = yield from one(call("index_search_regex", pattern=r"^if __name__ == ['\"]__main__['\"]", glob="*.py"))
        parts = {
            "purpose": _purpose(found, text),
            "languages": _languages(found.files),
            "entry points": _entry_points(found, mains),
            "structure": _structure(found.files),
            "tests": _tests(found),
        }
        chosen = {self.only: parts[self.only]} if self.only in parts else parts
        return Outcome("\n\n".join(part for part in chosen.values() if part) or "The project has no files yet.")


def _purpose(found: Configuration, readme: Excerpt | None) -> str:
    project = found.pyproject.get("project") or {}
    name = project.get("name") or found.package.get("name") or ""
    told = project.get("description") or found.package.get("description") or ""
    prose = _first_paragraph(readme) if readme is not None else ""
    lines = [f"{name}: {told}" if name and told else str(name or told)]
    lines += [f"{readme.path} says: {prose}"] if readme is not None and prose else []
    return "\n".join(line for line in lines if line)


def _first_paragraph(readme: Excerpt) -> str:
    for paragraph in re.split(r"\n\s*\n", readme.text):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        prose = [line for line in lines if not NO_PROSE.match(line)]
        if prose and len(prose) == len(lines):
            return " ".join(prose)[:LONGEST_PURPOSE]
    return ""


def _languages(files: Sequence[str]) -> str:
    counts = Counter(LANGUAGES[suffix] for path in files if (suffix := path.rpartition(".")[2].lower()) in LANGUAGES)
    if not counts:
        return ""
    told = ", ".join(f"{language} ({count} file{'s' if count > 1 else ''})" for language, count in counts.most_common())
    return f"Languages: {told}."


def _entry_points(found: Configuration, mains: Result) -> str:
    points = list(_declared(found))
    points += [path for path in found.files if MAIN_FILES.search(path)]
    points += [f"{hit.path}:{hit.line}" for hit in hits(mains)]
    unique = list(dict.fromkeys(points))[:MOST_ENTRY_POINTS]
    return "\n".join(["Entry points:", *(f"- {point}" for point in unique)]) if unique else ""


def _declared(found: Configuration) -> Iterator[str]:
    project = found.pyproject.get("project") or {}
    for name, target in (project.get("scripts") or {}).items():
        yield f"command {name} → {target}"
    package = found.package
    commands = package.get("bin")
    for name, target in (commands if isinstance(commands, dict) else {}).items():
        yield f"command {name} → {target}"
    if isinstance(package.get("main"), str):
        yield f"{package['main']} (main of package.json)"
    for name, script in found.scripts.items():
        yield f"npm run {name} → {script}"


def _structure(files: Sequence[str]) -> str:
    counts = Counter(path.partition("/")[0] for path in files if "/" in path)
    if not counts:
        return ""
    lines = [f"- {folder}/ ({count} entr{'ies' if count > 1 else 'y'})" for folder, count in counts.most_common()]
    single = sorted(path for path in files if "/" not in path)
    tail = [f"- in the root: {', '.join(single[:20])}"] if single else []
    return "\n".join(["Structure:", *lines[:MOST_FOLDERS], *tail])


def _tests(found: Configuration) -> str:
    command = command_of_tests(found)
    files = [path for path in found.files if PYTHON_TEST.search(path) or re.search(r"[._](?:test|spec)\.\w+$", path)]
    where = f" Test files: {', '.join(files[:8])}{' and others' if len(files) > 8 else ''}." if files else ""
    return (f"Tests are run with “{command}”.{where}") if command else f"Nothing tells how tests are run.{where}"


NO_TESTS_COLLECTED = 5
"""pytest's exit code."""
SHOWN_LINES = 15


@dataclass(frozen=True)
class RunTests:
    """Run the tests: all, those of a path, or a command that the user has written out."""

    path: str = ""
    command: str = ""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"run {self.command or 'the tests'}{f' in {self.path}' if self.path else ''}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        given = "the command as it was given"
        return TaskPlan(
            research=given if self.command else "the configuration files that tell how tests are run",
            risk="the command could be missing on this machine, or need the network that the sandbox does not have",
            done_when="the command has ended and its exit code is known",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find the command, run it, read its output."""
        found = None if self.command else (yield from configuration())
        command = self.command or _of_path(found, self.path)
        if command is None:
            return Outcome("Nothing in the project tells how its tests are run.", (self.aim,))
        if "run_command" not in offered:
            return Outcome(f"The tests are run with “{command}”. It was not run: nothing can be run here.", (self.aim,))
        result = yield from one(call("run_command", command=command))
        missing = "No module named pytest" in result.text and found is not None
        if missing and found is not None:
            command = unittest_command(found.files, self.path)
            result = yield from one(call("run_command", command=command))
        return told(command, result, self.aim, pytest_is_missing=missing)


@dataclass(frozen=True)
class FixTests:
    """Fix what fails: rules can only run the tests, and say that nothing is to be fixed or who could do it."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return "fix the failing tests"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return RunTests().plan

    def work(self, offered: frozenset[str]) -> Work:
        """Run them first."""
        run = yield from RunTests().work(offered)
        if run.missing or "exit code 0: " in run.words:
            told = "" if run.missing else " None failed, so nothing was changed."
            return Outcome(f"{run.words}{told}", run.missing)
        words = f"{run.words}\nTo fix this needs a language model; nothing was changed."
        return Outcome(words, (self.aim,))


def _of_path(found: Configuration | None, path: str) -> str | None:
    """The command for all tests, or for those of a path where the runner can be told so."""
    command = command_of_tests(found) if found is not None else None
    if found is None or command is None or not path:
        return command
    if "unittest" in command:
        return unittest_command(found.files, path)
    return f"{command} {shlex.quote(path)}" if "pytest" in command else command


def told(command: str, result: Result, aim: str, *, pytest_is_missing: bool = False) -> Outcome:
    """What a command's result says, as words; missing where it did not run to its end, or ran no test."""
    if not was_run(result):
        return Outcome(f"“{command}” was not run: {result.first_line}", (f"{aim}: {result.first_line}",))
    code, text = exit_code(result), output(result)
    if code is None:
        return Outcome(f"“{command}” was stopped: {result.first_line}\n{_end(text)}", (f"{aim}: it was stopped",))
    found = read_runner_output(text)
    if found is None:
        ending = "ended without an error" if code == 0 else f"failed with exit code {code}"
        return Outcome(f"“{command}” {ending}. Its last lines:\n{_end(text)}", () if code != 127 else (aim,))
    if not found.failed and not found.passed and code in (0, NO_TESTS_COLLECTED):
        why = " pytest is not installed for this project, nor in your shell." if pytest_is_missing else ""
        return Outcome(
            f"“{command}” ran no test, so nothing is known about the code.{why}", (f"{aim}: no test was run",)
        )
    return Outcome(_summary(command, code, found))


def _summary(command: str, code: int, found: RunnerOutput) -> str:
    passed = f", {found.passed} passed" if found.passed is not None else ""
    if code == 0:
        counted = f"{found.passed} passed, 0 failed" if found.passed else "it does not tell how many tests passed"
        return f"“{command}” ended with exit code 0: {counted}."
    lines = [f"“{command}” failed (exit code {code}): {found.failed} failed{passed}."]
    for each in found.failures:
        place = f" at {each.place}" if each.place else ""
        lines.append(f"- {each.name}{place}{f': {each.message}' if each.message else ''}")
    return "\n".join(lines)


def _end(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-SHOWN_LINES:])


# A stub test for a Python function: what its signature tells is checked, the values are left to who knows them.

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
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"the definition of {self.name}, and where the project keeps its tests",
            risk="rules do not know which values are right, so the stub tests the signature only",
            done_when="the test file is written and the test has been run",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find the function, write the file, run it."""
        wanted = self.name.rpartition(".")[2]
        found = yield from one(call("index_search_symbols", query=wanted))
        exact = [each for each in definitions(found) if each.name == wanted and each.kind in FUNCTIONS]
        exact = [each for each in exact if each.path.endswith(".py") and each.qualified.endswith(self.name)]
        if len(exact) != 1:
            places = f" in {len(exact)} places: {', '.join(each.place for each in exact[:5])}" if exact else " nowhere"
            return Outcome(f"{self.name} is defined as a Python function{places}; no test was written.", (self.aim,))
        function = exact[0]
        files = yield from listing()
        text = yield from _stub(function, module_of(function.path, files))
        if text is None:
            return Outcome(f"The signature at {function.place} could not be read.", (self.aim,))
        path = _free_path(function, files)
        if path is None:
            return Outcome(f"There is a stub test for {self.name} already.", (self.aim,))
        if "create_file" not in offered:
            return Outcome(f"{path} was not written: here the project can only be read.\n{text}", (self.aim,))
        done = yield from one(call("create_file", path=path, content=text))
        if done.failed:
            return Outcome(f"{path} was not written: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        command = unittest_command(files, path)
        run = told(command, (yield from one(call("run_command", command=command))), self.aim)
        words = (
            f"Wrote {path}. It checks that {self.name} takes its parameters; the values that are right are not known"
        )
        return Outcome(f"{words} to rules.\n{run.words}", run.missing)


def _stub(function: ShownDefinition, module: str) -> Script[str | None]:
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


def _free_path(function: ShownDefinition, files: list[str]) -> str | None:
    """Where the tests are, under a name that is not taken."""
    stem = function.path.rpartition("/")[2].removesuffix(".py")
    folder = next((f"{name}/" for name in ("tests", "test") if any(path.startswith(f"{name}/") for path in files)), "")
    names = (
        (f"test_{stem}.py", f"test_{stem}_{function.name}.py") if stem != "__init__" else (f"test_{function.name}.py",)
    )
    return next((folder + name for name in names if folder + name not in files), None)

"""What tool results say, read back: listings, files, symbols, hits, commands."""

import json
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.kits.dialogue import Call, Result, Script, call, one

SYMBOL = re.compile(r"^(?P<path>.+?):(?P<first>\d+)-(?P<last>\d+) (?P<kind>\w+) (?P<name>\S+)(?:  (?P<signature>.*))?$")
USE = re.compile(r"^(?P<path>.+):(?P<line>\d+):(?P<column>\d+)$")
HIT = re.compile(r"^(?P<path>.+?):(?P<line>\d+): (?P<text>.*)$")
LINE = re.compile(r"^(\d+)\t(.*)$")
EXIT = re.compile(r"^\[exit code (-?\d+),")
MORE_LINES = re.compile(r"\n\(lines \d+-\d+ of (\d+); index_read_lines gives others\)$")
LAST_LINE = 1_000_000
"""More lines than a file has."""
MOST_SHOWN = 40
"""Places that an answer lists."""


@dataclass(frozen=True)
class ShownDefinition:
    """A definition as `index_search_symbols` shows it; lines count from 1, the last one included."""

    path: str
    first: int
    last: int
    kind: str
    qualified: str
    signature: str

    @property
    def name(self) -> str:
        """Without what it stands in."""
        return self.qualified.rpartition(".")[2]

    @property
    def container(self) -> str:
        """The class or module that it stands in."""
        return self.qualified.rpartition(".")[0]

    @property
    def place(self) -> str:
        """Path and line."""
        return f"{self.path}:{self.first}"


@dataclass(frozen=True)
class Location:
    """Path and line, with the column or the text where it is known."""

    path: str
    line: int
    column: int = 0
    text: str = ""


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file by their numbers; `whole` says whether the file has no others."""

    path: str
    lines: dict[int, str]
    whole: bool

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "".join(f"{line}\n" for line in self.lines.values())


def definitions(result: Result) -> list[ShownDefinition]:
    """The definitions of a symbol search."""
    found = map(SYMBOL.match, result.text.splitlines())
    return [
        ShownDefinition(m["path"], int(m["first"]), int(m["last"]), m["kind"], m["name"], m["signature"] or "")
        for m in found
        if m
    ]


def uses(result: Result) -> list[Location]:
    """The uses of a name, as far as they are shown."""
    found = map(USE.match, result.text.splitlines())
    return [Location(m["path"], int(m["line"]), int(m["column"])) for m in found if m]


def hits(result: Result) -> list[Location]:
    """The lines of a text search."""
    if result.failed or result.text.startswith("The search gave no line "):
        return []
    found = (HIT.match(line) for line in result.text.splitlines())
    return [Location(m["path"], int(m["line"]), text=m["text"]) for m in found if m]


def entries(result: Result) -> list[str]:
    """The entries of a listing or of a search for files."""
    if result.failed or result.text.startswith(("No file matches ", "(empty)")):
        return []
    return [line for line in result.text.splitlines() if line and not line.startswith(("… and ", "(the first "))]


def excerpt(path: str, result: Result, first: int = 1) -> Excerpt | None:
    """The lines that were read of a file, or None where it could not be read."""
    if result.failed:
        return None
    found = (LINE.match(line) for line in result.text.split("\n"))
    lines = {int(m[1]): m[2] for m in found if m}
    return Excerpt(path, lines, whole=first == 1 and not MORE_LINES.search(result.text))


def exit_code(result: Result) -> int | None:
    """How a command ended, or None where it did not run or was stopped."""
    found = EXIT.match(result.text.removeprefix("Error:").strip())
    return int(found[1]) if found else None


def was_run(result: Result) -> bool:
    """Whether a command was started at all."""
    return result.text.removeprefix("Error:").strip().startswith(("[exit code ", "[stopped: "))


def output(result: Result) -> str:
    """What a command has written."""
    return result.text.partition("\n")[2]


def read(path: str, first: int = 1, last: int | None = None) -> Script[Excerpt | None]:
    """Read lines of a file."""
    (found,) = yield (reading(path, first, last),)
    return excerpt(path, found, first)


def reading(path: str, first: int = 1, last: int | None = None) -> Call:
    """The call that reads lines of a file."""
    if first == 1 and last is None:
        return call("index_read_file", path=path)
    return call("index_read_lines", path=path, start_line=first, end_line=last if last is not None else LAST_LINE)


def read_all(paths: Sequence[str], last: int) -> Script[dict[str, Excerpt]]:
    """Read the beginnings of several files at once; those that cannot be read are left out."""
    if not paths:
        return {}
    results = yield tuple(reading(path, 1, last) for path in paths)
    found = {path: excerpt(path, result) for path, result in zip(paths, results, strict=True)}
    return {path: lines for path, lines in found.items() if lines is not None}


def listing() -> Script[list[str]]:
    """The project's files, folders that lie deeper with a slash."""
    return entries((yield from one(call("index_list_files", folder="."))))


# Which commands a project is tested, formatted and linted with, by its own files.

CONFIGURATIONS = ("pyproject.toml", "package.json", "setup.cfg", "tox.ini", "Makefile", "go.mod", "Cargo.toml")
MOST_LINES = 250
TARGET = re.compile(r"^([A-Za-z][\w.-]*)\s*:(?!=)")
PYTHON_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")


@dataclass(frozen=True)
class Configuration:
    """The project's files and what its configuration says."""

    files: tuple[str, ...]
    texts: Mapping[str, Excerpt]

    @property
    def root_files(self) -> frozenset[str]:
        """What lies in the root itself."""
        return frozenset(path.partition("/")[0] for path in self.files)

    @property
    def pyproject(self) -> Mapping[str, Any]:
        """`pyproject.toml`; empty where it is not there or cannot be read."""
        try:
            return tomllib.loads(self._text("pyproject.toml"))
        except tomllib.TOMLDecodeError:
            return {}  # half a file, or a broken one: nothing is configured as far as can be known

    @property
    def package(self) -> Mapping[str, Any]:
        """`package.json`; empty where it is not there or cannot be read."""
        try:
            found = json.loads(self._text("package.json") or "{}")
        except ValueError:
            return {}  # as above
        return found if isinstance(found, dict) else {}

    @property
    def scripts(self) -> Mapping[str, Any]:
        """The scripts of `package.json`."""
        return _table(self.package.get("scripts"))

    @property
    def tools(self) -> Mapping[str, Any]:
        """The tools that `pyproject.toml` configures."""
        return _table(self.pyproject.get("tool"))

    @property
    def make_targets(self) -> Sequence[str]:
        """The targets of the Makefile."""
        found = (TARGET.match(line) for line in self._text("Makefile").splitlines())
        return [match[1] for match in found if match]

    def _text(self, name: str) -> str:
        return self.texts[name].text if name in self.texts else ""


def configuration() -> Script[Configuration]:
    """List the project and read its configuration."""
    files = yield from listing()
    texts = yield from read_all([name for name in CONFIGURATIONS if name in files], MOST_LINES)
    return Configuration(tuple(files), texts)


def command_of_tests(found: Configuration) -> str | None:
    """The command that runs all tests, or None where nothing in the project tells."""
    if _uses_pytest(found):
        return "python3 -m pytest -q --tb=short"
    script = str(found.scripts.get("test") or "")
    if script and "no test specified" not in script:
        return "npm test --silent"
    if "go.mod" in found.root_files:
        return "go test ./..."
    if "Cargo.toml" in found.root_files:
        return "cargo test"
    if "test" in found.make_targets:
        return "make test"
    return unittest_command(found.files) if any(PYTHON_TEST.search(path) for path in found.files) else None


def unittest_command(files: Sequence[str], path: str = "") -> str:
    """The command of Python's own runner, for all tests or those of a file."""
    setting = "PYTHONPATH=src " if any(each.startswith("src/") for each in files) else ""
    if path:
        return f"{setting}python3 -m unittest -q {shlex.quote(path)}"
    bare = next(
        (
            name
            for name in ("tests", "test")
            if any(each.startswith(f"{name}/") for each in files) and f"{name}/__init__.py" not in files
        ),
        None,
    )
    return f"{setting}python3 -m unittest {f'discover -q -s {bare}' if bare else '-q'}"


def format_commands(found: Configuration, *, linters: bool = True, formatters: bool = True) -> list[str]:
    """The commands that apply what the project's own formatters and linters can repair."""
    tools, root, package = found.tools, found.root_files, found.package
    dependencies = {**_table(package.get("devDependencies")), **_table(package.get("dependencies"))}
    ruff = "ruff" in tools or bool(root & {"ruff.toml", ".ruff.toml"})
    rules = [
        (linters and ruff, "ruff check --fix ."),
        (formatters and ruff and "black" not in tools, "ruff format ."),
        (formatters and "isort" in tools, "isort ."),
        (formatters and "black" in tools, "black ."),
        (linters and _any(root, "eslint.config.", ".eslintrc"), "npx --no-install eslint --fix ."),
        (
            formatters and ("prettier" in dependencies or "prettier" in package or _any(root, ".prettierrc")),
            "npx --no-install prettier --write .",
        ),
        ("biome.json" in root, "npx --no-install biome check --write ."),
        (formatters and "go.mod" in root, "gofmt -l -w ."),
        (formatters and "Cargo.toml" in root, "cargo fmt"),
    ]
    return [command for holds, command in rules if holds]


def _uses_pytest(found: Configuration) -> bool:
    named = "pytest" in found.tools or bool(found.root_files & {"pytest.ini", ".pytest.ini", "conftest.py"})
    named = named or any("[pytest]" in text.text or "[tool:pytest]" in text.text for text in found.texts.values())
    tests = any(PYTHON_TEST.search(path) or path.endswith("conftest.py") for path in found.files)
    return named or (tests and "pytest" in json.dumps(found.pyproject, default=str))


def _any(names: frozenset[str], *beginnings: str) -> bool:
    return any(name.startswith(beginnings) for name in names)


def _table(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}

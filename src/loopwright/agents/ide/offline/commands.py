"""Which commands a project is tested, formatted and linted with, by its own files."""

import json
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.ide.offline.layout import Excerpt, listing, read_all
from loopwright.agents.ide.offline.script import Script

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
    """The commands that apply what the project's own formatters and linters can mend."""
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

"""Importing Loopwright does nothing and costs little: no file, no thread, no output, no heavy library."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.shape.source import PACKAGE, module_name, python_files

HEAVY = {
    "PIL",
    "aiohttp",
    "alembic",
    "bpe_openai",
    "fastapi",
    "genai_prices",
    "graphqlite",
    "httpx",
    "jinja2",
    "json_repair",
    "neo4j",
    "nh3",
    "openai",
    "opentelemetry",
    "psycopg",
    "pydantic",
    "pysqlite3",
    "rich",
    "selectolax",
    "sqlalchemy",
    "starlette",
    "tinycss2",
    "typer",
    "uvicorn",
}

PROBE = """
import importlib, json, os, sys, threading
before = dict(os.environ)
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
print(json.dumps({
    "modules": sorted({name.partition(".")[0] for name in sys.modules}),
    "threads": threading.active_count(),
    "environment_kept": before == dict(os.environ),
}))
"""


def imported(modules: list[str], folder: Path) -> dict[str, Any]:
    """What a fresh interpreter in an empty folder looks like after importing the modules.

    Raises:
        AssertionError: an import failed, printed, warned or wrote a file.
    """
    command = [sys.executable, "-W", "error", "-B", "-c", PROBE, json.dumps(modules)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert list(folder.iterdir()) == [], "an import wrote files"
    lines = done.stdout.splitlines()
    assert len(lines) == 1, f"an import printed: {lines[:-1]}"
    result: dict[str, Any] = json.loads(lines[0])
    return result


@pytest.mark.parametrize("module", ["loopwright", "loopwright.cli.main"])
def test_the_front_doors_are_light(module: str, tmp_path: Path) -> None:
    """`import loopwright` and `loopwright --help` load no heavy library."""
    seen = imported([module], tmp_path)
    assert HEAVY.intersection(seen["modules"]) == set()


def test_the_commands_of_every_installation_do_without_typer(tmp_path: Path) -> None:
    """`pip install loopwright` brings no Typer: what agents' commands share for it is a module of its own."""
    modules = {module_name(path) for path in python_files("src/loopwright/cli") if "agent_template" not in path.parts}
    seen = imported(sorted(modules - {"loopwright.cli.messages"}), tmp_path)
    assert "typer" not in seen["modules"]


def test_no_module_does_anything_at_import(tmp_path: Path) -> None:
    """All modules of the package, imported one after the other, start nothing and change nothing."""
    outside = {"loopwright.__main__"}
    modules = [module_name(path) for path in python_files("src") if "migrations" not in path.relative_to(PACKAGE).parts]
    seen = imported(sorted(set(modules) - outside), tmp_path)
    assert seen["threads"] == 1
    assert seen["environment_kept"]


def test_the_probe_sees_what_it_should(tmp_path: Path) -> None:
    """A heavy library is seen, and so is output."""
    assert "sqlalchemy" in imported(["sqlalchemy"], tmp_path)["modules"]
    with pytest.raises(AssertionError, match="an import printed"):
        imported(["this"], tmp_path)

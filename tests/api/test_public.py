"""The public API as a whole: its names, its documents, its types, and what importing it costs."""

import doctest
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import loopwright
import loopwright.testing
from tests.shape.source import ROOT

HERE = Path(__file__).parent
MOST_NAMES = 15
IMPORT_MS = 150
PROBE = """
import json, sys, time
began = time.process_time()
from loopwright import Agent, Budget, Context, Stage, run, resume, tool

@tool(approve=True)
def tide(port: str, ctx: Context) -> str:
    "Say when the tide is high in a port."
    return "06:12"

clerk = Agent("tide-clerk", "Answer.", tools=[tide], budget=Budget(usd=1), stages=[Stage("answer", tools=[tide])])
print(json.dumps({"ms": 1000 * (time.process_time() - began), "modules": sorted(sys.modules)}))
"""


def test_the_names_change_only_on_purpose() -> None:
    kept = (HERE / "public_names.txt").read_text(encoding="utf-8").split()
    assert sorted(loopwright.__all__) == sorted(kept)
    assert len(kept) <= MOST_NAMES
    assert {*kept, "__version__"} == set(dir(loopwright))


@pytest.mark.parametrize("name", loopwright.__all__)
def test_every_name_is_documented_with_an_example_that_runs(name: str, tmp_path: Path) -> None:
    thing = getattr(loopwright, name)
    text = inspect.getdoc(thing) or ""
    if name == "LoopwrightError":
        assert "Args:" in text
        return
    module = importlib.import_module(thing.__module__)
    (example,) = doctest.DocTestFinder(recurse=False).find(thing, name, globs=dict(vars(module)))
    assert example.examples, f"{name} has no example"
    told: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=told.append)
    assert outcome.failed == 0, "".join(told)


def test_a_name_that_does_not_exist_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="'agent'"):
        loopwright.agent  # noqa: B018


def test_declaring_an_agent_costs_little_and_loads_nothing_heavy() -> None:
    """The best of five, for a busy machine; the libraries are what decides."""
    seen = [json.loads(subprocess.check_output([sys.executable, "-c", PROBE])) for _ in range(5)]
    assert min(each["ms"] for each in seen) < IMPORT_MS
    loaded = {name.partition(".")[0] for name in seen[0]["modules"]}
    assert loaded.isdisjoint({"pydantic", "pydantic_core", "sqlalchemy", "aiohttp", "fastapi", "typer"})


def test_type_checkers_know_deps_output_and_results() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(HERE / "typed.py")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

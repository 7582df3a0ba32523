"""The promises of tests/conftest.py hold: no network, no settings from outside, no silent skip."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shape.source import ROOT

SAMPLE = """
import os, socket
from contextlib import suppress
from pathlib import Path
import pytest

def test_leaves_and_hides_it():
    with suppress(RuntimeError):
        socket.create_connection(("192.0.2.1", 80))

def test_looks_a_name_up():
    with suppress(RuntimeError):
        socket.getaddrinfo("example.invalid", 80)

def test_stays():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass

def test_settings_are_gone():
    assert "DATABASE_URL" not in os.environ and "OPENAI_API_KEY" not in os.environ
    assert list(Path.home().iterdir()) == list(Path.cwd().iterdir()) == []

@pytest.mark.browser
def test_browser():
    pytest.skip("says nothing works today")

@pytest.mark.postgres
def test_postgres():
    pass
"""


def run_sample(folder: Path, settings: dict[str, str]) -> str:
    """Run the sample under our conftest and configuration; answer what pytest printed."""
    (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "test_sample.py").write_text(SAMPLE, encoding="utf-8")
    own = {name: value for name, value in os.environ.items() if not name.startswith("LOOPWRIGHT_")}
    outside = {"DATABASE_URL": "sqlite:///elsewhere", "OPENAI_API_KEY": "secret"}
    command = [sys.executable, "-m", "pytest", "-q", "-rsfE", "-c", str(ROOT / "pyproject.toml"), str(folder)]
    options = ["--rootdir", str(folder), "-p", "no:cacheprovider"]
    done = subprocess.run(
        command + options,
        env=own | outside | settings,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout


def test_leaving_the_machine_fails_even_when_hidden(tmp_path: Path) -> None:
    """The refusal cannot be caught away; the loopback interface stays usable; skips are only skips."""
    shown = run_sample(tmp_path, {})
    assert "ERROR test_sample.py::test_leaves_and_hides_it" in shown
    assert "ERROR test_sample.py::test_looks_a_name_up" in shown
    assert "4 passed, 2 skipped, 2 errors" in shown


@pytest.mark.parametrize(
    ("setting", "demanded"),
    [("LOOPWRIGHT_REQUIRE_BROWSER", "test_browser"), ("LOOPWRIGHT_REQUIRE_POSTGRES", "test_postgres")],
)
def test_a_demanded_test_may_not_be_skipped(setting: str, demanded: str, tmp_path: Path) -> None:
    """Neither when the test skips itself (failed) nor when the machine lacks what it needs (an error before it)."""
    shown = run_sample(tmp_path, {setting: "1"})
    assert re.search(rf"^(FAILED|ERROR) test_sample.py::{demanded} - {setting} is set", shown, re.MULTILINE)
    assert "1 skipped" in shown

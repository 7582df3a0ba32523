"""Virtual environments with the built wheel, as users have them: nothing of this repository is importable there."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
INSTALL_SECONDS, COMMAND_SECONDS = 1_200, 300


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and a folder of its own to work in."""

    folder: Path
    wheel: Path

    @property
    def work(self) -> Path:
        """Where commands are called."""
        return self.folder / "work"

    def make(self, extra: str = "") -> None:
        """Make it, and install the wheel with an extra.

        Raises:
            Skipped: there is no package index.
        """
        self.work.mkdir(parents=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.folder / "venv")], check=True)
        wanted = f"loopwright[{extra}] @ {self.wheel.as_uri()}" if extra else str(self.wheel)
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check", "--no-input"]
        done = subprocess.run(
            [*pip, "install", "--quiet", "--no-compile", wanted],
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
        )
        if done.returncode:
            pytest.skip(f"loopwright[{extra}] cannot be installed from the package index: {done.stderr.strip()[-300:]}")

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "venv" / "bin" / "python"

    def variables(self, **settings: str) -> dict[str, str]:
        """What its programs see: nothing of the environment that runs the tests."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        return {**kept, "LOOPWRIGHT_HOME": str(self.folder / "home"), "LOOPWRIGHT_SELF_CHECK": "0", **settings}

    def run(self, *arguments: str, code: int = 0, **settings: str) -> "subprocess.CompletedProcess[str]":
        """Run its `loopwright` without a terminal, and check the exit code."""
        return self._run(str(self.folder / "venv" / "bin" / "loopwright"), *arguments, code=code, **settings)

    def run_python(self, *arguments: str, **settings: str) -> str:
        """Run its interpreter; gives the output."""
        return self._run(str(self.python), "-W", "error::ImportWarning", *arguments, code=0, **settings).stdout

    def last(self, *arguments: str) -> dict[str, Any]:
        """Run a command with `--json`; gives the last line."""
        last: dict[str, Any] = json.loads(self.run(*arguments, "--json").stdout.splitlines()[-1])
        return last

    def _run(self, *command: str, code: int, **settings: str) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            command,
            cwd=self.work,
            env=self.variables(**settings),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )
        assert done.returncode == code, (command, done.returncode, done.stdout[-2_000:], done.stderr[-2_000:])
        assert "Traceback" not in done.stderr, done.stderr
        return done


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this working tree."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=REPOSITORY, check=True, capture_output=True, timeout=300)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def make_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Environment]:
    """Makes an environment with an extra."""

    def make(extra: str) -> Environment:
        environment = Environment(tmp_path_factory.mktemp(extra or "small"), wheel)
        environment.make(extra)
        return environment

    return make


@pytest.fixture(scope="session")
def small(make_environment: Callable[[str], Environment]) -> Environment:
    """An environment with the wheel alone, one for all tests that only look."""
    return make_environment("")

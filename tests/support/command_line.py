"""The command in this process, with a model that plays a script."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import loopwright.app.loopwright
from loopwright.cli.main import app
from tests.support.application import Dialogue, Line
from tests.support.commands import Finished


@dataclass
class CommandLine:
    """Runs `loopwright` in an installation of its own; it has no terminal."""

    folder: Path
    patch: pytest.MonkeyPatch

    def __call__(self, *arguments: str, script: Sequence[Line] = (), code: int = 0) -> Finished:
        """Run a command whose model plays the script, all of it, and check the exit code."""
        dialogue = Dialogue(script)

        @asynccontextmanager
        async def scripted(settings: Any) -> AsyncIterator[Dialogue]:
            yield dialogue

        self.patch.setattr(loopwright.app.loopwright, "open_model", scripted)
        done = CliRunner().invoke(app, list(arguments))
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        finished = Finished(done.exit_code, done.stdout, done.stderr)
        assert finished.code == code, (finished.code, finished.out[-2_000:], finished.err[-2_000:])
        dialogue.assert_done()
        return finished


@pytest.fixture
def loopwright_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("LOOPWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOOPWRIGHT_OUT", str(tmp_path / "out"))
    monkeypatch.chdir(tmp_path)
    return CommandLine(tmp_path, monkeypatch)

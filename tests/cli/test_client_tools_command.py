"""`loopwright runs answer` stands in for the client whose tool is called."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import loopwright.app.loopwright
from loopwright.app.agents import register_spec
from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.app.starting import NewRun, start_run
from loopwright.cli.main import app
from loopwright.kernel.testing import ScriptedModel
from tests.support.commands import Finished
from tests.support.editor_agent import EDITOR


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run of an installation in this folder that waits at a call of `get_selection`; the model then says `Done.`."""
    model = ScriptedModel([[("get_selection", {"file": "a.py"})], "Done."])

    @asynccontextmanager
    async def scripted(settings: Any) -> AsyncIterator[ScriptedModel]:
        yield model

    monkeypatch.setenv("LOOPWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOOPWRIGHT_OUT", str(tmp_path / "out"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loopwright.app.loopwright, "open_model", scripted)
    register_spec(EDITOR)

    async def start() -> str:
        async with Loopwright.open(Settings()) as application:
            record = await start_run(application, NewRun("Look.", agent="editor"))
            await application.dispatcher.wait(record.run_id)
            assert (await application.stores.runs.get(record.run_id)).status == "waiting_input"
            return record.run_id

    return asyncio.run(start())


def run(*arguments: str, code: int = 0) -> Finished:
    done = CliRunner().invoke(app, list(arguments))
    finished = Finished(done.exit_code, done.stdout, done.stderr)
    assert finished.code == code, (finished.out, finished.err)
    return finished


def answers(tmp_path: Path, content: Any) -> str:
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(content))
    return str(file)


def events(run_id: str, kind: str) -> list[dict[str, Any]]:
    return [e["payload"] for e in run("runs", "events", run_id, "--json").lines if e["type"] == kind]


def test_a_file_has_the_result(waiting, tmp_path):
    shown = run("runs", "show", waiting).out
    assert "get_selection runs in the client" in shown
    wrong = run("runs", "answer", waiting, "--answers", answers(tmp_path, {"result": {"text": "x"}}), code=2)
    assert "line: Field required" in wrong.err
    neither = run("runs", "answer", waiting, "--answers", answers(tmp_path, {"0": "Blue"}), code=2)
    assert 'Send {"result": …}' in neither.err
    given = answers(tmp_path, {"result": {"text": "x = 1", "line": 3}})
    assert run("runs", "answer", waiting, "--answers", given, "--json").last["type"] == "complete"
    assert [told["by"] for told in events(waiting, "gate_answered")] == ["cli"]
    assert [told["artifacts"] for told in events(waiting, "tool_result")] == [{"text": "x = 1", "line": 3}]


@pytest.mark.parametrize(
    ("options", "told"), [(["--reject", "--comment", "not now"], "not now"), (["--yes"], "is not available here")]
)
def test_a_refusal_lets_the_run_go_on(options, told, waiting):
    assert run("runs", "answer", waiting, *options, "--json").last["type"] == "complete"
    (result,) = events(waiting, "tool_result")
    assert not result["success"]
    assert told in result["output"]

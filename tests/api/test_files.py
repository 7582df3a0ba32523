"""An agent in a file of the user's: run, killed, resumed, answered and served by processes that know only its name."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright import Done, LoopwrightError, resume
from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.testing import ScriptedModel, say
from tests.support.commands import Finished, Installation
from tests.support.model_server import ModelServer, calls, text
from tests.support.service import served

CLERK = '''
import sys
from pathlib import Path

from loopwright import Agent, run, tool

@tool(approve="--ask" in sys.argv)
def send(to: str) -> str:
    """Send the letter."""
    with Path(__file__).with_name("sent.txt").open("a") as file:
        file.write(to + "\\n")
    return f"sent to {to}"

clerk = Agent("letter-clerk", "Send letters.", tools=[send])

if __name__ == "__main__":
    result = run(clerk, "Write to Ada.")
    print(type(result).__name__, result.run_id, result.text)
'''
ASKS = CLERK.replace('"--ask" in sys.argv', "True")
LETTER = calls(("send", {"to": "Ada"}))
MODEL = {"OPENAI_API_KEY": "k", "MODEL_STANDARD": "scripted"}


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    (tmp_path / "clerk.py").write_text(CLERK)
    return Installation(tmp_path, dict(MODEL))


async def python(place: Installation, server: ModelServer, **settings: str) -> Finished:
    """Run the file as a program."""

    def work() -> Finished:
        done = subprocess.run(
            [sys.executable, "clerk.py"],
            cwd=place.folder,
            env=place.environment(OPENAI_BASE_URL=server.base_url, **settings),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    return await asyncio.to_thread(work)


async def command(place: Installation, server: ModelServer, *arguments: str) -> Finished:
    """Run a `loopwright` command against the server."""
    return await asyncio.to_thread(place.run, *arguments, OPENAI_BASE_URL=server.base_url)


def sent(place: Installation) -> list[str]:
    """What the tool has done."""
    file = place.folder / "sent.txt"
    return file.read_text().split() if file.exists() else []


async def test_the_file_is_a_program_whose_run_is_listed(place: Installation) -> None:
    async with ModelServer([LETTER, text("It is sent.")]) as server:
        done = await python(place, server)
        server.assert_done()
        listed = await command(place, server, "runs", "list", "--json")
    kind, run_id, words = done.out.split(maxsplit=2)
    assert (kind, words.strip(), done.code) == ("Done", "It is sent.", 0), done.err
    assert [(run["run_id"], run["agent"], run["status"]) for run in listed.lines] == [
        (run_id, "letter-clerk", "completed")
    ]
    assert sent(place) == ["Ada"]


@pytest.mark.parametrize("point", ["tool.executed", "result.recorded", "run.finishing"])
async def test_a_killed_program_is_resumed_by_the_command_and_repeats_nothing(place: Installation, point: str) -> None:
    async with ModelServer([LETTER, text("It is sent."), text("It is sent.")]) as server:
        killed = await python(place, server, LOOPWRIGHT_CRASH_AT=point)
        assert killed.code == -signal.SIGKILL, killed.err
        run_id = place.newest_run()["run_id"]
        done = await command(place, server, "runs", "resume", run_id, "--json")
    assert (done.code, done.last["type"]) == (0, "complete"), done.err + done.out[-800:]
    assert sent(place) == ["Ada"]


async def test_a_killed_program_is_resumed_by_another_program(place: Installation) -> None:
    async with ModelServer([LETTER]) as server:
        killed = await python(place, server, LOOPWRIGHT_CRASH_AT="tool.executed")
        assert killed.code == -signal.SIGKILL, killed.err
    run_id = place.newest_run()["run_id"]
    model = ScriptedModel(say("I do not know whether it was sent."))
    result = await resume(run_id, model=model, home=place.folder / "home")
    assert isinstance(result, Done)
    assert "its outcome is unknown" in model.prompts[0][-1].content
    assert sent(place) == ["Ada"]


async def test_a_waiting_run_is_answered_by_the_command(place: Installation) -> None:
    (place.folder / "clerk.py").write_text(ASKS)
    async with ModelServer([LETTER, text("It is sent.")]) as server:
        waiting = await python(place, server)
        kind, run_id, words = waiting.out.split(maxsplit=2)
        assert kind == "Waiting"
        assert "Allow send?" in words
        assert sent(place) == []
        done = await command(place, server, "runs", "answer", run_id, "--approve")
    assert done.code == 0, done.err
    assert sent(place) == ["Ada"]


async def test_the_command_runs_the_file_with_gates_and_all(place: Installation) -> None:
    (place.folder / "clerk.py").write_text(ASKS)
    async with ModelServer([LETTER, text("It is sent.")]) as server:
        waiting = await command(place, server, "run", "clerk.py", "Write to Ada.", "--json")
        assert (waiting.code, waiting.last["gate"]["kind"]) == (3, "permission")
        done = await command(place, server, "runs", "answer", waiting.last["run_id"], "--approve", "--json")
        assert done.last["message"] == "It is sent."
        replayed = await command(place, server, "runs", "replay", waiting.last["run_id"])
        assert replayed.code == 0, replayed.err
    assert sent(place) == ["Ada"]


async def test_a_file_that_is_gone_is_told_in_one_line(place: Installation) -> None:
    (place.folder / "clerk.py").write_text(ASKS)
    async with ModelServer([LETTER]) as server:
        waiting = await python(place, server)
        run_id = waiting.out.split()[1]
        (place.folder / "clerk.py").unlink()
        refused = await command(place, server, "runs", "answer", run_id, "--approve")
    assert refused.code == 2
    error, hint = refused.err.strip().splitlines()
    assert error == f"error: Agent 'letter-clerk' was run from {place.folder / 'clerk.py'}, which is gone."
    assert hint.startswith("hint: Put the file back")


async def test_a_server_leaves_alone_what_it_cannot_load_and_says_so_once(
    place: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    async with ModelServer([LETTER]) as server:
        killed = await python(place, server, LOOPWRIGHT_CRASH_AT="tool.executed")
        assert killed.code == -signal.SIGKILL, killed.err
    file = place.folder / "clerk.py"
    file.rename(place.folder / "elsewhere.py")
    settings = Settings(home=place.folder / "home", output_dir=place.out, heartbeat_seconds=0.02)
    async with Loopwright.open(settings, recover=True) as app:
        for _ in range(3):
            await asyncio.gather(*app.dispatcher._tasks.values())
            await app.dispatcher.recover()
    told = [record.getMessage() for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    assert [text for text in told if "cannot be carried on here" in text] == told
    assert len(told) == 1
    (place.folder / "elsewhere.py").rename(file)
    run_id = place.newest_run()["run_id"]
    result = await resume(run_id, model=ScriptedModel(say("Unknown.")), home=place.folder / "home")
    assert isinstance(result, Done)


async def test_a_file_that_has_changed_its_agents_is_told(place: Installation) -> None:
    (place.folder / "clerk.py").write_text(ASKS)
    async with ModelServer([LETTER]) as server:
        run_id = (await python(place, server)).out.split()[1]
        (place.folder / "clerk.py").write_text(ASKS.replace('"letter-clerk"', '"other-clerk"'))
        refused = await command(place, server, "runs", "answer", run_id, "--approve")
    assert refused.code == 2
    assert "no longer declares the agent 'letter-clerk'" in refused.err


async def test_the_server_serves_the_agent_of_a_file(place: Installation) -> None:
    (place.folder / "clerk.py").write_text(ASKS)
    async with ModelServer([LETTER, text("It is sent.")]) as model:
        place.settings["OPENAI_BASE_URL"] = model.base_url
        async with served(place, "clerk.py") as service:
            created = await service.client.post("/api/runs", json={"agent": "letter-clerk", "message": "Write to Ada."})
            assert created.status_code == 201, created.text
            waiting = await service.until_over(created.json()["run_id"])
            gate = waiting["gate"]["gate_id"]
            answered = await service.client.post(f"/api/gates/{gate}", json={"decision": "approve"})
            assert answered.status_code == 200, answered.text
            assert (await service.until_over(waiting["run_id"]))["status"] == "completed"
    assert sent(place) == ["Ada"]


async def test_no_request_over_http_loads_a_file(place: Installation) -> None:
    """Names come from the user's own processes alone: whatever a request names is looked up, never opened."""
    wanted: dict[str, Any] = {"agent": "clerk.py:clerk", "message": "Hi."}
    place.settings["OPENAI_BASE_URL"] = "offline"
    async with served(place) as service:
        refused = await service.client.post("/api/runs", json=wanted)
        assert refused.status_code == 404, refused.text


async def test_an_agent_that_is_nowhere_is_told(tmp_path: Path) -> None:
    with pytest.raises(LoopwrightError, match="There is no run"):
        await resume("0" * 32, home=tmp_path)

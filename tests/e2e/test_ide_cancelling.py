"""A cancellation reaches the command under way, whoever asks: its processes end, what it had changed is dropped."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from acp import PROTOCOL_VERSION, text_block

from tests.agents.ide.commands.editor import Editor, editing
from tests.support.commands import Installation
from tests.support.model_server import ModelServer, calls

pytestmark = pytest.mark.sandbox

SECONDS = "86399"
COMMAND = f"echo half > made.txt; (setsid sleep {SECONDS} &); exec sleep {SECONDS}"
SLOW = calls(("run_command", {"command": COMMAND}))
MOST_SECONDS = 4.0
"""Half a second for other processes' cancellations to be seen, two for the killing, and the rest for a busy machine."""


def sleepers() -> list[str]:
    """The processes of the command."""
    found = []
    for name in os.listdir("/proc"):
        try:
            line = Path("/proc", name, "cmdline").read_bytes() if name.isdigit() else b""
        except OSError:
            continue
        if line == f"sleep\0{SECONDS}\0".encode():
            found.append(name)
    return found


async def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    """Wait for it."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  (other processes do not tell)
            await asyncio.sleep(0.02)


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "greet.py").write_text("print('hello')\n")
    return folder


def check(place: Installation, root: Path, began: float) -> None:
    """It was quick, nothing is left of the command, and the journal says what was dropped."""
    assert time.monotonic() - began < MOST_SECONDS
    assert sleepers() == []
    assert os.listdir(root) == ["greet.py"]
    run = place.newest_run()
    assert run["status"] == "cancelled"
    (result,) = [each["payload"] for each in place.events(run["run_id"]) if each["type"] == "tool_result"]
    assert "was cancelled and killed" in result["output"]
    assert "made.txt" in result["output"]
    assert not any(each.is_dir() for each in (place.folder / "home").glob("projects/*/layers/*"))


@pytest.mark.parametrize("way", ["ctrl-c", "runs cancel"])
async def test_the_terminal_and_another_process(way: str, place: Installation, root: Path) -> None:
    async with ModelServer([SLOW]) as server:
        arguments = ("ide", "Run it.", "--root", str(root), "--yes-to", "run", "--json")
        child = place.start(*arguments, OPENAI_BASE_URL=server.base_url)
        try:
            await until(lambda: len(sleepers()) == 2)
            if way == "ctrl-c":
                began = time.monotonic()
                child.send_signal(signal.SIGINT)
            else:
                asked = await asyncio.to_thread(place.run, "runs", "cancel", place.newest_run()["run_id"], "--json")
                began = time.monotonic()
                assert asked.code == 0, asked.err
            out, _ = await asyncio.to_thread(child.communicate, timeout=30)
        finally:
            child.kill()
    assert child.returncode == 5
    check(place, root, began)
    assert json.loads(out.splitlines()[-1])["type"] == "cancelled"


async def test_an_editor(place: Installation, root: Path) -> None:
    editor = Editor(choose=lambda tool_call, options: "allow_once")
    async with (
        ModelServer([SLOW]) as server,
        editing(place, editor, OPENAI_BASE_URL=server.base_url) as agent,
    ):
        await agent.initialize(protocol_version=PROTOCOL_VERSION)
        session = await agent.new_session(cwd=str(root), mcp_servers=[])
        prompt = agent.prompt(session_id=session.session_id, prompt=[text_block("Run it.")])
        turn = asyncio.ensure_future(prompt)
        await until(lambda: len(sleepers()) == 2)
        began = time.monotonic()
        await agent.cancel(session_id=session.session_id)
        assert (await turn).stop_reason == "cancelled"
        check(place, root, began)

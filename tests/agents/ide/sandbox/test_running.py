"""Commands in the sandbox: what they may do, and what they cannot."""

import asyncio
import os
from pathlib import Path

import pytest

from loopwright.agents.ide.sandbox import CommandOutcome, can_confine, run_command
from loopwright.agents.ide.sandbox.running import MOST_OUTPUT

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing, or may not make its namespaces"),
]


async def run(root: Path, command: str, seconds: float = 30, **more: bool) -> CommandOutcome:
    """Run it at the root."""
    return await run_command(root, command, working_directory=root, timeout_seconds=seconds, **more)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / ".git" / "config").write_text("[core]\n")
    (root / "main.py").write_text("print('hello')\n")
    return root.resolve()


async def test_a_command_works_in_the_project(project: Path) -> None:
    done = await run(project, "python3 main.py && echo new > made.txt && cat made.txt")
    assert (done.exit_code, done.output, done.confined) == (0, "hello\nnew\n", True)
    assert (project / "made.txt").read_text() == "new\n"
    assert (await run(project, "exit 7")).exit_code == 7


@pytest.mark.parametrize(
    "command",
    [
        "echo x > /etc/loopwright-was-here",
        "echo x > ../outside.txt",
        "echo '#!/bin/sh' > .git/hooks/pre-commit",
        "echo '[alias] x=!sh' >> .git/config",
        "cat /etc/shadow",
        "echo x > /usr/bin/x",
    ],
)
async def test_nothing_beside_the_project_can_be_changed(project: Path, command: str) -> None:
    done = await run(project, command)
    assert done.exit_code != 0 or "outside" in command  # beside the project lies a folder that goes with the sandbox
    assert not (project.parent / "outside.txt").exists()
    assert not list((project / ".git" / "hooks").iterdir())


async def test_there_is_no_network_and_no_secret(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("MY_TOKEN", "canary")
    done = await run(project, "env; cat /proc/1/environ | tr '\\0' '\\n'; ls -A $HOME; ls /sys/class/net 2>/dev/null")
    assert "canary" not in done.output
    reach = "import socket\nsocket.create_connection(('127.0.0.1', PORT), 2)"
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        lonely = await run(project, f'python3 -c "{reach.replace("PORT", str(port))}"')
        shared = await run(project, f'python3 -c "{reach.replace("PORT", str(port))}"', network=True)
    finally:
        server.close()
    assert (lonely.exit_code, shared.exit_code) == (1, 0)


async def test_what_takes_too_long_is_killed_with_its_children(project: Path) -> None:
    done = await run(project, "(sleep 300; touch late) & sleep 300", seconds=1)
    assert done.exit_code is None
    assert "more than 1 seconds" in done.stopped
    assert not [name for name in os.listdir("/proc") if name.isdigit() and _is_sleep(name)]


def _is_sleep(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() == b"sleep\x00300\x00"
    except OSError:
        return False


async def test_endless_output_is_cut_and_stopped(project: Path) -> None:
    done = await run(project, "yes 0123456789abcdef | head -c 2000000")
    assert done.exit_code == 0
    assert len(done.output) < 40_000
    assert done.cut_bytes > 1_900_000
    assert "bytes left out" in done.output
    flood = await run(project, "yes", seconds=60)
    assert flood.exit_code is None
    assert f"{MOST_OUTPUT // 1024**2} MB" in flood.stopped


async def test_a_fork_bomb_ends(project: Path) -> None:
    done = await run(project, "f() { f | f & }; f; sleep 1; echo survived", seconds=5)
    assert done.stopped or done.exit_code is not None
    again = await run(project, "echo fine")
    assert again.output == "fine\n"


async def test_a_cancelled_command_is_gone(project: Path) -> None:
    task = asyncio.create_task(run(project, "echo started > started; sleep 301"))
    async with asyncio.timeout(20):
        while not (project / "started").exists():  # noqa: ASYNC110  (another process tells)
            await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [name for name in os.listdir("/proc") if name.isdigit() and b"sleep\x00301" in _cmdline(name)]


def _cmdline(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_the_sandbox_is_there() -> None:
    assert can_confine()

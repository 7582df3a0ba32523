"""Commands in the sandbox: what they may do, and what they cannot."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from loopwright.agents.ide.sandbox.guards import MOST_GUARDED

from loopwright.agents.ide.sandbox import CommandOutcome, can_confine, run_command, running
from loopwright.agents.ide.sandbox.running import MOST_OUTPUT
from loopwright.kernel.errors import InvalidInput

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing, or may not make its namespaces"),
]


async def run(root: Path, command: str, seconds: float = 30, **more: Any) -> CommandOutcome:
    """Run it at the root."""
    return await run_command(root, command, working_directory=root, timeout_seconds=seconds, **more)


FILES = {
    ".aws/anything": "canary",
    ".env": "TOKEN=canary",
    ".git/HEAD": "ref: refs/heads/main",
    ".git/config": "[core]",
    ".loopwright/ide/state": "canary",
    "keys/server.pem": "canary",
    "main.py": "print('hello')",
    "nested/.git/config": "[core]",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / "secret.txt").touch()
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
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
        "echo x > /usr/bin/x",
        "cat /etc/shadow",
        "echo x > .git/hooks/pre-commit",
        "echo '[alias] x=!sh' >> .git/config",
        "echo ../evil > .git/commondir",
        "mv .git .other && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
        "rm -rf .git/config",
        "echo x > nested/.git/config",
        "cat .env",
        "mv .env env && cat env",
        "cp -r . /tmp/copy && cat /tmp/copy/.env",
        "cat keys/server.pem",
        "cat .aws/anything",
        "ls .loopwright/ide",
        "umount .git || mount -o remount,rw / || mount -t tmpfs x /usr",
        "unshare --user --map-root-user --mount true",
        "mknod disk b 8 0",
        "grep -v 0000000000000000 /proc/self/status | grep CapEff",
    ],
)
async def test_the_ways_out_are_closed(project: Path, command: str) -> None:
    done = await run(project, command)
    assert done.exit_code not in (0, None), done.output
    assert "canary" not in done.output
    assert tree(project) == before(project)


async def test_what_lies_beside_the_project_is_not_there(project: Path) -> None:
    done = await run(project, "ls ..; echo x > ../outside.txt; ls /root /home /var /run")
    assert done.output.splitlines()[0] == "project"
    assert "secret" not in done.output
    assert not (project.parent / "outside.txt").exists()


async def test_a_repository_that_is_a_link_is_refused(project: Path, tmp_path: Path) -> None:
    (project / ".git").rename(tmp_path / "real")
    (project / ".git").symlink_to(tmp_path / "real")
    with pytest.raises(InvalidInput, match="cannot guard"):
        await run(project, "true")


async def test_more_secrets_than_can_be_hidden_are_refused(project: Path) -> None:
    for number in range(MOST_GUARDED):
        (project / f"{number}.pem").touch()
    with pytest.raises(InvalidInput, match="more than 300"):
        await run(project, "true")


def tree(root: Path) -> dict[str, bytes]:
    """Every file below a folder, but for what the sandbox mounts over."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def before(root: Path) -> dict[str, bytes]:
    """What `project` made."""
    return {name: text.encode() for name, text in sorted(FILES.items())}


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
    await gone(b"300")


async def gone(seconds: bytes) -> None:
    """Wait until nobody sleeps so long any more: who is killed stays for a moment."""
    async with asyncio.timeout(60):
        wanted = b"sleep\0" + seconds + b"\0"
        while any(_cmdline(name) == wanted for name in os.listdir("/proc")):  # noqa: ASYNC110  (nobody else tells)
            await asyncio.sleep(0.02)


async def test_endless_output_is_cut_and_stopped(project: Path) -> None:
    done = await run(project, "yes 0123456789abcdef | head -c 2000000")
    assert done.exit_code == 0
    assert len(done.output) < 40_000
    assert done.cut_bytes > 1_900_000
    assert "bytes left out" in done.output
    flood = await run(project, "yes", seconds=60)
    assert flood.exit_code is None
    assert f"{MOST_OUTPUT // 1024**2} MB" in flood.stopped


async def test_a_fork_bomb_is_stopped_for_what_it_is(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process after the other, and doubling; both bounded, so that a broken sandbox breaks nothing else."""
    monkeypatch.setattr(running, "MOST_PROCESSES", 40)
    rows = "import os, time\nfor _ in range(120): os.fork() or time.sleep(60) or os._exit(0)\ntime.sleep(60)"
    one_by_one = await run(project, f"python3 -c '{rows}'", seconds=60)
    doubling = await run(
        project, "f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & sleep 60; fi; }; f 7", seconds=60
    )
    assert "more than 40 processes" in one_by_one.stopped
    assert "more than 40 processes" in doubling.stopped
    assert (await run(project, "echo fine")).output == "fine\n"


async def test_memory_beyond_the_limit_is_refused_or_stopped(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_MEMORY", 200 * 1024**2)
    alone = await run(project, "python3 -c 'bytearray(300 * 1024**2)'")
    assert "MemoryError" in alone.output
    each = "import time; x = bytearray(90 * 1024**2); time.sleep(100)"
    together = await run(project, f'for n in 1 2 3 4; do python3 -c "{each}" & done; wait', seconds=60)
    assert "memory" in together.stopped


async def test_a_command_ends_though_a_child_in_the_background_holds_its_output(project: Path) -> None:
    done = await run(project, "sleep 302 & echo started", confined=False)
    assert (done.exit_code, done.output, done.confined) == (0, "started\n", False)
    await gone(b"302")


async def test_a_cancelled_command_is_gone(project: Path) -> None:
    task = asyncio.create_task(run(project, "echo started > started; sleep 301"))
    async with asyncio.timeout(60):
        while not (project / "started").exists():  # noqa: ASYNC110  (another process tells)
            await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(b"301")


def _cmdline(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_the_sandbox_is_there() -> None:
    assert can_confine()

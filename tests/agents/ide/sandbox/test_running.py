"""Commands on a layer: what they may do, and how they end."""

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.agents.ide.sandbox import can_confine, isolation, layers, run_unconfined, running
from loopwright.agents.ide.sandbox.running import MOST_OUTPUT
from loopwright.kernel.errors import Misconfigured
from tests.agents.ide.acting import project_at
from tests.agents.ide.boundary.grounds import Tree, tree
from tests.agents.ide.commanding import command, confined
from tests.agents.ide.sandbox.processes_seen import begun, gone, sleepers

pytestmark = confined
CANCEL_SECONDS = 2.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project."""
    root = tmp_path / "project"
    (root / "inner").mkdir(parents=True)
    (root / "main.py").write_text("print('hello')\n")
    (root / "old.txt").write_text("old\n")
    return root.resolve()


async def test_a_command_works_in_the_project(root: Path) -> None:
    report = await command(root, "python3 main.py && echo new > made.txt && cat made.txt && rm old.txt")
    assert report.outcome is not None
    assert (report.outcome.exit_code, report.outcome.output) == (0, "hello\nnew\n")
    assert sorted(report.paths) == ["made.txt", "old.txt"]
    assert (root / "made.txt").read_text() == "new\n"
    assert not (root / "old.txt").exists()
    again = await command(root, "exit 7")
    assert again.outcome is not None
    assert again.outcome.exit_code == 7


async def test_a_command_that_fails_has_changed_what_it_changed(root: Path) -> None:
    report = await command(root, "echo half > half.txt; false")
    assert list(report.paths) == ["half.txt"]
    assert (root / "half.txt").read_text() == "half\n"


async def test_there_is_no_network_unless_it_is_wanted(root: Path) -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    line = f"python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 2)\""
    try:
        lonely, shared = await command(root, line), await command(root, line, network=True)
    finally:
        server.close()
    assert lonely.outcome is not None
    assert shared.outcome is not None
    assert (lonely.outcome.exit_code, shared.outcome.exit_code) == (1, 0), shared.outcome.output


async def stopped(root: Path, line: str, why: str, *, seconds: float = 60) -> str:
    """Run what has to be stopped: it is told why, its files are dropped and named; the output."""
    before: Tree = tree(root)
    report = await command(root, f"echo dropped > dropped.txt; {line}", seconds=seconds)
    assert report.outcome is not None
    assert report.outcome.exit_code is None, report.outcome
    assert why in report.outcome.stopped
    assert "dropped.txt" in report.dropped
    assert not report.paths
    assert tree(root) == before
    return report.outcome.output


async def test_what_takes_too_long_is_killed_with_its_children(root: Path) -> None:
    await stopped(root, "(sleep 300; touch late) & setsid sleep 300 & sleep 300", "more than 1 seconds", seconds=1)
    assert not sleepers("300")


async def test_endless_output_is_cut_and_stopped(root: Path) -> None:
    report = await command(root, "yes 0123456789abcdef | head -c 2000000")
    assert report.outcome is not None
    assert report.outcome.exit_code == 0
    assert len(report.outcome.output) < 40_000
    assert report.outcome.cut_bytes > 1_900_000
    assert "bytes left out" in report.outcome.output
    await stopped(root, "yes", f"{MOST_OUTPUT // 1024**2} MB")


@pytest.mark.parametrize("kind", ["one by one", "doubling"])
async def test_a_fork_bomb_is_stopped_for_what_it_is(root: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both bounded, so that a broken sandbox breaks nothing else."""
    monkeypatch.setattr(running, "MOST_PROCESSES", 40)
    rows = "import os, time\nfor _ in range(120): os.fork() or time.sleep(60) or os._exit(0)\ntime.sleep(60)"
    doubling = "f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & sleep 60; fi; }; f 7"
    await stopped(root, f"python3 -c '{rows}'" if kind == "one by one" else doubling, "more than 40 processes")
    again = await command(root, "echo fine")
    assert again.outcome is not None
    assert again.outcome.output == "fine\n"


async def test_memory_beyond_the_limit_is_refused_or_stopped(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_MEMORY", 200 * 1024**2)
    alone = await command(root, "python3 -c 'bytearray(300 * 1024**2)'")
    assert alone.outcome is not None
    assert "MemoryError" in alone.outcome.output
    each = "import time; x = bytearray(90 * 1024**2); time.sleep(100)"
    await stopped(root, f'for n in 1 2 3 4; do python3 -c "{each}" & done; wait', "memory")


MEMORY_FILES = (
    "import os, time\nfor n in range(4): os.write(os.memfd_create('x'), bytes(90 * 1024**2))\ntime.sleep(100)"
)
SHARED_SEGMENTS = """
import ctypes, time
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
for n in range(4):
    place = libc.shmat(libc.shmget(0, 90 * 1024**2, 0o1600), None, 0)
    ctypes.memset(place, 1, 90 * 1024**2)
    libc.shmdt(ctypes.c_void_p(place))
time.sleep(100)
"""


@pytest.mark.parametrize("program", [MEMORY_FILES, SHARED_SEGMENTS], ids=["memory files", "shared segments"])
async def test_memory_that_no_process_holds_counts_too(
    root: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MOST_MEMORY", 200 * 1024**2)
    await stopped(root, f"python3 - <<'END'\n{program}\nEND", "memory", seconds=20)


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "/dev"])
async def test_folders_in_memory_are_limited(root: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEMPORARY_BYTES", "SHARED_BYTES"):
        monkeypatch.setattr(f"loopwright.agents.ide.sandbox.{name}", 8 * 1024**2)
    report = await command(root, f"head -c 20000000 /dev/zero > {folder}/much; ls -l {folder}/much")
    assert report.outcome is not None
    assert "20000000" not in report.outcome.output
    refused = "Read-only file system" if folder == "/dev" else "No space left"
    assert refused in report.outcome.output


async def test_a_layer_has_a_limit_of_bytes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_WRITTEN", 10 * 1024**2)
    await stopped(root, "head -c 30000000 /dev/zero > much; sleep 100", "it wrote more than 10 MB")


async def test_a_layer_has_a_limit_of_files(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_FILES", 300)
    await stopped(root, "i=0; while [ $i -lt 500 ]; do i=$((i+1)); mkdir d$i; done; sleep 100", "or 300 files")


async def test_files_without_a_name_fill_no_disk(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = os.statvfs(root)
    monkeypatch.setattr(running, "LEAST_FREE", found.f_bavail * found.f_frsize - 30 * 1024**2)
    line = "exec 3> unnamed; rm unnamed; head -c 90000000 /dev/zero >&3; sync; sleep 100"
    await stopped(root, line, "the disk is nearly full")


DAEMONS = {
    "background": "(sleep 1; echo late > late.txt; sleep 311) &",
    "own session": "setsid sh -c 'sleep 1; echo late > late.txt; sleep 311' &",
    "twice forked": "python3 -c 'import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
    'time.sleep(1)\nopen("late.txt", "w")\nos.execvp("sleep", ["sleep", "311"])\'',
    "deaf": "sh -c \"trap '' TERM HUP INT; sleep 1; echo late > late.txt; sleep 311\" > /dev/null 2>&1 < /dev/null &",
}


@pytest.mark.parametrize("kind", DAEMONS)
async def test_daemons_are_dead_before_the_layer_is_read(
    root: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    living: list[str] = []
    read = layers.Layer.entries

    def entries(layer: layers.Layer) -> list[layers.Entry]:
        living.extend(each for each in os.listdir("/proc") if _works_in(each, root))
        return read(layer)

    monkeypatch.setattr(layers.Layer, "entries", entries)
    report = await command(root, f"{DAEMONS[kind]}\necho done > done.txt; sleep 0.3")
    assert report.outcome is not None
    assert (report.outcome.exit_code, list(report.paths), living) == (0, ["done.txt"], [])
    await asyncio.sleep(1.2)
    assert not (root / "late.txt").exists()
    assert not sleepers("311")


def _works_in(pid: str, root: Path) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/cwd") == str(root) and int(pid) != os.getpid()
    except (OSError, ValueError):
        return False


@pytest.mark.parametrize("line", ["sleep 301", "setsid sleep 301 & trap '' TERM INT; sleep 301 & wait; wait"])
async def test_a_cancelled_command_is_gone_in_two_seconds_and_told(root: Path, line: str) -> None:
    before = tree(root)
    task = asyncio.create_task(command(root, f"echo begun > begun.txt; rm old.txt; {line}"))
    await begun("301")
    asked = time.monotonic()
    task.cancel()
    report = await task
    assert time.monotonic() - asked < CANCEL_SECONDS
    assert not sleepers("301")
    assert report.outcome is None
    assert sorted(report.dropped) == ["begun.txt", "old.txt"]
    assert not report.paths
    assert tree(root) == before


async def test_a_cancelled_command_leaves_no_layer(root: Path) -> None:
    task = asyncio.create_task(command(root, "mkdir shut; touch shut/in; chmod 0 shut; sleep 304"))
    await begun("304")
    task.cancel()
    await task
    assert not any("layer-" in path for path in tree(project_at(root).state_folder))


async def test_what_never_began_is_no_exit_code_of_the_command(root: Path) -> None:
    project = project_at(root)
    found = isolation(project.root, project.state_folder)
    assert found is not None
    with pytest.raises(Misconfigured, match="could not be started"):
        await command(root, "true", isolation=replace(found, mount=Path("/bin/false")))


async def test_a_command_outside_ends_though_a_child_in_the_background_holds_its_output(root: Path) -> None:
    done = await run_unconfined(root, "sleep 302 & echo started", working_directory=root, timeout_seconds=30)
    assert (done.exit_code, done.output) == (0, "started\n")
    await gone("302")


def test_the_sandbox_is_there() -> None:
    assert can_confine()

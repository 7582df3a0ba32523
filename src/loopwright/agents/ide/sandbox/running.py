"""Starting a command, and ending it: by itself, by its time limit, or because the run is cancelled."""

import asyncio
import os
import resource
import shutil
import signal
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.agents.ide.sandbox.bubblewrap import bubblewrap, environment
from loopwright.kernel.errors import Misconfigured

KEPT_HEAD, KEPT_TAIL = 8_000, 16_000
"""Bytes of the output that are kept: its beginning and its end, where errors stand."""
MOST_OUTPUT = 64 * 1024 * 1024
"""A command that writes more is stopped: nobody will read it."""
MOST_FILE_BYTES = 2 * 1024**3
MOST_PROCESSES = 512
MOST_MEMORY = 8 * 1024**3
GRACE_SECONDS = 2.0
CHUNK = 65_536


@dataclass(frozen=True)
class CommandOutcome:
    """How a command ended. `exit_code` is None where it was stopped, and `stopped` says why then."""

    exit_code: int | None
    output: str
    seconds: float
    confined: bool
    cut_bytes: int = 0
    stopped: str = ""


@dataclass
class _Output:
    """The beginning and the end of what a command writes; nothing more is held."""

    head: bytearray = field(default_factory=bytearray)
    tail: deque[int] = field(default_factory=lambda: deque(maxlen=KEPT_TAIL))
    total: int = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = KEPT_HEAD - len(self.head)
        self.head += data[: max(0, room)]
        self.tail.extend(data[max(0, room) :][-KEPT_TAIL:])

    @property
    def cut(self) -> int:
        return self.total - len(self.head) - len(self.tail)

    def text(self) -> str:
        head, tail = bytes(self.head).decode("utf-8", "replace"), bytes(self.tail).decode("utf-8", "replace")
        return f"{head}\n… {self.cut:,} bytes left out …\n{tail}" if self.cut else head + tail


async def run_command(
    root: Path,
    command: str,
    *,
    working_directory: Path,
    timeout_seconds: float,
    network: bool = False,
    confined: bool = True,
    progress: Callable[[str], None] = lambda line: None,
) -> CommandOutcome:
    """Run a shell command.

    Args:
        root: the project.
        command: for `/bin/sh -c`.
        working_directory: below the root.
        timeout_seconds: after which the command and all that it started are killed.
        network: whether a confined command reaches the network.
        confined: within the sandbox; the caller has asked the user where it is not.
        progress: is told of the output as it comes.

    Raises:
        Misconfigured: it could not be started.
    """
    line = ["/bin/sh", "-c", command]
    arguments = bubblewrap(root, working_directory, line, network=network) if confined else line
    program = shutil.which(arguments[0])
    if program is None:
        raise Misconfigured(f"{arguments[0]} is not installed.", hint="Install bubblewrap, or allow it unsandboxed.")
    started = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        program,
        *arguments[1:],
        cwd=working_directory,
        env=environment(root),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_limit,
    )
    output, stopped = _Output(), ""
    try:
        async with asyncio.timeout(timeout_seconds):
            stopped = await _read(process, output, progress)
            if not stopped:
                await process.wait()
    except TimeoutError:
        stopped = f"it took more than {timeout_seconds:g} seconds"
    finally:
        await _end(process)
        _close(process)
    return CommandOutcome(
        exit_code=None if stopped else process.returncode,
        output=output.text(),
        seconds=round(time.monotonic() - started, 2),
        confined=confined,
        cut_bytes=output.cut,
        stopped=stopped,
    )


async def _read(process: asyncio.subprocess.Process, output: _Output, progress: Callable[[str], None]) -> str:
    """Take the output in until its end; gives why it was not read to the end, or nothing."""
    stream = process.stdout
    if stream is None:
        raise AssertionError("the output was asked for")
    while data := await stream.read(CHUNK):
        output.add(data)
        if output.total > MOST_OUTPUT:
            return f"it wrote more than {MOST_OUTPUT // 1024**2} MB"
        last = data.decode("utf-8", "replace").strip().rpartition("\n")[2]
        if last:
            progress(last[:200])
    return ""


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the whole group, whether or not its first process has ended: children may live on."""
    for wanted, seconds in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, GRACE_SECONDS)):
        if process.returncode is not None and wanted == signal.SIGTERM:
            continue
        try:
            os.killpg(process.pid, wanted)
        except ProcessLookupError:
            break
        except PermissionError:
            process.kill()
        try:
            async with asyncio.timeout(seconds):
                await process.wait()
        except TimeoutError:
            continue
    await process.wait()


def _close(process: asyncio.subprocess.Process) -> None:
    """Let go of the pipe: a child that survived in another session may hold its other end open."""
    transport: asyncio.SubprocessTransport = process._transport  # type: ignore[attr-defined]  # there is no public way
    transport.close()


def _limit() -> None:
    """In the child: limits that hold for all that it starts."""
    for kind, most in (
        (resource.RLIMIT_FSIZE, MOST_FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_NPROC, MOST_PROCESSES),
    ):
        _, hard = resource.getrlimit(kind)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (value, hard if hard != resource.RLIM_INFINITY else value))

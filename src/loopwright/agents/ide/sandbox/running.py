"""Starting a command, and ending it: by itself, by its time limit, or because the run is cancelled."""

import asyncio
import os
import resource
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from loopwright.agents.ide.sandbox.bubblewrap import bubblewrap, environment
from loopwright.agents.ide.sandbox.output import Output
from loopwright.agents.ide.sandbox.processes import load_below, threads_of_machine
from loopwright.kernel.errors import Misconfigured

MOST_OUTPUT = 64 * 1024 * 1024
"""A command that writes more is stopped: nobody will read it."""
MOST_FILE_BYTES = 2 * 1024**3
MOST_PROCESSES = 400
MOST_MEMORY = 8 * 1024**3
"""Of one process as the kernel keeps it, and of all together as we look after them."""
NICENESS = 5
"""Commands give way, so that whoever looks after them gets his turn, and the user's editor too."""
WATCH_SECONDS, LOOK_SECONDS = 0.02, 0.5
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
        InvalidInput: the project cannot be guarded.
    """
    line = ["/bin/sh", "-c", command]
    if confined:
        line = await asyncio.to_thread(bubblewrap, root, working_directory, line, network=network)
    started = time.monotonic()
    process = await _start(line, working_directory, environment(root))
    output, stopped = Output(), ""
    try:
        async with asyncio.timeout(timeout_seconds):
            stopped = await _look_after(process, output, progress)
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
        cut_bytes=output.cut_bytes,
        stopped=stopped,
    )


async def _start(line: list[str], folder: Path, variables: dict[str, str]) -> asyncio.subprocess.Process:
    program = shutil.which(line[0])
    if program is None:
        raise Misconfigured(f"{line[0]} is not installed.", hint="Install bubblewrap, or allow it unsandboxed.")
    return await asyncio.create_subprocess_exec(
        program,
        *line[1:],
        cwd=folder,
        env=variables,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=partial(_limit, _limits()),
    )


async def _look_after(process: asyncio.subprocess.Process, output: Output, progress: Callable[[str], None]) -> str:
    """Wait for the command's end; gives why it has to be stopped, or nothing.

    What it left running in the background ends with it, and may not hold its output open.
    """
    reading = asyncio.create_task(_read(process, output, progress))
    watching = asyncio.create_task(_watch(process))
    try:
        await asyncio.wait({reading, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not watching.done():
            return reading.result() or await watching
        if not watching.result():
            _signal(process, signal.SIGKILL)
            await asyncio.wait({reading}, timeout=GRACE_SECONDS)
        return watching.result() or (reading.result() if reading.done() else "")
    finally:
        reading.cancel()
        watching.cancel()
        await asyncio.gather(reading, watching, return_exceptions=True)


async def _read(process: asyncio.subprocess.Process, output: Output, progress: Callable[[str], None]) -> str:
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


async def _watch(process: asyncio.subprocess.Process) -> str:
    """Look after what the command has started until it ends; gives why it goes too far, or nothing.

    The machine's own count is looked at often, since processes may double within milliseconds; the exact one, which
    takes longer, now and then and when that leaps.
    """
    quiet, looked_at = threads_of_machine() + MOST_PROCESSES, -LOOK_SECONDS
    while process.returncode is None:
        now = time.monotonic()
        if threads_of_machine() > quiet or now - looked_at > LOOK_SECONDS:
            load, looked_at = load_below(process.pid), now
            if load.processes > MOST_PROCESSES:
                return f"it started more than {MOST_PROCESSES} processes"
            if load.memory_bytes > MOST_MEMORY:
                return f"it used more than {MOST_MEMORY // 1024**2:,} MB of memory"
        await asyncio.sleep(WATCH_SECONDS)
    return ""


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the whole group, whether or not its first process has ended: children may live on."""
    if process.returncode is None:
        _signal(process, signal.SIGTERM)
        await _ended(process)
    _signal(process, signal.SIGKILL)
    await _ended(process)


def _signal(process: asyncio.subprocess.Process, wanted: signal.Signals) -> None:
    try:
        os.killpg(process.pid, wanted)
    except ProcessLookupError:  # nobody is left of it
        return
    except PermissionError:  # somebody in it has become another user
        if process.returncode is None:
            process.send_signal(wanted)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Wait a moment for the end. `Process.wait` waits for the output's end too, which others may hold open."""
    late = time.monotonic() + GRACE_SECONDS
    while process.returncode is None and time.monotonic() < late:  # noqa: ASYNC110  (nothing else tells)
        await asyncio.sleep(WATCH_SECONDS)


def _close(process: asyncio.subprocess.Process) -> None:
    """Let go of the pipe: a child that survived in another session may hold its other end open."""
    transport: asyncio.SubprocessTransport = process._transport  # type: ignore[attr-defined]  # there is no public way
    transport.close()


def _limits() -> list[tuple[int, int]]:
    """What holds for each process that a command starts.

    The kernel counts all processes of a user for RLIMIT_NPROC, whoever started them, and does not hold root to it.
    """
    return [
        (resource.RLIMIT_FSIZE, MOST_FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, MOST_MEMORY),  # not RLIMIT_AS: several runtimes reserve far more than they use
        (resource.RLIMIT_NPROC, threads_of_machine() + MOST_PROCESSES),
    ]


def _limit(limits: list[tuple[int, int]]) -> None:
    """In the child, before it becomes the command."""
    os.nice(NICENESS)
    for kind, most in limits:
        _, hard = resource.getrlimit(kind)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (value, hard if hard != resource.RLIM_INFINITY else value))

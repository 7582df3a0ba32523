"""Starting a command, and ending it: by itself, by one of its limits, or because the call is cancelled."""

import asyncio
import io
import json
import os
import resource
import select
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from loopwright.agents.ide.sandbox.isolation import TooDeep, free
from loopwright.kernel.errors import Misconfigured

# What a command and all that it has started come to: limits of the kernel hold per process, and not for root.

PROCESSES = Path("/proc")
PARENT, RESIDENT = 1, 21
"""Fields of `/proc/PID/stat` behind the program's name: the parent's id, and pages in memory (proc(5))."""

UNHELD = ("Shmem:", "SUnreclaim:")
"""Rows of `/proc/meminfo`, in KiB (proc(5))."""


@dataclass(frozen=True)
class Load:
    """How many processes there are, and how much memory they hold; what they share is counted for each."""

    processes: int
    memory_bytes: int


def threads_of_machine() -> int:
    """How many threads there are, whosever they are: one short line to read, however many they are; else 0."""
    try:
        return int((PROCESSES / "loadavg").read_text().split()[3].partition("/")[2])
    except OSError:  # a system without /proc
        return 0


def unheld_memory_of_machine() -> int:
    """Bytes that no process holds as its own, whosever they are: files in memory, shared segments, kernel objects."""
    try:
        rows = [row.split() for row in (PROCESSES / "meminfo").read_text().splitlines()]
    except OSError:  # a system without /proc
        return 0
    return sum(int(row[1]) * 1024 for row in rows if row[0] in UNHELD)


def load_below(pid: int) -> Load:
    """The load of all descendants of a process; nothing where the system has no `/proc`.

    Whoever leaves the process group stays a descendant within a sandbox: orphans go to its own first process.
    """
    pages = _family(pid)
    return Load(len(pages), sum(pages.values()) * os.sysconf("SC_PAGE_SIZE"))


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have, as long as their parents live."""
    return list(_family(pid))


def _family(pid: int) -> dict[int, int]:
    """Pages in memory by descendant."""
    children: dict[int, list[int]] = defaultdict(list)
    pages: dict[int, int] = {}
    for name in os.listdir(PROCESSES) if PROCESSES.is_dir() else ():
        found = _parent_and_pages(name) if name.isdigit() else None
        if found is not None:
            children[found[0]].append(int(name))
            pages[int(name)] = found[1]
    family, waiting = {}, list(children[pid])
    while waiting:
        each = waiting.pop()
        family[each] = pages[each]
        waiting += children.get(each, ())
    return family


def _parent_and_pages(name: str) -> tuple[int, int] | None:
    try:
        text = (PROCESSES / name / "stat").read_bytes()
    except OSError:  # it has ended meanwhile
        return None
    fields = text.rpartition(b")")[2].split()
    return int(fields[PARENT]), int(fields[RESIDENT])


# The output of a command: its beginning and its end, whatever it writes.

KEPT_HEAD, KEPT_TAIL = 8_000, 16_000
"""Bytes that are kept: of the beginning, and of the end, where errors stand."""


@dataclass
class Output:
    """Takes pieces in, and holds a bounded part of them."""

    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes) -> None:
        """Take a piece."""
        self.total += len(data)
        left = max(0, KEPT_HEAD - len(self._head))
        self._head += data[:left]
        self._tail += data[left:]
        if len(self._tail) > 2 * KEPT_TAIL:  # not at every piece: what is kept is moved each time
            del self._tail[:-KEPT_TAIL]

    @property
    def cut_bytes(self) -> int:
        """How much was left out."""
        return self.total - len(self._head) - min(len(self._tail), KEPT_TAIL)

    def text(self) -> str:
        """What was kept, with a line that says what was left out."""
        if not self.cut_bytes:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = self._head.decode("utf-8", "replace"), self._tail[-KEPT_TAIL:].decode("utf-8", "replace")
        return f"{head}\n… {self.cut_bytes:,} bytes left out …\n{tail}"


MOST_OUTPUT = 64 * 1024 * 1024
"""A command that writes more is stopped: nobody will read it."""
MOST_FILE_BYTES = 2 * 1024**3
MOST_PROCESSES = 400
MOST_MEMORY = 8 * 1024**3
"""Of one process as the kernel keeps it, and of all together as we look after them."""
MOST_WRITTEN, MOST_FILES = 4 * 1024**3, 200_000
"""Bytes and files of a layer."""
LEAST_FREE = 512 * 1024**2
"""Bytes left on the disk: files that are deleted while they are open take space that no listing shows."""
MEASURING_SHARE = 10
"""A layer is measured again after so many times as long as it took."""
NICENESS = 5
"""Commands give way, so that whoever looks after them gets his turn, and the user's editor too."""
WATCH_SECONDS, LOOK_SECONDS = 0.02, 0.5
GRACE_SECONDS = 2.0
CHUNK = 65_536
HINT = "See whether the machine is out of memory or processes."


@dataclass(frozen=True)
class CommandOutcome:
    """How a command ended. `exit_code` is None where it was stopped, and `stopped` says why then."""

    exit_code: int | None
    output: str
    seconds: float
    cut_bytes: int = 0
    stopped: str = ""


@dataclass(frozen=True)
class Launch:
    """How a command is started.

    `line` is the program and its arguments, `variables` its whole environment. `identity` is the user and group that it
    becomes, where Loopwright is root. `descriptors` stay open in it, and `first_process` is the end of a pipe on which
    bubblewrap tells the number of the sandbox's first process, whose end is the end of all; both are closed by `run`.
    `written` tells how many bytes and files lie in its layer.
    """

    line: Sequence[str]
    folder: Path
    variables: Mapping[str, str]
    identity: tuple[int, int] | None = None
    descriptors: tuple[int, ...] = ()
    first_process: int | None = None
    written: Callable[[], tuple[int, int]] = field(default=lambda: (0, 0))


async def run(
    launch: Launch, *, timeout_seconds: float, progress: Callable[[str], None] = lambda line: None
) -> CommandOutcome:
    """Start a command and wait for its end, and for that of all that it started in the sandbox.

    When the wait is cancelled all of it is killed at once, before this returns.

    Args:
        launch: what is started.
        timeout_seconds: after which it is killed.
        progress: is told of the output as it comes.

    Raises:
        Misconfigured: it could not be started, or does not end when it is killed.
    """
    started = time.monotonic()
    told = None if launch.first_process is None else os.fdopen(launch.first_process, "rb", buffering=0)
    try:
        process = await _start(launch)
    except BaseException:
        if told is not None:
            told.close()
        raise
    output, stopped, first, began = Output(), "", None, True
    try:
        async with asyncio.timeout(timeout_seconds):
            if told is not None:
                began, first = await _first_process(told)
            stopped = await _look_after(process, output, progress, launch)
    except TimeoutError:
        stopped = f"it took more than {timeout_seconds:g} seconds"
    finally:
        await _end(process, first)
        _close(process)
    if not began and not stopped:
        raise Misconfigured(f"The command could not be started: {output.text()[:500].strip()}.", hint=HINT)
    stopped = stopped or await asyncio.to_thread(_wrote_too_much, launch)  # however quick it was
    return CommandOutcome(
        exit_code=None if stopped else process.returncode,
        output=output.text(),
        seconds=round(time.monotonic() - started, 2),
        cut_bytes=output.cut_bytes,
        stopped=stopped,
    )


async def _start(launch: Launch) -> asyncio.subprocess.Process:
    user = {}
    if launch.identity is not None:
        user = {"user": launch.identity[0], "group": launch.identity[1], "extra_groups": []}
    try:
        return await asyncio.create_subprocess_exec(
            *launch.line,
            cwd=launch.folder,
            env=dict(launch.variables),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            pass_fds=launch.descriptors,
            preexec_fn=partial(_limit, _limits()),
            **user,  # type: ignore[arg-type]  # the stubs know no such mixture
        )
    except OSError as error:
        raise Misconfigured(f"The command could not be started: {error}.", hint=HINT) from error
    finally:
        for descriptor in launch.descriptors:
            os.close(descriptor)


def _wrote_too_much(launch: Launch) -> str:
    """Why what lies in its layer goes too far, or nothing."""
    try:
        held, files = launch.written()
    except TooDeep:
        return "it made folders that lie too deep"
    if held > MOST_WRITTEN or files > MOST_FILES:
        return f"it wrote more than {MOST_WRITTEN // 1024**2:,} MB or {MOST_FILES:,} files"
    return ""


async def _first_process(told: io.FileIO) -> tuple[bool, int | None]:
    """Whether the sandbox has a first process, and a descriptor of it; None where that has ended."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), told)
    try:
        data = await reader.read()
    finally:
        transport.close()
    try:
        return True, os.pidfd_open(json.loads(data)["child-pid"])
    except ValueError:
        return False, None
    except ProcessLookupError:
        return True, None


async def _look_after(
    process: asyncio.subprocess.Process,
    output: Output,
    progress: Callable[[str], None],
    launch: Launch,
) -> str:
    """Wait for the command's end; gives why it has to be stopped, or nothing.

    What it left running in the background ends with it, and may not hold its output open.
    """
    reading = asyncio.create_task(_read(process, output, progress))
    watching = asyncio.create_task(_watch(process, launch))
    try:
        await asyncio.wait({reading, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not watching.done():
            return reading.result() or await watching
        if not watching.result():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
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


async def _watch(process: asyncio.subprocess.Process, launch: Launch) -> str:
    """Look after what the command has started until it ends; gives why it goes too far, or nothing.

    The machine's own count is looked at often, since processes may double within milliseconds; the exact one, which
    takes longer, now and then and when that leaps.
    """
    quiet, looked_at = threads_of_machine() + MOST_PROCESSES, -LOOK_SECONDS
    unheld = unheld_memory_of_machine()
    measured_at, took = time.monotonic(), 0.0
    while process.returncode is None:
        now = time.monotonic()
        if threads_of_machine() > quiet or now - looked_at > LOOK_SECONDS:
            load, looked_at = load_below(process.pid), now
            if load.processes > MOST_PROCESSES:
                return f"it started more than {MOST_PROCESSES} processes"
            if load.memory_bytes + max(0, unheld_memory_of_machine() - unheld) > MOST_MEMORY:
                return f"it used more than {MOST_MEMORY // 1024**2:,} MB of memory"
        if now - measured_at > max(LOOK_SECONDS, MEASURING_SHARE * took):
            too_much = await asyncio.to_thread(_wrote_too_much, launch)
            measured_at, took = time.monotonic(), time.monotonic() - now
            if too_much or free(launch.folder) < LEAST_FREE:
                return too_much or "the disk is nearly full"
        await asyncio.sleep(WATCH_SECONDS)
    return ""


async def _end(process: asyncio.subprocess.Process, first: int | None) -> None:
    """Kill what is left of it. In a sandbox all processes end with its first one, which ends with bubblewrap.

    Raises:
        Misconfigured: the first process does not end.
    """
    outside = descendants(process.pid) if first is None else []
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for each in outside:  # those that have left the group
        with suppress(ProcessLookupError, PermissionError):
            os.kill(each, signal.SIGKILL)
    late = time.monotonic() + GRACE_SECONDS
    while process.returncode is None and time.monotonic() < late:  # noqa: ASYNC110  (nothing else tells)
        await asyncio.sleep(WATCH_SECONDS)
    if first is None:
        return
    try:
        if not await asyncio.to_thread(_has_ended, first):
            raise Misconfigured("A command does not end, although it was killed.", hint="Look for it with `ps`.")
    finally:
        os.close(first)


def _has_ended(first: int) -> bool:
    """Wait a moment for the end of a process, and of all in its namespace."""
    poll = select.poll()
    poll.register(first, select.POLLIN)
    return bool(poll.poll(GRACE_SECONDS * 1000))


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

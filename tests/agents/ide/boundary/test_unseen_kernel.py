"""Attempts 1-7 found in the reports of other sandboxes: the kernel, processes and terminals."""

import asyncio
import ctypes
import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from loopwright.agents.ide.sandbox import OF_MACHINE, filter_program
from tests.agents.ide.boundary.filtering import judged
from tests.agents.ide.boundary.grounds import SECRET, Grounds, tree
from tests.agents.ide.boundary.test_kernel import X86_64, python
from tests.agents.ide.commanding import confined
from tests.agents.ide.sandbox.processes_seen import begun, gone, own
from tests.shape.source import ROOT

pytestmark = confined
LIBC = ctypes.CDLL(None, use_errno=True)
FAMILIES = {"AF_CAN": 29, "AF_TIPC": 30, "AF_ALG": 38, "AF_VSOCK": 40, "AF_XDP": 44}
ADD_KEY, KEYCTL = (248, 250) if X86_64 else (217, 219)


@pytest.mark.parametrize("network", [False, True], ids=["without_network", "with_network"])
async def test_unseen_01_sockets_of_the_kernels_crypto_and_of_virtual_machines(grounds: Grounds, network: bool) -> None:
    for machine, (architecture, named, _) in OF_MACHINE.items():
        program = filter_program(machine, network=network)
        assert program is not None
        for family in (*FAMILIES.values(), 38 | 1 << 32):
            assert judged(program, architecture, named["socket"], family & 0xFFFFFFFF) == "EAFNOSUPPORT"
    code = f"""
for family in {tuple(FAMILIES.values())!r}:
    for kind in (1, 2, 3, 5):
        try:
            socket.socket(family, kind); print('made', family, kind)
        except OSError as error:
            print(errno.errorcode[error.errno])
"""
    assert set((await grounds.prints(python(code), network=network)).split()) == {"EAFNOSUPPORT"}


async def test_unseen_02_shared_memory_and_queues_of_the_user(grounds: Grounds) -> None:
    key, made = 0x4D070000 + os.getpid() % 0xFFFF, 0o1000 | 0o666
    memory, queue = LIBC.shmget(key, 4096, made), LIBC.msgget(key, made)
    try:
        assert min(memory, queue) >= 0
        assert LIBC.shmget(key, 0, 0) == memory, "outside it is found by its key"
        code = f"print(libc.shmget({key}, 0, 0), libc.msgget({key}, 0), libc.shmat({memory}, 0, 0))"
        assert await grounds.prints(python(code)) == "-1 -1 -1\n"
        assert len((await grounds.prints("cat /proc/sysvipc/shm /proc/sysvipc/msg")).splitlines()) == 2
    finally:
        LIBC.shmctl(memory, 0, None)
        LIBC.msgctl(queue, 0, None)


def read(path: str) -> bytes:
    """A file of this machine, as somebody outside reads it."""
    return Path(path).read_bytes()


@contextmanager
def key_of_the_user(name: bytes) -> Iterator[None]:
    """A key in the keyring of the session, as a login leaves it for tickets and disks."""
    key = LIBC.syscall(ADD_KEY, b"user", name, b"payload", ctypes.c_size_t(7), ctypes.c_int(-3))
    assert key >= 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        LIBC.syscall(KEYCTL, 21, key)  # KEYCTL_INVALIDATE


async def test_unseen_03_names_of_the_users_keys(grounds: Grounds) -> None:
    with key_of_the_user(b"boundary-canary-key"):
        assert b"boundary-canary-key" in read("/proc/keys"), "outside it is seen"
        told = await grounds.prints("cat /proc/keys /proc/key-users /proc/self/task/*/../../../keys 2>/dev/null; true")
    assert "boundary-canary-key" not in told


def state_of(process: int) -> str:
    """The letter of a process's state: S for one that sleeps, T for one that is stopped."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


KILLING = (
    "kill -9 1; kill -STOP 1; kill -9 -1",
    "trap '' TERM; kill -STOP 1; kill -STOP -1",
    "python3 -c 'import os; os.kill(0, 9)'; kill -9 0",
    "for p in $(seq 2 400); do kill -9 $p; done",
)


@pytest.mark.parametrize("line", KILLING)
async def test_unseen_04_killing_and_stopping_all_that_there_is(grounds: Grounds, line: str) -> None:
    user = {"user": grounds.owner[0], "group": grounds.owner[1]} if grounds.owner is not None else {}
    with subprocess.Popen(["sleep", "60"], **user) as outside:  # noqa: ASYNC220
        try:
            async with asyncio.timeout(20):
                report = await grounds.run(f"{line}; sleep 0.1", seconds=2)
            assert report.outcome is not None
            assert not report.paths
            assert outside.poll() is None, "somebody else's process of the same user lives"
            assert state_of(outside.pid) == "S", "and was not stopped"
        finally:
            outside.kill()


SUPERVISOR = """
import asyncio, sys
from pathlib import Path
from tests.agents.ide.commanding import command
line = '''python3 - <<END &
import ctypes, os
ctypes.CDLL(None).prctl(1, 0); os.setsid(); os.execvp("sleep", ["sleep", "319"])
END
trap : TERM HUP; sleep 320; echo late > late.txt'''
asyncio.run(command(Path(sys.argv[1]), line))
"""


async def test_unseen_05_outliving_the_one_who_looks_after_it(project: Grounds) -> None:
    """The signal at the death of the parent is cleared, and then Loopwright is killed as by the kernel."""
    before = tree(project.root)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT), *sys.path))}
    daemon, itself = own(319), own(320)
    program = SUPERVISOR.replace("319", daemon).replace("320", itself)
    line = [sys.executable, "-c", program, project.root]
    with subprocess.Popen(line, cwd=ROOT, env=environment) as supervisor:  # noqa: ASYNC220
        try:
            await begun(daemon)
            await begun(itself)
        finally:
            supervisor.kill()
    await gone(daemon)
    await gone(itself)
    assert tree(project.root) == before


def arguments_with(part: bytes) -> bytes:
    """The command lines, as every user reads them, of all processes that have this in them."""
    found = b""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            arguments = Path(f"/proc/{name}/cmdline").read_bytes()
            found += arguments if part in arguments else b""
    return found


async def test_unseen_06_environment_in_the_command_line(grounds: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every user of the machine reads the arguments of every process."""
    for name in ("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "GH_TOKEN", "LD_PRELOAD_TOKEN"):
        monkeypatch.setenv(name, SECRET)
    running = asyncio.create_task(grounds.run("sleep 0.417"))
    seen = b""
    while not running.done():
        seen += arguments_with(b"sleep 0.417")
        await asyncio.sleep(0.02)
    await running
    assert b"--setenv" in seen, "the sandbox's own arguments were seen"
    assert SECRET.encode() not in seen


async def test_unseen_07_other_terminals_of_the_user(grounds: Grounds) -> None:
    controlling, terminal = pty.openpty()
    name = os.ttyname(terminal)
    try:
        code = f"""
own = pty.openpty()
for place in ({name!r}, *('/dev/pts/' + each for each in os.listdir('/dev/pts')), '/dev/console', '/dev/tty1'):
    if place != os.ttyname(own[1]) or place == {name!r}:
        try:
            os.write(os.open(place, os.O_WRONLY | os.O_NOCTTY), b'typed')
        except OSError:
            pass
"""
        await grounds.prints(python(code))
        assert not select.select([controlling], [], [], 0.1)[0]
        os.write(terminal, b"x")
        assert select.select([controlling], [], [], 5)[0], "outside it would have arrived"
    finally:
        os.close(controlling)
        os.close(terminal)

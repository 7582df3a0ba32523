"""Attacks 41-54: calls to the kernel, sockets, descriptors, and what `/proc` shows of others."""

import hashlib
import os
import platform
import shutil
import socket
from pathlib import Path

import pytest

from loopwright.agents.ide.sandbox import OF_MACHINE, filter_program
from loopwright.agents.ide.sandbox import isolation as isolation_of
from loopwright.kernel.programs import find_program
from tests.agents.ide.acting import project_at
from tests.agents.ide.boundary.filtering import judged
from tests.agents.ide.boundary.grounds import SECRET, Grounds
from tests.agents.ide.commanding import confined

pytestmark = [*confined, pytest.mark.skipif(platform.machine() not in OF_MACHINE, reason="no filter for this machine")]
PRELUDE = """
import ctypes, errno, fcntl, os, pty, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    done = libc.syscall(ctypes.c_long(number), *(ctypes.c_ulong(each) for each in arguments))
    return errno.errorcode[ctypes.get_errno()] if done == -1 else 'done'
"""
X86_64 = platform.machine() == "x86_64"
IOCTL, UNSHARE, SETNS, PTRACE, CLONE = (16, 272, 308, 101, 56) if X86_64 else (29, 97, 268, 117, 220)
KEYCTL, PROCESS_VM_READV, MOUNT, USERFAULTFD = (250, 310, 165, 323) if X86_64 else (219, 270, 40, 282)


def python(code: str) -> str:
    """A command that runs Python code, which has `call` for system calls by number."""
    return f"python3 - <<'END'\n{PRELUDE}{code}\nEND"


async def test_attack_41_typing_into_the_terminal(grounds: Grounds) -> None:
    told = await grounds.prints(
        python(
            f"""
try:
    os.open('/dev/tty', os.O_RDWR); print('opened')
except OSError as error:
    print(errno.errorcode[error.errno])
letter = ctypes.create_string_buffer(b'x')
print(call({IOCTL}, pty.openpty()[1], 0x5412, ctypes.addressof(letter)), os.isatty(0), os.getsid(0) == os.getpgid(0))
"""
        )
    )
    assert told.split() == ["ENXIO", "EPERM", "False", told.split()[-1]]


async def test_attack_42_linux_terminal_calls_and_long_numbers(grounds: Grounds) -> None:
    numbers = "(0x5412, 0x541c, 0x100005412, 0xffffffff0000541c, 0x8000000000005412)"
    line = f"print(*(call({IOCTL}, pty.openpty()[1], number, 0) for number in {numbers}))"
    assert (await grounds.prints(python(line))).split() == ["EPERM"] * 5


CONNECT = """
def reach(family, address):
    try:
        socket.socket(family, socket.SOCK_STREAM).connect(address); return 'reached'
    except OSError:
        return 'refused'
"""


def listening(address: str) -> socket.socket:
    """A socket that somebody outside listens on."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen()
    return server


async def test_attack_43_sockets_with_paths(grounds: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the project, beside it and where the environment says: agents for keys, D-Bus, the editor's own."""
    inside, outside = grounds.root / "agent.sock", grounds.outside / "agent.sock"
    for name in ("SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "GPG_AGENT_INFO", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(outside))
    with listening(str(inside)), listening(str(outside)):
        places = f"({str(inside)!r}, {str(outside)!r}, '/proc/1/root{outside}', '/proc/1/cwd/agent.sock')"
        line = f"{CONNECT}\nprint(*(reach(socket.AF_UNIX, each) for each in {places}), 'SSH_AUTH_SOCK' in os.environ)"
        assert (await grounds.prints(python(line))).split() == ["refused"] * 4 + ["False"]
        shared = await grounds.prints(python(line), network=True)
        assert shared.split() == ["refused"] * 4 + ["False"]


@pytest.mark.parametrize("network", [False, True], ids=["without_network", "with_network"])
async def test_attack_44_abstract_sockets(grounds: Grounds, network: bool) -> None:
    """With the network they are in reach: then no such socket can be made, though pairs of them can."""
    name = f"\0boundary-{os.getpid()}-{network}"
    with listening(name):
        line = f"{CONNECT}\nprint(reach(socket.AF_UNIX, {name!r})); socket.socketpair()"
        assert await grounds.prints(python(line), network=network) == "refused\n"


async def test_attack_45_socket_of_docker(grounds: Grounds) -> None:
    places = ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock")
    (grounds.root / "docker.sock").symlink_to("/var/run/docker.sock")
    await grounds.fails(f"ls -d /run /var/run {' '.join(places)}; cat docker.sock")
    line = f"{CONNECT}\nprint({{reach(socket.AF_UNIX, each) for each in {(*places, 'docker.sock')!r}}})"
    assert await grounds.prints(python(line)) == "{'refused'}\n"


async def test_attack_46_inherited_descriptors(grounds: Grounds) -> None:
    folder = os.open(grounds.outside, os.O_RDONLY | os.O_DIRECTORY)
    os.set_inheritable(folder, True)
    code = """
import os
for number in range(3, 4096):
    for path in ('taken', '../taken', 'outside/taken'):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, dir_fd=number)); print('through', number)
        except OSError:
            pass
print(sorted(os.listdir('/proc/self/fd'))[:3], os.readlink('/proc/self/cwd'), os.readlink('/proc/1/cwd'))
for number in os.listdir('/proc/1/fd'):
    print(os.readlink('/proc/1/fd/' + number).split(':')[0])
"""
    try:
        told = (await grounds.prints(python(code))).splitlines()
    finally:
        os.close(folder)
    assert told[0] == f"['0', '1', '2'] {grounds.root} {grounds.root}"
    assert set(told[1:]) <= {"/dev/null", "pipe", "anon_inode"}


async def test_attack_47_environment_and_root_of_helpers(grounds: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "LOOPWRIGHT_API_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_TOKEN"):
        monkeypatch.setenv(name, SECRET)
    line = "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; tr '\\0' ' ' < $p/cmdline; ls $p/root/ $p/cwd/; done"
    told = await grounds.prints(f"({line}; env) 2>&1; ls -d /proc/[0-9]* | wc -l; true")
    assert not any(name in told.split() for name in ("canary.txt", "oldroot"))
    await grounds.run(f"cat /proc/*/root{grounds.canary} /proc/*/cwd/../outside/canary.txt")


async def test_attack_48_overwriting_the_program_that_runs(grounds: Grounds) -> None:
    program = grounds.isolation().bubblewrap if grounds.way != "without" else Path("/usr/bin/bwrap")
    before = hashlib.sha256(program.read_bytes()).digest()
    code = """
for path in ('/proc/1/exe', '/proc/self/exe', '/proc/%d/exe' % os.getppid(), '/usr/bin/bwrap', '/bin/sh'):
    try:
        os.close(os.open(path, os.O_WRONLY)); print('opened', path)
    except OSError as error:
        print(errno.errorcode[error.errno])
"""
    told = (await grounds.prints(python(code))).split()
    assert set(told) <= {"ETXTBSY", "EACCES", "EROFS", "ENOENT", "EPERM"}
    assert hashlib.sha256(program.read_bytes()).digest() == before


async def test_attack_49_tracing_a_helper_without_a_filter(grounds: Grounds) -> None:
    code = f"""
buffer = ctypes.create_string_buffer(16)
print(call({PTRACE}, 16, 1, 0, 0), call({PTRACE}, 0x4206, 1, 0, 0), call({PTRACE}, 0, 0, 0, 0))
print(call({PROCESS_VM_READV}, 1, ctypes.addressof(buffer), 1, ctypes.addressof(buffer), 1, 0))
for number in [each for each in os.listdir('/proc') if each.isdigit()]:
    rows = dict(row.split(':', 1) for row in open('/proc/' + number + '/status'))
    print(*(rows[name].strip() for name in ('Seccomp', 'NoNewPrivs', 'CapEff', 'CapBnd')))
"""
    calls, memory, *processes = (await grounds.prints(python(code))).splitlines()
    assert set(f"{calls} {memory}".split()) == {"EPERM"}
    assert set(processes) == {"2 1 0000000000000000 0000000000000000"}, "every process of the sandbox is filtered"


async def test_attack_50_io_uring(grounds: Grounds) -> None:
    code = "print(call(425, 8, ctypes.addressof(ctypes.create_string_buffer(120))), call(426, 0), call(427, 0))"
    assert (await grounds.prints(python(code))).split() == ["ENOSYS"] * 3


GETPID = {"x86_64": 39, "aarch64": 172}
OF_32_BITS = """
import mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')  # mov eax, 20 (getpid); int 0x80; ret
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
print(ctypes.CFUNCTYPE(ctypes.c_int)(address)())
"""


async def test_attack_51_calls_of_another_word_size(grounds: Grounds) -> None:
    for machine in OF_MACHINE:
        other = next(each for each in OF_MACHINE if each != machine)
        program = filter_program(machine)
        assert program is not None
        assert judged(program, OF_MACHINE[other][0], 0) == judged(program, 0x40000003, 20) == "ENOSYS"
        assert judged(program, OF_MACHINE[machine][0], 0x40000000 | 39) == "ENOSYS"
        assert judged(program, OF_MACHINE[machine][0], GETPID[machine]) == "allowed"
    if X86_64:
        assert (await grounds.prints(python("print(call(0x40000000 | 39), call(0x40000000 | 520))"))).split() == [
            "ENOSYS"
        ] * 2
        assert await grounds.prints(python(OF_32_BITS)) == "-38\n"


async def test_attack_52_clone3_around_the_ban_of_namespaces(grounds: Grounds) -> None:
    code = f"""
arguments = ctypes.create_string_buffer(struct.pack('<QQQQQQQQ', 0x10000000, 0, 0, 0, 17, 0, 0, 0))
print(call(435, ctypes.addressof(arguments), 64))
for flag in (0x10000000, 0x00020000, 0x40000000, 0x20000000, 0x08000000, 0x04000000, 0x02000000):
    print(call({CLONE}, flag | 17, 0, 0, 0, 0), call({UNSHARE}, flag))
print(call({UNSHARE}, 0x80), call({SETNS}, os.open('/proc/self/ns/user', os.O_RDONLY), 0))
"""
    told = (await grounds.prints(python(code))).split()
    assert told[0] == "ENOSYS"
    assert set(told[1:]) == {"EPERM"}


async def test_attack_53_new_namespaces_and_their_file_systems(grounds: Grounds) -> None:
    for line in (
        "unshare -Ur true", "unshare -r mount -t overlay x -o lowerdir=/usr /mnt", "nsenter -t 1 -m true",
        "unshare --mount true", "mount -t fuse x /tmp/home", "ls /dev/fuse",
    ):  # fmt: skip
        await grounds.fails(line)
    code = f"print(call({MOUNT}, 0, 0, 0, 0, 0), call(430, 0, 0), call(428, 0, 0, 0), call(442, 0, 0, 0, 0, 0))"
    code += f"\nprint(call({KEYCTL}, 0, 0, 0, 0), call({USERFAULTFD}, 0), call(438, 0, 0, 0))"
    assert set((await grounds.prints(python(code))).split()) == {"EPERM"}


@pytest.mark.parametrize("mode", [0o755, 0o4755, 0o2755, 0o6755], ids=oct)
def test_attack_54_setuid_bubblewrap(project: Grounds, mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that gets rights which its caller has not is never used, whoever drives it."""
    installed = find_program("bwrap", outside=project.root)
    assert installed is not None
    own = project.folder / "programs" / "bwrap"
    own.parent.mkdir(mode=0o755)
    shutil.copy(installed, own)
    own.chmod(mode)
    monkeypatch.setenv("PATH", os.pathsep.join((str(own.parent), os.environ["PATH"])))
    found = isolation_of(project.root, project_at(project.root).state_folder)
    assert (found is not None and found.bubblewrap == own) is (mode == 0o755)

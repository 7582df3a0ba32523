"""Running commands of a model's: on a layer of the project, confined, limited in time, memory, disk and processes."""

import errno
import os
import platform
import shutil
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopwright.agents.ide.project_files import is_secret
from loopwright.agents.ide.sandbox.isolation import Identity, Isolation, can_confine, can_enter, identity_of, isolation
from loopwright.agents.ide.sandbox.layers import Entry, Layer, Survey, new_layer, survey
from loopwright.agents.ide.sandbox.running import CommandOutcome, Launch, run

# The programs of the user's own shell, made usable inside the sandbox: read-only, and named by the user alone.

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store")
"""What programs need to start; they are there in any case."""
PROGRAM_FOLDERS = frozenset({"bin", "sbin", "shims", "condabin", "Scripts"})
"""Names of folders on the PATH whose installation is the folder above."""
VERSION_STORES = (
    ".pyenv/versions", ".local/share/uv/python", ".local/share/mise/installs/python", ".asdf/installs/python",
    ".rye/py", "miniconda3/envs", "anaconda3/envs", "miniforge3/envs", "mambaforge/envs", ".conda/envs",
)  # fmt: skip
"""Where version managers keep interpreters below the home folder: each folder in them is one installation."""
MARKED = {"pyvenv.cfg": "VIRTUAL_ENV", "conda-meta": "CONDA_PREFIX", "shims/python": "PYENV_ROOT"}
"""What tells an installation of a kind, and the variable by which its programs know it."""
DATA_FOLDERS = (".local/share", ".local/state", ".config", ".cache")
"""Below the home folder: keyrings, sessions, histories of all programs. What holds one is not an installation."""
RUSTUP, RUSTUP_FOLDER = "rustup", ".rustup"
"""Starts the compilers that lie in a folder of its own below the home folder."""
SECRETS_DEPTH = 2


@dataclass(frozen=True)
class Toolchain:
    """What a command gets: folders of its PATH, folders to show read-only, files in these to hide, variables."""

    path: tuple[str, ...]
    folders: tuple[str, ...]
    hidden: tuple[str, ...]
    variables: Mapping[str, str]


def toolchain(root: Path, private: tuple[Path, ...] = (), identity: Identity | None = None) -> Toolchain:
    """The toolchain of the shell that Loopwright was started from.

    Args:
        root: the project; nothing in it is taken, since it is there anyway, and its links prove nothing.
        private: folders of Loopwright's own, which no shown folder may contain.
        identity: as whom the command runs, if that is somebody else: what they cannot enter is left out.
    """
    search = _Search(root.resolve(), Path.home(), tuple(place.resolve() for place in private), identity)
    for entry in os.get_exec_path():
        search.take_programs(entry)
    search.take_compilers()
    search.take_interpreter(search.root / ".venv" / "bin" / "python")
    folders = tuple(sorted(search.folders))
    hidden = tuple(file for file in _secrets(folders) if identity is None or can_enter(Path(file).parent, identity))
    return Toolchain(tuple(search.path), folders, hidden, search.variables)


class _Search:
    """Collects the folders."""

    def __init__(self, root: Path, home: Path, private: tuple[Path, ...], identity: Identity | None) -> None:
        self.root = root
        self._identity = identity
        self.home = home.resolve()
        self.path: dict[str, None] = {}
        self.folders: dict[str, None] = {}
        self.variables: dict[str, str] = {}
        data = (self.home / folder for folder in DATA_FOLDERS)
        self._closed = (root, self.home, *private, *data, Path("/tmp"), Path("/var/tmp"))  # noqa: S108

    def take_programs(self, entry: str) -> None:
        """A folder of the shell's PATH, with the installations that its programs belong to."""
        place = Path(entry)
        if not (place.is_absolute() and os.access(place, os.R_OK | os.X_OK) and place.is_dir()) or _is_ours(place):
            return
        real = place.resolve()
        if self._inside_project(real):
            return
        if not _in_system(real):
            if not self._show(real.parent if real.name in PROGRAM_FOLDERS else real) and not self._show(real):
                return
            for program in _links(real):
                self._show_installation(program)
        self.path[entry] = None
        if real.name in PROGRAM_FOLDERS:
            for mark, variable in MARKED.items():
                if os.path.exists(place.parent / mark):
                    self.variables.setdefault(variable, str(place.parent))

    def take_compilers(self) -> None:
        """Those of rustup, whose programs on the PATH only start them."""
        folder = self.home / RUSTUP_FOLDER
        if folder.is_dir() and any(Path(entry, RUSTUP).exists() for entry in self.path) and self._show(folder):
            self.variables["RUSTUP_HOME"] = str(folder)

    def take_interpreter(self, link: Path) -> None:
        """The interpreter of the project's own environment, if a version manager has installed it."""
        try:
            real = link.resolve(strict=True)
        except (OSError, RuntimeError):
            return
        for store in VERSION_STORES:
            folder = self.home / store
            if real.is_relative_to(folder) and len(real.relative_to(folder).parts) == 3:
                self._show(real.parent.parent)

    def _show_installation(self, program: Path) -> None:
        """What a program is part of; of a work tree, which is somebody's project, the folder of programs alone."""
        if not _in_system(program) and not self._inside_project(program) and program.parent.name in PROGRAM_FOLDERS:
            above = program.parent.parent
            self._show(program.parent if (above / ".git").exists() else above)

    def _show(self, folder: Path) -> bool:
        """Show a folder, unless more would be seen than programs."""
        if len(folder.parts) < 3 or any(each.is_relative_to(folder) for each in self._closed):
            return False
        if is_secret(folder.parts[1:]) or not (self._identity is None or can_enter(folder, self._identity)):
            return False
        self.folders[str(folder)] = None
        return True

    def _inside_project(self, place: Path) -> bool:
        return place.is_relative_to(self.root)


def _is_ours(place: Path) -> bool:
    """Whether Loopwright itself is installed there: its packages are not the project's."""
    return sys.prefix != sys.base_prefix and place.resolve().is_relative_to(Path(sys.prefix).resolve())


def _in_system(place: Path) -> bool:
    return any(place.is_relative_to(folder) for folder in SYSTEM_FOLDERS)


def _links(folder: Path) -> Iterator[Path]:
    """Where the links in a folder of programs lead."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                try:
                    yield Path(entry.path).resolve(strict=True)
                except (OSError, RuntimeError):
                    continue


def _secrets(folders: tuple[str, ...]) -> Iterator[str]:
    """Files for secrets that lie near the top of installations, such as the credentials of a package manager."""
    for top in folders:
        for folder, below, names in os.walk(top):
            depth = len(Path(folder).parts) - len(Path(top).parts)
            yield from (str(Path(folder, name)) for name in names if is_secret((name,)))
            if depth + 1 >= SECRETS_DEPTH:
                below.clear()


# The command line of the sandbox: the project's layer can be written, the system and the user's programs read.

SYSTEM_FILES = tuple(
    f"/etc/{name}"
    for name in (
        *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs"),
        *("ca-certificates", "passwd", "group", "hosts", "resolv.conf", "nsswitch.conf", "host.conf", "gai.conf"),
        *("protocols", "services", "localtime", "timezone", "mime.types", "fonts", "terminfo", "python3", "perl"),
    )
)
"""What programs read of the machine's configuration; the rest may hold anything."""
TOLD_OF_THE_USER = ("/proc/keys", "/proc/key-users")
"""The kernel's keyrings follow a user into every namespace: the names of their keys are not the command's to know."""
HOME = "/tmp/home"  # noqa: S108  (inside the sandbox, whose /tmp is its own)
TEMPORARY_BYTES, SHARED_BYTES = 2 * 1024**3, 256 * 1024**2
"""Both lie in memory, which no limit per process counts."""


def environment(root: Path, tools: Toolchain) -> dict[str, str]:
    """What a command sees: where programs are and the project's own environment; no keys, no tokens, no home."""
    own = [str(root / folder) for folder in (".venv/bin", "node_modules/.bin") if (root / folder).is_dir()]
    path = [*own, *tools.path, "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        **tools.variables,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PATH": os.pathsep.join(dict.fromkeys(path)),
        "HOME": HOME,
        "TMPDIR": "/tmp",  # noqa: S108
        "PYTHONDONTWRITEBYTECODE": "1",
        "NO_COLOR": "1",
        "CI": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
    }


def bubblewrap(
    isolation: Isolation,
    root: Path,
    source: str,
    tools: Toolchain,
    variables: Mapping[str, str],
    *,
    working_directory: Path,
    network: bool,
    identity: tuple[int, int],
    program: Path | None = None,
    filter_descriptor: int | None = None,
) -> list[str]:
    """Bubblewrap and its arguments, to stand before the command.

    Args:
        isolation: what works on this machine.
        root: where the project is seen: the only mount below which the command can write, beside `/tmp`.
        source: what is mounted there.
        tools: the user's programs.
        variables: the command's environment.
        working_directory: where it starts, below the root.
        network: whether it may reach the network.
        identity: the user's and group's number that it sees.
        program: a copy of bubblewrap to start in its place.
        filter_descriptor: an open file with the filter of system calls.
    """
    arguments = [str(program or isolation.bubblewrap), *isolation.flags, *(["--share-net"] if network else [])]
    if "--unshare-user" in isolation.flags:
        arguments += ["--uid", str(identity[0]), "--gid", str(identity[1])]
    for folder in SYSTEM_FOLDERS:
        arguments += _system(folder)
    for file in SYSTEM_FILES:
        arguments += ["--ro-bind", os.path.realpath(file), file] if Path(file).exists() else []
    arguments += ["--proc", "/proc"]
    for file in TOLD_OF_THE_USER:
        arguments += ["--ro-bind", os.devnull, file] if Path(file).exists() else []
    arguments += ["--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    arguments += ["--size", str(SHARED_BYTES), "--tmpfs", "/dev/shm"]  # noqa: S108
    arguments += ["--size", str(TEMPORARY_BYTES), "--tmpfs", "/tmp", "--dir", HOME]  # noqa: S108
    for folder in tools.folders:
        arguments += ["--ro-bind", folder, folder]
    for file in tools.hidden:  # opening a device is refused on these mounts: a clear error, not an empty file
        arguments += ["--ro-bind", os.devnull, file]
    arguments += ["--bind", source, str(root), "--remount-ro", "/", "--clearenv"]
    for name, value in variables.items():
        arguments += ["--setenv", name, value]
    if filter_descriptor is not None:
        arguments += ["--seccomp", str(filter_descriptor)]
    return [*arguments, "--chdir", str(working_directory), "--"]


def _system(folder: str) -> list[str]:
    place = Path(folder)
    if place.is_symlink():
        return ["--symlink", os.readlink(place), folder]
    return ["--ro-bind", folder, folder] if place.is_dir() else []


# The system calls that a confined command may not make, as a program for the kernel's filter (seccomp(2)).

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Codes of classic BPF instructions (linux/bpf_common.h): load; jump if equal, if at least, if a bit is set; end."""
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24
"""Where `struct seccomp_data` has the call's number, the architecture, and the lower halves of the first arguments."""
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
FOREIGN_WORD_SIZE = 0x40000000
"""From this number on calls are of the x32 word size."""
NEW_NAMESPACES = 0x7E020000
"""All CLONE_NEW… flags that clone(2) takes, but for the time namespace, whose bit means something else there."""
INTO_THE_TERMINAL = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which only their lower halves tell: the kernel ignores the upper ones."""
LOCAL, FAMILIES = 1, (2, 10, 16)
"""Sockets that programs need: local, IPv4, IPv6, and netlink for finding names."""

SAME_EVERYWHERE = {425: errno.ENOSYS, 426: errno.ENOSYS, 427: errno.ENOSYS, 435: errno.ENOSYS} | dict.fromkeys(
    (428, 429, 430, 431, 432, 433, 438, 442), errno.EPERM
)
"""io_uring and clone3, which programs do without; open_tree … fspick, pidfd_getfd, mount_setattr."""
OF_MACHINE = {
    "x86_64": (
        0xC000003E,
        {"clone": 56, "ioctl": 16, "socket": 41},
        # ptrace, process_vm_*, keys, bpf, perf_event_open, userfaultfd, unshare, setns, mount, umount2, pivot_root,
        # kexec_load, modules, quotactl, open_by_handle_at, kcmp, swapon, acct, syslog
        (101, 310, 311, 248, 249, 250, 321, 298, 323, 272, 308, 165, 166, 155, 246, 175, 313, 176, 179, 304, 312, 167,
         163, 103),
    ),
    "aarch64": (
        0xC00000B7,
        {"clone": 220, "ioctl": 29, "socket": 198},
        (117, 270, 271, 217, 218, 219, 280, 241, 282, 97, 268, 40, 39, 41, 104, 105, 273, 106, 60, 265, 272, 224,
         89, 116),
    ),
}  # fmt: skip


def filter_program(machine: str = platform.machine(), *, network: bool = False) -> bytes | None:
    """The filter as `bwrap --seccomp` takes it; None for a machine whose call numbers are not known here.

    With the network comes the user's own namespace of abstract sockets (D-Bus, the display, agents), which no mount
    hides: then no local socket can be made, but for pairs, which have another call.
    """
    if machine not in OF_MACHINE:
        return None
    architecture, named, refused = OF_MACHINE[machine]
    errors = SAME_EVERYWHERE | dict.fromkeys(refused, errno.EPERM)
    program = [
        _step(LOAD, ARCHITECTURE),
        _step(EQUAL, architecture, 1, 0),
        _refuse(errno.ENOSYS),
        _step(LOAD, NUMBER),
        _step(AT_LEAST, FOREIGN_WORD_SIZE, 0, 1),
        _refuse(errno.ENOSYS),
    ]
    for number, error in sorted(errors.items()):
        program += [_step(EQUAL, number, 0, 1), _refuse(error)]
    program += _if_called(
        named["clone"], [_step(LOAD, FIRST), _step(ANY_BIT, NEW_NAMESPACES, 0, 1), _refuse(errno.EPERM)]
    )
    typing = [instruction for k in INTO_THE_TERMINAL for instruction in (_step(EQUAL, k, 0, 1), _refuse(errno.EPERM))]
    program += _if_called(named["ioctl"], [_step(LOAD, SECOND), *typing])
    families = FAMILIES if network else (LOCAL, *FAMILIES)
    allowed = [_step(EQUAL, family, len(families) - place, 0) for place, family in enumerate(families)]
    program += _if_called(named["socket"], [_step(LOAD, FIRST), *allowed, _refuse(errno.EAFNOSUPPORT)])
    return b"".join([*program, _step(RETURN, ALLOW)])


def _if_called(number: int, body: list[bytes]) -> list[bytes]:
    """The body for one call alone; behind it everything is allowed, since the number is not loaded any more."""
    body = [*body, _step(RETURN, ALLOW)]
    return [_step(EQUAL, number, 0, len(body)), *body]


def _refuse(error: int) -> bytes:
    return _step(RETURN, REFUSE | error)


def _step(code: int, k: int, jump_true: int = 0, jump_false: int = 0) -> bytes:
    """One `struct sock_filter`."""
    return struct.pack("<HBBI", code, jump_true, jump_false, k)


SHELL = ("/bin/sh", "-c")
OUTER = {"PATH": "/usr/bin:/bin"}
"""The environment of what runs before the sandbox is closed."""


async def run_confined(
    layer: Layer,
    isolation: Isolation,
    command: str,
    *,
    working_directory: Path,
    timeout_seconds: float,
    network: bool = False,
    private: tuple[Path, ...] = (),
    progress: Callable[[str], None] = lambda line: None,
) -> CommandOutcome:
    """Run a shell command on a layer that was made. All its processes are dead when this returns, or raises.

    Args:
        layer: what it sees of the project and writes to.
        isolation: what works on this machine.
        command: for `/bin/sh -c`.
        working_directory: below the project's folder.
        timeout_seconds: after which the command is killed.
        network: whether it reaches the network.
        private: folders of Loopwright's own.
        progress: is told of the output as it comes.

    Raises:
        Misconfigured: it could not be started.
    """
    identity = identity_of(layer.root)
    tools = toolchain(layer.root, private, identity)
    variables = environment(layer.root, tools)
    told, tells = os.pipe()
    filtering = _filter_descriptor(network)
    arguments = bubblewrap(
        isolation,
        layer.root,
        layer.source,
        tools,
        variables,
        working_directory=working_directory,
        network=network,
        identity=identity or (os.getuid(), os.getgid()),
        program=_own_copy(layer, isolation) if os.getuid() == 0 and identity is None else None,
        filter_descriptor=filtering,
    )
    arguments[-1:-1] = ["--info-fd", str(tells)]
    launch = Launch(
        layer.wrap([*arguments, *SHELL, command]),
        layer.folder,
        OUTER,
        identity=identity,
        descriptors=tuple(each for each in (tells, filtering) if each is not None),
        first_process=told,
        written=layer.size,
    )
    return await run(launch, timeout_seconds=timeout_seconds, progress=progress)


def _filter_descriptor(network: bool) -> int | None:
    program = filter_program(network=network)
    if program is None:
        return None
    descriptor = os.memfd_create("filter")
    os.write(descriptor, program)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _own_copy(layer: Layer, isolation: Isolation) -> Path:
    """Bubblewrap for this command alone: what runs as the real root might write to the file of a running program."""
    place = layer.folder / "bwrap"
    shutil.copy(isolation.bubblewrap, place)
    place.chmod(0o755)
    return place


# A command outside the sandbox, in the project itself: only after the user was asked for this very command.


async def run_unconfined(
    root: Path,
    command: str,
    *,
    working_directory: Path,
    timeout_seconds: float,
    progress: Callable[[str], None] = lambda line: None,
) -> CommandOutcome:
    """Run a shell command with the user's rights, home and programs, without the keys of the environment.

    Raises:
        Misconfigured: it could not be started.
    """
    variables = environment(root, toolchain(root)) | {"HOME": str(Path.home())}
    variables.pop("TMPDIR")
    variables.pop("GIT_CONFIG_GLOBAL")
    launch = Launch((*SHELL, command), working_directory, variables, identity=identity_of(root))
    return await run(launch, timeout_seconds=timeout_seconds, progress=progress)


__all__ = [
    "CommandOutcome",
    "Entry",
    "Layer",
    "Survey",
    "can_confine",
    "isolation",
    "new_layer",
    "run_confined",
    "run_unconfined",
    "survey",
]

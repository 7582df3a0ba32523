"""The command line of the sandbox: the project's layer can be written, the system and the user's programs read."""

import os
from collections.abc import Mapping
from pathlib import Path

from loopwright.agents.ide.sandbox.isolation import Isolation
from loopwright.agents.ide.sandbox.toolchain import SYSTEM_FOLDERS, Toolchain

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

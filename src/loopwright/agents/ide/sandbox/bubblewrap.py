"""The sandbox: the project and nothing else can be written, there is no network, and no secret in the environment."""

import os
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

from loopwright.agents.ide.sandbox.guards import guards

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt")
"""What programs need to start; read-only."""
SYSTEM_FILES = tuple(
    f"/etc/{name}"
    for name in (
        *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs"),
        *("ca-certificates", "passwd", "group", "hosts", "resolv.conf", "nsswitch.conf", "host.conf", "gai.conf"),
        *("protocols", "services", "localtime", "timezone", "mime.types", "fonts", "terminfo", "python3", "perl"),
    )
)
"""What of the machine's configuration they read; the rest may hold anything."""
HOME = "/tmp/home"  # noqa: S108  (inside the sandbox, whose /tmp is its own)
CHECK_SECONDS = 10
NO_MORE_RIGHTS = ("--unshare-user", "--disable-userns")
"""Users of the sandbox's own; where root may not make them, it still has no right left (`--cap-drop`)."""


def environment(root: Path) -> dict[str, str]:
    """What a command sees: where programs are and the project's own environment; no keys, no tokens, no home."""
    own = [str(root / folder) for folder in (".venv/bin", "node_modules/.bin") if (root / folder).is_dir()]
    machine = [path for path in os.get_exec_path() if path.startswith(SYSTEM_FOLDERS)]
    path = [*own, str(Path(sys.executable).parent), *machine, "/usr/local/bin", "/usr/bin", "/bin"]
    return {
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


def can_confine() -> bool:
    """Whether bubblewrap is there and may make its namespaces."""
    return _namespaces() is not None


@cache
def _namespaces() -> tuple[str, ...] | None:
    """The arguments that take every right away, as far as this machine lets us; None where it does not let us."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    always = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    return next((flags for flags in ((*always, *NO_MORE_RIGHTS), always) if _works([program, *flags])), None)


def _works(command: list[str]) -> bool:
    command = [*command, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/true"]
    try:
        return subprocess.run(command, capture_output=True, timeout=CHECK_SECONDS, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def bubblewrap(root: Path, working_directory: Path, command: list[str], *, network: bool) -> list[str]:
    """The command line that runs a command confined, on a machine that `can_confine`.

    Args:
        root: the project: writable, but for its repositories, and without secrets and the agent's own folder.
        working_directory: where it starts, below the root.
        command: program and arguments.
        network: whether it may reach the network.

    Raises:
        InvalidInput: the project cannot be guarded.
    """
    arguments = ["bwrap", *(_namespaces() or ()), "--clearenv", *(["--share-net"] if network else [])]
    for folder in SYSTEM_FOLDERS:
        arguments += _system(folder)
    for file in SYSTEM_FILES:
        arguments += ["--ro-bind", os.path.realpath(file), file] if Path(file).exists() else []
    arguments += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", HOME]  # noqa: S108
    for folder in _interpreters(root):
        arguments += ["--ro-bind", folder, folder]
    arguments += ["--bind", str(root), str(root), *guards(root), "--remount-ro", "/"]
    for name, value in environment(root).items():
        arguments += ["--setenv", name, value]
    return [*arguments, "--chdir", str(working_directory), "--", *command]


def _system(folder: str) -> list[str]:
    place = Path(folder)
    if place.is_symlink():
        return ["--symlink", os.readlink(place), folder]
    return ["--ro-bind", folder, folder] if place.is_dir() else []


def _interpreters(root: Path) -> list[str]:
    """Where this Python and the project's own live, if that is outside of the system's folders."""
    places = {sys.prefix, sys.base_prefix, sysconfig.get_paths()["stdlib"]}
    own = root / ".venv" / "bin" / "python"
    if own.exists():
        places.add(str(own.resolve().parent.parent))
    return sorted(
        place for place in places if not place.startswith((*SYSTEM_FOLDERS, f"{root}/")) and place != str(root)
    )

"""The sandbox: the project and nothing else can be written, there is no network, and no secret in the environment."""

import os
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt")
"""What programs need to start; read-only."""
HIDDEN_IN_ETC = ("/etc/shadow", "/etc/gshadow", "/etc/ssh", "/etc/ssl/private", "/etc/sudoers", "/etc/sudoers.d")
KEPT_VARIABLES = ("LANG", "LC_ALL", "TERM", "TZ", "COLUMNS")
HOME = "/tmp/home"  # noqa: S108  (inside the sandbox, whose /tmp is its own)
CHECK_SECONDS = 10


def environment(root: Path) -> dict[str, str]:
    """What a command sees: where programs are and the project's own environment; no keys, no tokens, no home."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    own = [str(root / folder) for folder in (".venv/bin", "node_modules/.bin") if (root / folder).is_dir()]
    machine = [
        path for path in os.environ.get("PATH", "").split(os.pathsep) if path.startswith(("/usr", "/bin", "/opt"))
    ]
    path = [*own, str(Path(sys.executable).parent), *machine, "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        "LANG": "C.UTF-8",
        **kept,
        "PATH": os.pathsep.join(dict.fromkeys(path)),
        "HOME": HOME,
        "TMPDIR": "/tmp",  # noqa: S108
        "PYTHONDONTWRITEBYTECODE": "1",
        "NO_COLOR": "1",
        "CI": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
    }


@cache
def can_confine() -> bool:
    """Whether bubblewrap is there and may make its namespaces."""
    program = shutil.which("bwrap")
    if program is None:
        return False
    command = [program, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--", "/bin/true"]
    try:
        return subprocess.run(command, capture_output=True, timeout=CHECK_SECONDS, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def bubblewrap(root: Path, working_directory: Path, command: list[str], *, network: bool) -> list[str]:
    """The command line that runs a command confined.

    Args:
        root: the project: writable, but for git's hooks and configuration, and without the agent's own folder.
        working_directory: where it starts, below the root.
        command: program and arguments.
        network: whether it may reach the network.
    """
    arguments = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    arguments += ["--share-net"] if network else []
    for folder in SYSTEM_FOLDERS:
        arguments += _system(folder)
    for hidden in HIDDEN_IN_ETC:
        if Path(hidden).is_dir():
            arguments += ["--tmpfs", hidden]
        elif Path(hidden).exists():
            arguments += ["--ro-bind", os.devnull, hidden]
    arguments += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", HOME]  # noqa: S108
    for folder in _interpreters(root):
        arguments += ["--ro-bind", folder, folder]
    arguments += ["--bind", str(root), str(root)]
    for name in ("hooks", "config", "info"):
        place = root / ".git" / name
        if place.exists() and not place.is_symlink():
            arguments += ["--ro-bind", str(place), str(place)]
    if (root / ".loopwright").is_dir():
        arguments += ["--tmpfs", str(root / ".loopwright")]
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

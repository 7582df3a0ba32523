"""Who owns a run: a process, named so that others on the same machine can tell whether it still lives."""

import os
import socket
from functools import cache
from pathlib import Path

_PROC = Path("/proc")


def owner_id() -> str:
    """This process as `host:pid:start-token`.

    The host part also names the PID namespace, so that two containers with the same host name are two hosts. The token
    tells a process from a later one with the same number; it is empty where there is no /proc.
    """
    pid = os.getpid()
    return f"{_host()}:{pid}:{_start_token(pid) or ''}"


def owner_exists(owner: str) -> bool | None:
    """Whether the owner's process still runs: True or False for a process of this host, None when it cannot be known.

    It is not known of an owner elsewhere, of one whose name is not of this form, and of a process of another user where
    there is no /proc; those are judged by their heartbeat alone.
    """
    host, _, rest = owner.partition(":")
    pid_text, _, token = rest.partition(":")
    if host != _host() or not pid_text.isdigit():
        return None
    pid = int(pid_text)
    if _PROC.joinpath("self", "stat").exists():
        return _start_token(pid) == token
    if os.name != "posix":
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return None
    return True


@cache
def _host() -> str:
    try:
        namespace = os.readlink("/proc/self/ns/pid").removeprefix("pid:[").removesuffix("]")
    except OSError:
        return socket.gethostname()
    return f"{socket.gethostname()}#{namespace}"


def _start_token(pid: int) -> str | None:
    """Boot and start time of a process in clock ticks since boot (proc(5), field 22); None if it has ended."""
    try:
        fields = _PROC.joinpath(str(pid), "stat").read_text().rpartition(")")[2].split()
        boot = _PROC.joinpath("sys", "kernel", "random", "boot_id").read_text()[:8]
    except OSError:
        return None
    state, started = fields[0], fields[19]
    return None if state in ("Z", "X") else f"{boot}-{started}"

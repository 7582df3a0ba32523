"""Which processes of the machine are still there, told by a number in their command line."""

import asyncio
import os
from pathlib import Path


def own(seconds: int) -> str:
    """So many seconds, and a fraction that no other process of tests sleeps: all see the sleepers of one machine."""
    return f"{seconds}.{os.getpid():010}"


def sleepers(seconds: str) -> list[str]:
    """The ids of processes that are `sleep SECONDS`."""
    wanted = b"sleep\0" + seconds.encode() + b"\0"
    return [name for name in os.listdir("/proc") if name.isdigit() and _command_line(name) == wanted]


async def begun(seconds: str) -> None:
    """Wait until somebody sleeps so long."""
    async with asyncio.timeout(60):
        while not sleepers(seconds):  # noqa: ASYNC110  (nobody else tells)
            await asyncio.sleep(0.01)


async def gone(seconds: str) -> None:
    """Wait until nobody sleeps so long any more: who is killed outside of a sandbox stays for a moment."""
    async with asyncio.timeout(60):
        while sleepers(seconds):  # noqa: ASYNC110  (nobody else tells)
            await asyncio.sleep(0.02)


def _command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""

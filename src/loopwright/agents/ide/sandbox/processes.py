"""What a command and all that it has started come to: limits of the kernel hold per process, and not for root."""

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

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

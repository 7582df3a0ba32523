"""How much memory this process has taken, and how much it may take."""

import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_memory_mb() -> float:
    """The most resident memory that this process has had, in MB.

    Linux' own counter in `getrusage` still holds the parent's memory from before `exec`; `VmHWM` does not.
    """
    if STATUS.is_file():
        for line in STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 1024)


def limit_memory(megabytes: int) -> None:
    """Let allocations beyond this fail, in this process and its children.

    It limits written-to private memory (`RLIMIT_DATA`), not address space: threads reserve tens of megabytes of that
    which they never touch.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))

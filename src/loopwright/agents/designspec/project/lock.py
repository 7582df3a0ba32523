"""One writer at a time, across processes."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loopwright.kernel.errors import Conflict, InvalidInput

PAUSE_S = 0.02


@contextmanager
def folder_lock(folder: Path, wait_s: float) -> Iterator[None]:
    """Hold the folder's lock. A process that dies lets it go; it is no file whose age anybody must guess.

    Raises:
        Conflict: somebody else held it for all of `wait_s` seconds.
    """
    path = folder / ".lock"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise InvalidInput(f"The project's lock {path} cannot be opened: {error.strerror}.") from error
    try:
        _acquire(descriptor, path, wait_s)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: Path, wait_s: float) -> None:
    end = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= end:
                holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
                raise Conflict(
                    f"Another process (id {holder}) has been changing the project for {wait_s:g} s.",
                    hint=f"Wait for it, or end it: {path} is free as soon as it ends.",
                ) from error
            time.sleep(PAUSE_S)
        else:
            return

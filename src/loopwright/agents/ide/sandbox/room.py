"""The folder of a layer: how much lies in it, and its end. A command may have made anything in it, however deep."""

import errno
import os
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MOST_DEPTH = 200
"""Of folders in a layer: a path has an end, and so has the stack of those who walk down."""
MOST_TRIES, BETWEEN_TRIES = 10, 0.1
"""To delete a layer, and seconds between them."""
DELETE_SECONDS = 600


class TooDeep(Exception):
    """Folders lie deeper than `MOST_DEPTH`, or than a path may be long: not everybody reaches what is in them."""


def taken(top: Path) -> tuple[int, int]:
    """Bytes and number of the files and folders below.

    A file with holes counts with the size that it has for those who copy it.

    Raises:
        TooDeep: not all of it can be counted.
    """
    total = count = 0
    waiting = [(os.fspath(top), 0)]
    while waiting:
        folder, depth = waiting.pop()
        if depth > MOST_DEPTH:
            raise TooDeep("folders lie too deep")
        for path, found in _entries(folder):
            total, count = total + max(found.st_size, found.st_blocks * 512), count + 1
            if stat.S_ISDIR(found.st_mode):
                waiting.append((path, depth + 1))
    return total, count


def _entries(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """What lies in a folder, without what is gone by now, or closed even to the command itself."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError, PermissionError):
                    yield entry.path, entry.stat(follow_symlinks=False)
    except (FileNotFoundError, PermissionError):
        return
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise TooDeep("folders lie too deep") from error
        raise


def free(folder: Path) -> int:
    """Bytes that are left to this user on the disk of a folder."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def delete(layer: Path) -> None:
    """Delete a layer. The kernel leaves a folder without rights in it, and so may a command; one may still be dying.

    The system's own programs do it, which walk down without paths and without a stack.

    Raises:
        OSError: something of it stays.
    """
    for tries_left in reversed(range(MOST_TRIES)):
        _run("/bin/chmod", "-R", "u+rwX", "--", str(layer))
        complaint = _run("/bin/rm", "-rf", "--", str(layer))
        if not os.path.lexists(layer):
            return
        if not tries_left:
            raise OSError(f"The layer {layer} cannot be deleted: {complaint}")
        time.sleep(BETWEEN_TRIES)


def _run(*line: str) -> str:
    """What a program complains of."""
    done = subprocess.run(line, capture_output=True, timeout=DELETE_SECONDS, check=False)
    return done.stderr.decode("utf-8", "replace")[:300]

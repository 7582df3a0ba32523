"""Files that belong to the user alone, and files that are written whole."""

import fcntl
import os
import stat
import time
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from loopwright.kernel.errors import Conflict, InvalidInput, Misconfigured

PRIVATE = 0o700


def make_private_folder(
    folder: Path, *, hint: str = "Free space or give rights there, and go on.", ours: Set[str] | None = None
) -> None:
    """Make a folder, and those missing above it, with mode 0700; one that others may use is closed to them.

    Args:
        folder: an absolute path.
        hint: what the user does about it when this fails.
        ours: names of which one at least lies in a folder that was made here, where the user names the folder; one with
            other things in it, such as `/tmp` or a home folder, is never closed.

    Raises:
        Misconfigured: it is a link or no folder, belongs to somebody else, holds other things, or cannot be made.
    """
    try:
        for each in (*reversed(folder.parents), folder):
            if not each.is_dir():
                each.mkdir(PRIVATE, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise Misconfigured(f"{folder} is a link; a folder is needed.", hint=hint)
        if os.geteuid() not in (0, found.st_uid):
            raise Misconfigured(f"{folder} belongs to another user.", hint=hint)
        if found.st_mode & 0o077:
            names = set(os.listdir(folder))
            if found.st_mode & stat.S_ISVTX or (ours is not None and names and not names & ours):
                raise Misconfigured(f"{folder} is open to other users, and holds other things.", hint=hint)
            folder.chmod(PRIVATE)
    except OSError as error:
        raise Misconfigured(f"{folder} cannot be used as a folder: {error.strerror}.", hint=hint) from error


# Files that are written whole: whoever reads one, also after a crash, has the old content or the new one.

DRAFT = ".tmp"
"""How the name of a file ends that is being written. It begins with a dot; one whose writer died may be deleted."""


def write_whole(path: Path, content: bytes, *, mode: int = 0o666) -> Path:
    """Put this content in the place of what the file had; its folder is made where it is missing.

    Args:
        path: the file.
        content: all that it holds afterwards.
        mode: the new file's permissions, of which the process's umask takes some away.

    Returns:
        The path.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = write_draft(path, content, mode=mode)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)  # there only if it could not take the file's place
    return path


def write_draft(path: Path, content: bytes, *, mode: int = 0o666) -> Path:
    """Write the content beside a file, and onto the disk, under a name that nobody else has; gives that name.

    The caller renames or deletes it. Nothing is left where it cannot be written.
    """
    draft = path.with_name(f".{os.urandom(8).hex()}{DRAFT}")  # not after the file, whose name may be as long as any
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        draft.unlink()
        raise
    return draft


# One writer at a time, across processes.

LOCK_PAUSE_S = 0.02
"""Between two looks at a lock that another process holds."""


@contextmanager
def exclusive_lock(path: Path, *, wait_s: float | None = None) -> Iterator[None]:
    """Hold a lock file, which is made where it is missing. A process that dies lets it go, so no age is ever guessed.

    Args:
        path: the lock file; it holds the id of the process that took the lock last.
        wait_s: how many seconds to wait for another holder; None waits as long as it takes.

    Raises:
        Conflict: somebody else held it for all of `wait_s` seconds.
        InvalidInput: it cannot be opened, or is a link.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise InvalidInput(f"The lock {path} cannot be opened: {error.strerror}.") from error
    try:
        if wait_s is None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        else:
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
                    f"Another process (id {holder}) has held {path} for {wait_s:g} s.",
                    hint="Wait for it, or end it: the lock is free as soon as it ends.",
                ) from error
            time.sleep(LOCK_PAUSE_S)
        else:
            return

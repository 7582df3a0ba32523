"""Opening folders step by step, so that no link leads out, not even one that was put there a moment ago.

Every step is `openat` with O_NOFOLLOW from the folder before: what is opened is what was checked.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from loopwright.kernel.errors import InvalidInput, LoopwrightError, Misconfigured, NotFound

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""O_NONBLOCK: a pipe that lies there is refused instead of waited for."""


@contextmanager
def opened_folder(root: Path, parts: Sequence[str], *, create: bool = False) -> Iterator[int]:
    """The descriptor of a folder below the root; with `create` the missing ones on the way are made.

    Raises:
        NotFound: there is no such folder.
        InvalidInput: a link or a file stands on the way.
        Misconfigured: the disk does not let us.
    """
    shown = "/".join(parts) or "."
    with disk_errors(shown):
        descriptor = os.open(root, FOLDER_FLAGS)
    try:
        for part in parts:
            with disk_errors(shown):
                if create and kind_of(descriptor, part) is None:
                    _make_folder(descriptor, part)
                refuse_link(descriptor, part, shown)
                below = os.open(part, FOLDER_FLAGS, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def kind_of(folder: int, name: str) -> int | None:
    """The type bits of what stands under a name in a folder, links not followed; None where nothing does."""
    try:
        return stat.S_IFMT(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def refuse_link(folder: int, name: str, path: str) -> None:
    """Refuse a symbolic link by its own message; the flags of the opening that follows refuse it in any case."""
    if kind_of(folder, name) == stat.S_IFLNK:
        raise InvalidInput(
            f"{path!r} goes through the symbolic link {name!r}, and links are not followed.",
            hint="Use the files of the workspace itself; list_files shows them.",
        )


@contextmanager
def disk_errors(path: str) -> Iterator[None]:
    """Turn what the system says into an error that tells what to do.

    Raises:
        NotFound, InvalidInput, Misconfigured: as the error number says.
    """
    try:
        yield
    except LoopwrightError:
        raise
    except FileNotFoundError as error:
        raise NotFound(f"There is no {path!r} in the workspace.", hint="list_files shows what is there.") from error
    except (NotADirectoryError, IsADirectoryError) as error:
        what = "a folder, not a file" if error.errno == errno.EISDIR else "no folder, or leads through a file or a link"
        raise InvalidInput(f"{path!r} is {what}.", hint="list_files shows what is there.") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InvalidInput(f"{path!r} is a symbolic link, and links are not followed.") from error
        raise Misconfigured(
            f"{path!r} cannot be used: {error.strerror}.", hint="Make room or rights in the workspace, and go on."
        ) from error


def _make_folder(parent: int, name: str) -> None:
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return  # another writer was faster; the opening that follows checks what it made
    keep_owner(parent, name)
    os.fsync(parent)


def keep_owner(folder: int, name: str) -> None:
    """Give what root has just made in a folder to the folder's owner, who could not work with it otherwise."""
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)

"""Changing what stands under a name only if it is what was expected: a write of somebody else in between is never lost.

A look and a rename are two steps, and the user may save between them. So the new file and the one that stands there
change places in one step, what came out is looked at where nobody can reach it any more, and goes back if it is not
what was expected. The names beside follow from the name, so that what a death has left there can be found.
"""

import ctypes
import errno
import fcntl
import hashlib
import os
from collections.abc import Callable
from contextlib import suppress

from loopwright.kernel.errors import Conflict
from loopwright.kernel.workspace import READ_FLAGS

NO_REPLACE, EXCHANGE = 1, 2
"""Of renameat2(2)."""
UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM})

Test = Callable[[int, str], bool]
"""Whether what stands under a name in an open folder is what is meant."""


def new_name(name: str) -> str:
    """Where the new content of a file is written: whatever is left there is unfinished, and ours."""
    return f"{swap_name(name)}-new"


def swap_name(name: str) -> str:
    """Where a finished file waits, and where what it replaces comes out."""
    return f".{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}.loopwright"


def place(folder: int, name: str) -> None:
    """Give the file that waits its name, which must be free.

    Raises:
        Conflict: it is not.
    """
    try:
        _rename(folder, swap_name(name), name, NO_REPLACE)
    except FileExistsError as error:
        os.unlink(swap_name(name), dir_fd=folder)
        raise _changed(name) from error


def swap(folder: int, name: str, is_expected: Test, is_ours: Test) -> None:
    """Put the file that waits in the place of the one that stands there, and delete that.

    Raises:
        Conflict: it is not the expected one, or a program has it open for writing; it stands there as before.
    """
    beside = swap_name(name)
    try:
        _exchange(folder, beside, name)
    except FileNotFoundError as error:
        os.unlink(beside, dir_fd=folder)
        raise _changed(name) from error
    if not (_is_quiet(folder, beside) and is_expected(folder, beside)):
        give_back(folder, name, is_ours)
        raise _changed(name)
    os.unlink(beside, dir_fd=folder)


def take_out(folder: int, name: str, is_expected: Test) -> None:
    """Delete a file or link.

    Raises:
        Conflict: as for `swap`.
    """
    beside = swap_name(name)
    try:
        _rename(folder, name, beside, NO_REPLACE)
    except FileNotFoundError as error:
        raise _changed(name) from error
    if not (_is_quiet(folder, beside) and is_expected(folder, beside)):
        give_back(folder, name, lambda *_: False)
        raise _changed(name)
    os.unlink(beside, dir_fd=folder)


def give_back(folder: int, name: str, is_ours: Test) -> None:
    """Bring somebody else's file back from beside: to its name, where ours or nothing stands now.

    Where they have written once more meanwhile, that stays, and the earlier one is kept under a name that they see.
    """
    beside = swap_name(name)
    try:
        _rename(folder, beside, name, NO_REPLACE)
        return
    except FileExistsError:
        pass
    if is_ours(folder, name):
        _exchange(folder, beside, name)
        if is_ours(folder, beside):
            os.unlink(beside, dir_fd=folder)
            return
        _exchange(folder, beside, name)
    os.rename(beside, f"{name[:60]}.kept-{os.urandom(4).hex()}", src_dir_fd=folder, dst_dir_fd=folder)


def _changed(name: str) -> Conflict:
    return Conflict(f"{name!r} was changed by somebody else while it was being written.", hint="Read it again.")


def _is_quiet(folder: int, name: str) -> bool:
    """Whether no program has the file open for writing: what it writes there would be lost with the file.

    The kernel gives a lease for reading only then. Where it gives none (another owner's file, some network file
    systems) it cannot be told.
    """
    try:
        descriptor = os.open(name, READ_FLAGS, dir_fd=folder)
    except OSError:
        return True  # a link, or what may not be read
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno != errno.EAGAIN
    finally:
        os.close(descriptor)
    return True


def _exchange(folder: int, one: str, other: str) -> None:
    try:
        _rename(folder, one, other, EXCHANGE)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        _exchange_by_links(folder, one, other)


def _exchange_by_links(folder: int, one: str, other: str) -> None:
    """Where names cannot change places at once: a file that is renamed to the name within microseconds is missed."""
    aside = f"{one}-aside"
    with suppress(FileNotFoundError):
        os.unlink(aside, dir_fd=folder)
    os.link(other, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    os.replace(one, other, src_dir_fd=folder, dst_dir_fd=folder)
    os.rename(aside, one, src_dir_fd=folder, dst_dir_fd=folder)


def _rename(folder: int, old: str, new: str, flag: int) -> None:
    """renameat2(2) within a folder; without it a link, which replaces nothing either, does for a free name."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    number = errno.ENOSYS
    if rename is not None:
        if rename(folder, os.fsencode(old), folder, os.fsencode(new), flag) == 0:
            return
        number = ctypes.get_errno()
    if number in UNSUPPORTED and flag == NO_REPLACE:
        os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        os.unlink(old, dir_fd=folder)
        return
    raise OSError(number, os.strerror(number), new)

"""Folders that belong to the user alone: what lies in them was put there by this program or by the user."""

import os
import stat
from pathlib import Path

from loopwright.kernel.errors import Misconfigured

PRIVATE = 0o700


def make_private_folder(folder: Path, *, hint: str = "Make room or rights there, and go on.") -> None:
    """Make a folder, and those missing above it, with mode 0700; one that others may use is closed to them.

    Args:
        folder: an absolute path.
        hint: what the user does about it when this fails.

    Raises:
        Misconfigured: it is a link or no folder, belongs to somebody else, or cannot be made.
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
            folder.chmod(PRIVATE)
    except OSError as error:
        raise Misconfigured(f"{folder} cannot be used as a folder: {error.strerror}.", hint=hint) from error

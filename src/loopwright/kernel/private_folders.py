"""Folders that belong to the user alone: what lies in them was put there by this program or by the user."""

import os
import stat
from collections.abc import Set
from pathlib import Path

from loopwright.kernel.errors import Misconfigured

PRIVATE = 0o700


def make_private_folder(
    folder: Path, *, hint: str = "Make room or rights there, and go on.", ours: Set[str] | None = None
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

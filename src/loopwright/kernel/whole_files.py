"""Files that are written whole: whoever reads one, also after a crash, has the old content or the new one."""

import os
from pathlib import Path

DRAFT = ".tmp"
"""How the name of a file ends that is being written. It begins with a dot; one whose writer died may be deleted."""


def write_whole(path: Path, content: bytes) -> Path:
    """Put this content in the place of what the file had; its folder is made where it is missing.

    Returns:
        The path.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = write_draft(path, content)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)  # there only if it could not take the file's place
    return path


def write_draft(path: Path, content: bytes) -> Path:
    """Write the content beside a file, and onto the disk, under a name that nobody else has; gives that name.

    The caller renames or deletes it. Nothing is left where it cannot be written.
    """
    draft = path.with_name(f".{os.urandom(8).hex()}{DRAFT}")  # not after the file, whose name may be as long as any
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        draft.unlink()
        raise
    return draft

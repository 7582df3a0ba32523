"""The folder that the agent keeps for itself in a project."""

import os
from pathlib import Path

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.workspace.folders import opened_folder

UNSEEN = ".gitignore"


def make_state_folder(root: Path, folder: Path) -> None:
    """Make the folder where it is missing, so that git does not see it.

    Raises:
        InvalidInput: a link is or lies where only the agent writes: a repository may have brought it along.
        Misconfigured: the disk does not take it.
    """
    parts = folder.relative_to(root).parts
    with opened_folder(root, parts[:1], create=True) as outer:
        try:
            descriptor = os.open(UNSEEN, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=outer)
        except FileExistsError:
            pass  # whatever it says: somebody has decided what git sees
        else:
            with open(descriptor, "wb") as file:
                file.write(b"*\n")
    with opened_folder(root, parts, create=True) as inner, os.scandir(inner) as entries:
        linked = next((entry.name for entry in entries if entry.is_symlink()), None)
    if linked is not None:
        raise InvalidInput(
            f"{'/'.join(parts)}/{linked} is a symbolic link, and the agent writes there.", hint="Delete the link."
        )

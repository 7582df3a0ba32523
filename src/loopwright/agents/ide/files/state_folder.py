"""Where the agent keeps what it knows of a project: in the user's home, never in the project."""

import hashlib
import os
import re
from pathlib import Path

from loopwright.kernel.errors import InvalidInput, Misconfigured
from loopwright.kernel.private_folders import make_private_folder

PROJECTS = "projects"
LONGEST_NAME = 40
UNREADABLE = re.compile(r"[^A-Za-z0-9._]+")


def state_folder_of(home: Path, root: Path) -> Path:
    """The folder of a project's state; nothing is made.

    Args:
        home: the installation's folder, resolved.
        root: the project's folder, resolved; its name is shown, its whole path decides.

    Raises:
        InvalidInput: the home lies in the project or the project in the home, so that the project's files and the
            agent's own could not be told apart.
    """
    if home.is_relative_to(root) or root.is_relative_to(home):
        raise InvalidInput(
            f"LOOPWRIGHT_HOME ({home}) and the project ({root}) lie in each other.",
            hint="Name another project, or set LOOPWRIGHT_HOME to a folder apart from it.",
        )
    name = UNREADABLE.sub("-", root.name).strip("-.")[:LONGEST_NAME] or "project"
    return home / PROJECTS / f"{name}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:16]}"


def make_state_folder(folder: Path) -> None:
    """Make the folder of a project's state where it is missing, for its user alone.

    Raises:
        Misconfigured: a link lies there, or the disk does not take it.
    """
    if folder.parent.is_symlink():
        raise Misconfigured(f"{folder.parent} is a link; a folder is needed.", hint="Delete the link.")
    make_private_folder(folder)

"""What a command in the sandbox finds changed of the project: git's own files stand still, secrets cannot be opened."""

import os
from collections.abc import Iterator
from pathlib import Path

from loopwright.agents.ide.files.secrets import SECRET_FOLDERS, is_secret
from loopwright.kernel.errors import InvalidInput

GIT = ".git"
OWN_FOLDER = ".loopwright"
NOT_SEARCHED = frozenset({OWN_FOLDER, "node_modules", ".venv", "venv", "__pycache__"})
MOST_GUARDED = 300
"""Each is a mount of its own."""


def guards(root: Path) -> list[str]:
    """The arguments of bubblewrap, to stand behind those that make the root writable.

    Repositories are read-only as a whole: hooks, `config`, `commondir` and others name programs that the user's own git
    would start later. A mount point cannot be renamed either, so nothing else takes its place.

    Raises:
        InvalidInput: the project cannot be guarded.
    """
    arguments = ["--tmpfs", str(root / OWN_FOLDER)]
    for number, place in enumerate(_guarded(root)):
        if number == MOST_GUARDED:
            raise InvalidInput(
                f"There are more than {MOST_GUARDED} repositories and files with secrets below the root.",
                hint="Choose a smaller project folder, or ask for `unsandboxed`.",
            )
        if place.name == GIT:
            arguments += ["--ro-bind", str(place), str(place)]
        elif place.is_dir():
            arguments += ["--tmpfs", str(place)]
        else:  # opening a device is refused on these mounts: a clear error, not an empty file
            arguments += ["--ro-bind", os.devnull, str(place)]
    return arguments


def _guarded(root: Path) -> Iterator[Path]:
    """Repositories, and files and folders with secrets by their name.

    Links are left: they lead to one of these, or out of the sandbox.

    Raises:
        InvalidInput: the project's repository is a link, which could be replaced.
    """
    if (root / GIT).is_symlink():
        raise InvalidInput(
            f"{GIT} is a link, which the sandbox cannot guard.",
            hint="Work in the folder that has the repository itself.",
        )
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        closed = {name for name in folders if name == GIT or name.casefold() in SECRET_FOLDERS}
        guarded = closed | {name for name in files if name == GIT or is_secret((name,))}
        yield from (here / name for name in sorted(guarded) if not (here / name).is_symlink())
        folders[:] = [name for name in folders if name not in closed and name not in NOT_SEARCHED]

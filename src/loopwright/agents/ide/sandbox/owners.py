"""Root at work for somebody else: commands run as the project's owner, who must reach what they need."""

import os
import tempfile
from pathlib import Path

Identity = tuple[int, int]
"""Numbers of a user and a group."""
LAYERS = "layers"


def identity_of(root: Path) -> Identity | None:
    """The project's owner, where Loopwright is root and they are somebody else: their commands run as they."""
    if os.getuid() != 0 or not root.exists():
        return None
    owner = root.stat()
    return (owner.st_uid, owner.st_gid) if owner.st_uid != 0 else None


def layers_folder(root: Path, state_folder: Path) -> Path:
    """Where layers of a project lie: a user for whom root works cannot enter root's own folders."""
    identity = identity_of(root)
    if identity is None:
        return state_folder / LAYERS
    shared = (Path(tempfile.gettempdir()), Path("/var/tmp"))  # noqa: S108  (a new folder of random name is made in it)
    return next((place for place in shared if place.is_dir() and can_enter(place, identity)), state_folder / LAYERS)


def can_enter(folder: Path, identity: Identity) -> bool:
    """Whether a user reaches what lies in a folder."""
    for each in (folder, *folder.parents):
        found = each.stat()
        bits = found.st_mode >> (6 if found.st_uid == identity[0] else 3 if found.st_gid == identity[1] else 0)
        if not bits & 1:
            return False
    return True


def give_to(folder: Path, identity: Identity) -> None:
    """Make a folder the user's, with all that lies in it."""
    os.chown(folder, *identity)
    for above, folders, names in os.walk(folder):
        for name in (*folders, *names):
            os.chown(Path(above, name), *identity, follow_symlinks=False)

"""Looking up the programs that this one starts: outside of what is worked on, and where only the user writes.

Whoever starts a program gives its absolute path and `program_environment`; nobody else searches the PATH.
"""

import grp
import os
import pwd
import stat
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

FALLBACK_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin")
"""Searched last, so that a bare PATH does not leave us without git."""

CHROMIUM = (
    *("chromium-headless-shell", "chrome-headless-shell"),
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"),
)
"""Names of the browser. First the builds without an interface: they draw the same, and a page costs them a sixth of the
CPU seconds, since a whole browser makes windows of its own for it."""


def find_program(name: str, *, outside: Path | None, first: Iterable[Path] = ()) -> Path | None:
    """The absolute path of a program, or None where none can be trusted.

    A folder of the PATH counts if it is absolute and neither it nor the program behind its links lies in `outside`;
    and if nobody but the user and the machine's owner can change the program, its folder, or a folder above.

    Args:
        name: without folders; or an absolute path, which is held to the same rules.
        outside: the folder that is worked on; None where nothing of that kind is there.
        first: folders to look into before those of the PATH.
    """
    if os.path.isabs(name):
        places = [Path(os.path.realpath(Path(name).parent)) / Path(name).name]
    elif "/" in name or name in ("", ".", ".."):
        return None
    else:
        places = [folder / name for folder in trusted_folders(outside, first)]
    return next((place for place in places if _is_trusted_program(place, outside)), None)


def find_browser() -> Path | None:
    """The browser of this machine, the first of `CHROMIUM` that can be trusted."""
    return next((found for name in CHROMIUM if (found := find_program(name, outside=None))), None)


def trusted_folders(outside: Path | None, first: Iterable[Path] = ()) -> list[Path]:
    """The folders in which `find_program` looks, links resolved, in the order of the PATH."""
    named = [*map(str, first), *os.get_exec_path(), *FALLBACK_FOLDERS]
    found = dict.fromkeys(Path(os.path.realpath(each)) for each in named if os.path.isabs(each))
    return [
        folder for folder in found if not _lies_in(folder, outside) and os.path.isdir(folder) and _is_guarded(folder)
    ]


def program_environment(outside: Path | None) -> dict[str, str]:
    """The environment for a helper program: a PATH of trusted folders and nothing of this process's own."""
    return {"PATH": os.pathsep.join(map(str, trusted_folders(outside))), "LC_ALL": "C.UTF-8"}


def _is_trusted_program(place: Path, outside: Path | None) -> bool:
    """The name stays as it was found, since some programs look at the name by which they are called."""
    target = Path(os.path.realpath(place))
    if _lies_in(place, outside) or _lies_in(target, outside):
        return False
    return target.is_file() and os.access(target, os.X_OK) and _is_guarded(place.parent) and _is_guarded(target)


def _lies_in(path: Path, outside: Path | None) -> bool:
    return outside is not None and path.is_relative_to(outside.resolve())


def _is_guarded(path: Path) -> bool:
    """Whether only the user and the machine's owner can change what stands under a resolved path."""
    try:
        if _others_write(os.stat(path)):
            return False
        # Others may add names to a sticky folder above, /tmp for one, but can neither rename nor remove ours.
        above = (os.stat(folder) for folder in path.parents)
        return not any(_others_write(found) and not found.st_mode & stat.S_ISVTX for found in above)
    except OSError:
        return False


def _others_write(found: os.stat_result) -> bool:
    owners = {0, os.geteuid(), os.stat("/").st_uid}  # in a container the owner of everything may not be number 0
    return (
        found.st_uid not in owners
        or bool(found.st_mode & stat.S_IWOTH)
        or (bool(found.st_mode & stat.S_IWGRP) and not _is_own_group(found.st_gid, os.geteuid()))
    )


@lru_cache(maxsize=64)
def _is_own_group(group: int, user: int) -> bool:
    """Whether nobody but the user and root is in a group; many systems give every user such a one."""
    trusted = {0, user}
    if group == 0:
        return True
    users = pwd.getpwall()
    if any(each.pw_gid == group and each.pw_uid not in trusted for each in users):
        return False
    try:
        members = set(grp.getgrgid(group).gr_mem)
    except KeyError:
        return False
    return members <= {each.pw_name for each in users if each.pw_uid in trusted}

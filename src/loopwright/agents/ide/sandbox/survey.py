"""What lies below the project's folder before a command runs: marks that tell later what the user has changed."""

import os
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.agents.ide.files.secrets import SECRET_FOLDERS, is_secret

DEPENDENCIES = frozenset({"node_modules", "site-packages", "dist-packages"})
"""Folders of other people's code, whose certificates and samples are public."""
MAY_HOLD_TOKENS = frozenset({"config", "config.worktree", "FETCH_HEAD", "HEAD", ".gitmodules"})
"""Files of a repository that may hold addresses with a password in them."""

GRAIN_NS = 20_000_000
"""Of time stamps: the kernel's clock ticks every 1 to 10 ms, and two changes within a tick look the same."""
Mark = tuple[int, int, int, int, int]
"""Inode, size (bytes), time of change of content and of the entry (ns), mode."""


@dataclass
class Survey:
    """What was found, by path relative to the root.

    `at_ns` is the file system's time of the survey; `hidden` are files and folders with secrets by their name;
    `addresses` are files that may name remote repositories, with passwords.
    """

    at_ns: int
    marks: dict[str, Mark] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)


def survey(root: Path) -> Survey:
    """Look at every entry below the root, ignored ones and repositories' own files too; links are not followed.

    A file that was changed a moment ago is looked at once more: a later change has other time stamps for certain then.
    A folder that cannot be read is left out: a command with the same rights cannot read it either.
    """
    began_ns = time.time_ns()
    found = Survey(began_ns)
    waiting: list[tuple[str, bool]] = [("", False)]
    while waiting:
        folder, secret = waiting.pop()
        try:
            entries = os.scandir(root / folder if folder else root)
        except OSError:
            continue
        with entries:
            for entry in entries:
                _take(found, entry, f"{folder}/{entry.name}" if folder else entry.name, secret, waiting)
    fresh = [path for path, mark in found.marks.items() if mark[3] > began_ns - GRAIN_NS]
    if fresh:
        time.sleep(GRAIN_NS / 1e9)
        found.at_ns = time.time_ns()
        for path in fresh:
            try:
                found.marks[path] = mark_of((root / path).lstat())
            except OSError:
                del found.marks[path]
    return found


def mark_of(now: os.stat_result) -> Mark:
    """What changes whenever a file, link or folder does."""
    return (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_mode)


def _take(found: Survey, entry: os.DirEntry[str], path: str, secret: bool, waiting: list[tuple[str, bool]]) -> None:
    try:
        now = entry.stat(follow_symlinks=False)
    except OSError:
        return
    found.marks[path] = mark_of(now)
    if stat.S_ISDIR(now.st_mode):
        closed = entry.name.casefold() in SECRET_FOLDERS
        if closed and not secret:
            found.hidden.append(path)
        waiting.append((path, secret or closed))
    elif not secret and is_secret(tuple(path.split("/")[-2:])) and not DEPENDENCIES.intersection(path.split("/")):
        found.hidden.append(path)
    elif entry.name in MAY_HOLD_TOKENS and stat.S_ISREG(now.st_mode):
        found.addresses.append(path)

"""Project folders for tests: what lies in them, and repositories that no configuration of the machine touches."""

import os
import subprocess
from pathlib import Path

IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main")


def git(root: Path, *arguments: str) -> str:
    """What a git command prints."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def make_repository(root: Path) -> None:
    """Make the folder a repository with all its files committed."""
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")


def snapshot(root: Path) -> dict[str, tuple[str, bytes, bool]]:
    """By path: kind, content and whether it is executable; without git's and the agent's own folders."""
    found: dict[str, tuple[str, bytes, bool]] = {}
    for folder, folders, names in os.walk(root):
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        folders[:] = [name for name in folders if name != ".git"]
        if not folders and not names:
            found[Path(folder).relative_to(root).as_posix()] = ("empty folder", b"", False)
        for name in (*names, *linked):
            path = Path(folder, name)
            key = path.relative_to(root).as_posix()
            if path.is_symlink():
                found[key] = ("link", os.fsencode(os.readlink(path)), False)
            else:
                found[key] = ("file", path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return found

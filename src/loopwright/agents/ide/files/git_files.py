"""What git sees of a folder, asked without running anything that the repository's own configuration names."""

import os
import subprocess
from pathlib import Path

SAFE_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false")
"""A hostile repository may name programs in its configuration; these keep git from starting them."""
SECONDS = 60


def safe_environment() -> dict[str, str]:
    """The environment for git: no pager, no prompt, no configuration of the user or the machine, no other index."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {
        **kept,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C.UTF-8",
    }


def is_work_tree(root: Path) -> bool:
    """Whether the root itself is where a git work tree begins."""
    return (root / ".git").exists()


def git_paths(root: Path) -> list[str] | None:
    """Tracked files and those that git does not ignore; None where git cannot say.

    A file that was deleted from the disk but not from the index is named too.
    """
    command = [*SAFE_GIT, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(
            command, cwd=root, env=safe_environment(), capture_output=True, timeout=SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    names = {name.decode("utf-8", "surrogateescape") for name in done.stdout.split(b"\0") if name}
    return sorted(names)

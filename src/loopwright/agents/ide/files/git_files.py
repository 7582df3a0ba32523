"""What git sees of a folder, asked without running anything that the repository's own configuration names."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

SAFE_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false")
"""A hostile repository may name programs in its configuration; these keep git from starting them."""
SECONDS = 60


def safe_environment() -> dict[str, str]:
    """The environment for git, which gets nothing of this process's: no configuration, no prompt, no other index."""
    program = shutil.which("git")
    folders = [str(Path(program).parent)] if program else []
    return {
        "PATH": os.pathsep.join([*folders, os.defpath]),
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
    names = _listed(root, ("ls-files", "--cached", "--others", "--exclude-standard", "-z"))
    return None if names is None else sorted(names)


def unignored_paths(root: Path, left_out: Iterable[str]) -> list[str] | None:
    """The files of a folder that is no work tree, without what its `.gitignore` files name; None without git.

    Repositories that lie in it are listed as they see themselves.

    Args:
        root: the folder.
        left_out: names of folders that are not looked into either.
    """
    excluded = [f"--exclude={name}/" for name in sorted(left_out)]
    with TemporaryDirectory(prefix="loopwright-") as empty:
        for name in ("objects", "refs"):
            Path(empty, name).mkdir()
        Path(empty, "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        place = (f"--git-dir={empty}", f"--work-tree={root}")
        names = _listed(root, (*place, "ls-files", "--others", "--exclude-standard", *excluded, "-z"))
    if names is None:
        return None
    found = {name for name in names if not name.endswith("/")}
    for repository in names - found:
        below = git_paths(root / repository) if is_work_tree(root / repository) else None
        found |= {repository + name for name in below or ()}
    return sorted(found)


def _listed(root: Path, arguments: Sequence[str]) -> set[str] | None:
    try:
        done = subprocess.run(
            [*SAFE_GIT, *arguments], cwd=root, env=safe_environment(), capture_output=True, timeout=SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return {name.decode("utf-8", "surrogateescape") for name in done.stdout.split(b"\0") if name}

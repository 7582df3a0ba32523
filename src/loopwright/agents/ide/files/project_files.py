"""Reading and writing below the project's root: confined, without secrets, and never in git's own folder."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from loopwright.agents.ide.files.git_files import git_paths, is_work_tree, unignored_paths
from loopwright.agents.ide.files.secrets import is_secret
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.workspace import Workspace
from loopwright.kernel.workspace.paths import parts_of

MAX_FILE_BYTES = 5_000_000
MAX_FILES = 100_000
IGNORED_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", ".loopwright", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache",
        ".pytest_cache", ".ruff_cache", ".tox", ".nox", "dist", "build", "target", ".gradle", ".idea", ".next",
        ".nuxt", "coverage", ".hypothesis", ".eggs", "Pods", "DerivedData", ".cache",
    }
)  # fmt: skip
"""Folders that hold what tools made; left out where git does not say what is ignored."""
HINT = "Go on without it; the user can handle such files themselves."


def left_out(root: Path) -> frozenset[str]:
    """The names of folders that are not looked into; none in a work tree, where git says what is ignored."""
    return frozenset() if is_work_tree(root) else IGNORED_FOLDERS


class ProjectFiles:
    """The files of one project. Paths are relative to the root, with slashes; the calls block on the disk."""

    def __init__(self, root: Path) -> None:
        """Take the root, which must exist."""
        self.root = root.resolve()
        self._workspace = Workspace(self.root, max_file_bytes=MAX_FILE_BYTES)

    def check(self, path: str) -> str:
        """The path in its plain form.

        Raises:
            InvalidInput: it leads out of the project, into `.git`, or to a file with secrets.
        """
        parts = parts_of(path)
        if any(part.casefold() == ".git" for part in parts):
            raise InvalidInput(f"{path!r} belongs to git itself, which no tool touches.", hint=HINT)
        if is_secret(parts):
            raise InvalidInput(f"{path!r} is a file for secrets, which no tool reads or writes.", hint=HINT)
        return "/".join(parts)

    def check_single(self, path: str) -> str:
        """The path in its plain form, of what has no second name.

        Raises:
            InvalidInput: as for `check`, or it is a hard link.
        """
        plain = self.check(path)
        if self.is_hard_link(plain):
            raise InvalidInput(
                f"{path!r} is a hard link: it has another name, which may lie outside of the project.", hint=HINT
            )
        return plain

    def locate(self, path: str) -> Path:
        """The absolute path of something inside.

        Raises:
            InvalidInput: as for `check`, or it leads through a link.
        """
        return self._workspace.locate(self.check(path))

    def read_bytes(self, path: str) -> bytes:
        """A file's content.

        Raises:
            NotFound: there is none.
            InvalidInput: as for `check`; it is no regular file, or larger than 5 MB.
        """
        return self._workspace.read_bytes(self.check(path))

    def read_text(self, path: str) -> str:
        """A file's text; raises as `read_bytes`, and InvalidInput where it is no UTF-8 text or has a second name."""
        return self._workspace.read_text(self.check_single(path))

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder of this name; raises as `check`."""
        return self._workspace.exists(self.check(path))

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of this name; raises as `check`."""
        return self._workspace.is_folder(self.check(path))

    def is_hard_link(self, path: str) -> bool:
        """Whether a file has a second name, which may lie outside; those that package managers make do not count."""
        if IGNORED_FOLDERS.intersection(path.split("/")):
            return False
        try:
            found = os.lstat(self.root / path)
        except OSError:
            return False  # who reads it next says what is wrong
        return stat.S_ISREG(found.st_mode) and found.st_nlink > 1

    def walk(self, *, links: bool = False) -> Iterator[str]:
        """The paths of all files that belong to the project, in order: without what is ignored, or what tools made.

        Secrets and git's own files are left out, and links, symbolic and hard ones, unless they are wanted.
        """
        for path in self.listed():
            try:
                plain = self.check(path)
            except InvalidInput:
                continue
            place = self.root / plain
            linked = place.is_symlink() or self.is_hard_link(plain)
            if links if linked else place.is_file():
                yield plain

    def listed(self) -> list[str]:
        """What `walk` looks at: paths in order that may be no files any more, or secrets."""
        listed = git_paths(self.root) if is_work_tree(self.root) else None
        listed = unignored_paths(self.root, IGNORED_FOLDERS) if listed is None else listed
        return self._walk_folders() if listed is None else listed[:MAX_FILES]

    def belongs(self, path: str) -> bool:
        """Whether `check` takes a path as it is."""
        try:
            return self.check(path) == path
        except InvalidInput:
            return False

    def _walk_folders(self) -> list[str]:
        found: list[str] = []
        for folder, folders, names in os.walk(self.root, followlinks=False):
            folders[:] = sorted(name for name in folders if name not in IGNORED_FOLDERS)
            linked = [name for name in folders if Path(folder, name).is_symlink()]
            found += [Path(folder, name).relative_to(self.root).as_posix() for name in (*names, *linked)]
            if len(found) > MAX_FILES:
                break
        return sorted(found)

"""The programs of the user's own shell, made usable inside the sandbox: read-only, and named by the user alone.

What a project names (the interpreter of its virtual environment, say) is used only where it lies in a folder that the
user's shell or a version manager of theirs vouches for: a link in a project must not open a folder of the machine.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopwright.agents.ide.files.secrets import is_secret
from loopwright.agents.ide.sandbox.owners import Identity, can_enter

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store")
"""What programs need to start; they are there in any case."""
PROGRAM_FOLDERS = frozenset({"bin", "sbin", "shims", "condabin", "Scripts"})
"""Names of folders on the PATH whose installation is the folder above."""
VERSION_STORES = (
    ".pyenv/versions", ".local/share/uv/python", ".local/share/mise/installs/python", ".asdf/installs/python",
    ".rye/py", "miniconda3/envs", "anaconda3/envs", "miniforge3/envs", "mambaforge/envs", ".conda/envs",
)  # fmt: skip
"""Where version managers keep interpreters below the home folder: each folder in them is one installation."""
MARKED = {"pyvenv.cfg": "VIRTUAL_ENV", "conda-meta": "CONDA_PREFIX", "shims/python": "PYENV_ROOT"}
"""What tells an installation of a kind, and the variable by which its programs know it."""
DATA_FOLDERS = (".local/share", ".local/state", ".config", ".cache")
"""Below the home folder: keyrings, sessions, histories of all programs. What holds one is no installation."""
RUSTUP, RUSTUP_FOLDER = "rustup", ".rustup"
"""Starts the compilers that lie in a folder of its own below the home folder."""
SECRETS_DEPTH = 2


@dataclass(frozen=True)
class Toolchain:
    """What a command gets: folders of its PATH, folders to show read-only, files in these to hide, variables."""

    path: tuple[str, ...]
    folders: tuple[str, ...]
    hidden: tuple[str, ...]
    variables: Mapping[str, str]


def toolchain(root: Path, private: tuple[Path, ...] = (), identity: Identity | None = None) -> Toolchain:
    """The toolchain of the shell that Loopwright was started from.

    Args:
        root: the project; nothing in it is taken, since it is there anyway, and its links prove nothing.
        private: folders of Loopwright's own, which no shown folder may contain.
        identity: as whom the command runs, if that is somebody else: what they cannot enter is left out.
    """
    search = _Search(root.resolve(), Path.home(), tuple(place.resolve() for place in private), identity)
    for entry in os.get_exec_path():
        search.take_programs(entry)
    search.take_compilers()
    search.take_interpreter(search.root / ".venv" / "bin" / "python")
    folders = tuple(sorted(search.folders))
    hidden = tuple(file for file in _secrets(folders) if identity is None or can_enter(Path(file).parent, identity))
    return Toolchain(tuple(search.path), folders, hidden, search.variables)


class _Search:
    """Collects the folders."""

    def __init__(self, root: Path, home: Path, private: tuple[Path, ...], identity: Identity | None) -> None:
        self.root = root
        self._identity = identity
        self.home = home.resolve()
        self.path: dict[str, None] = {}
        self.folders: dict[str, None] = {}
        self.variables: dict[str, str] = {}
        data = (self.home / folder for folder in DATA_FOLDERS)
        self._closed = (root, self.home, *private, *data, Path("/tmp"), Path("/var/tmp"))  # noqa: S108

    def take_programs(self, entry: str) -> None:
        """A folder of the shell's PATH, with the installations that its programs belong to."""
        place = Path(entry)
        if not (place.is_absolute() and os.access(place, os.R_OK | os.X_OK) and place.is_dir()) or _is_ours(place):
            return
        real = place.resolve()
        if self._inside_project(real):
            return
        if not _in_system(real):
            if not self._show(real.parent if real.name in PROGRAM_FOLDERS else real) and not self._show(real):
                return
            for program in _links(real):
                self._show_installation(program)
        self.path[entry] = None
        if real.name in PROGRAM_FOLDERS:
            for mark, variable in MARKED.items():
                if os.path.exists(place.parent / mark):
                    self.variables.setdefault(variable, str(place.parent))

    def take_compilers(self) -> None:
        """Those of rustup, whose programs on the PATH only start them."""
        folder = self.home / RUSTUP_FOLDER
        if folder.is_dir() and any(Path(entry, RUSTUP).exists() for entry in self.path) and self._show(folder):
            self.variables["RUSTUP_HOME"] = str(folder)

    def take_interpreter(self, link: Path) -> None:
        """The interpreter of the project's own environment, if a version manager has installed it."""
        try:
            real = link.resolve(strict=True)
        except (OSError, RuntimeError):
            return
        for store in VERSION_STORES:
            folder = self.home / store
            if real.is_relative_to(folder) and len(real.relative_to(folder).parts) == 3:
                self._show(real.parent.parent)

    def _show_installation(self, program: Path) -> None:
        """What a program is part of; of a work tree, which is somebody's project, the folder of programs alone."""
        if not _in_system(program) and not self._inside_project(program) and program.parent.name in PROGRAM_FOLDERS:
            above = program.parent.parent
            self._show(program.parent if (above / ".git").exists() else above)

    def _show(self, folder: Path) -> bool:
        """Show a folder, unless more would be seen than programs."""
        if len(folder.parts) < 3 or any(each.is_relative_to(folder) for each in self._closed):
            return False
        if is_secret(folder.parts[1:]) or not (self._identity is None or can_enter(folder, self._identity)):
            return False
        self.folders[str(folder)] = None
        return True

    def _inside_project(self, place: Path) -> bool:
        return place.is_relative_to(self.root)


def _is_ours(place: Path) -> bool:
    """Whether Loopwright itself is installed there: its packages are not the project's."""
    return sys.prefix != sys.base_prefix and place.resolve().is_relative_to(Path(sys.prefix).resolve())


def _in_system(place: Path) -> bool:
    return any(place.is_relative_to(folder) for folder in SYSTEM_FOLDERS)


def _links(folder: Path) -> Iterator[Path]:
    """Where the links in a folder of programs lead."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                try:
                    yield Path(entry.path).resolve(strict=True)
                except (OSError, RuntimeError):
                    continue


def _secrets(folders: tuple[str, ...]) -> Iterator[str]:
    """Files for secrets that lie near the top of installations, such as the credentials of a package manager."""
    for top in folders:
        for folder, below, names in os.walk(top):
            depth = len(Path(folder).parts) - len(Path(top).parts)
            yield from (str(Path(folder, name)) for name in names if is_secret((name,)))
            if depth + 1 >= SECRETS_DEPTH:
                below.clear()

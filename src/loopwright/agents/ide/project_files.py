"""Reading and writing below the project's root: confined, without secrets, and never in git's own folder."""

import hashlib
import os
import re
import stat
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.programs import find_program, program_environment
from loopwright.kernel.workspace import Workspace, parts_of
from loopwright.kits.history.fenced_files import MAX_FILE_BYTES

# Files that hold secrets by their name: no tool reads or writes them, whatever the model says.

SECRET_NAME = re.compile(
    r"""(?xis)
    \.env([._-].+)? | .+\.env | \.envrc(\..+)? | .+\.tfvars(\.json)? | .+\.tfstate(\.backup)?
    | \.netrc | _netrc | \.pgpass | \.npmrc | \.pypirc | \.htpasswd | \.git-credentials
    | \.dockercfg | \.vault[-_]token | \.s3cfg | \.boto
    | id_(rsa|dsa|ecdsa|ed25519)(_.+)? | .+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)
    | (.+[-_])?credentials(\.(json|ya?ml|toml|ini|txt|tfrc\.json))? | client_secret.*\.json | service[-_]account.*\.json
    | kubeconfig(\..+)? | .+\.kubeconfig | \.my(login)?\.cnf | \.terraformrc | \.databrickscfg | \.sentryclirc
    | rclone\.conf | token\.json | wallet\.dat | service[-_]principal.*\.json
    | secrets?\.(json|ya?ml|toml|ini|txt|env) | \.secrets?
    """
)
"""Names of files, as tools of many makers have them."""
HARMLESS_NAME = re.compile(
    r"(?i)\.env(rc)?\.(example|sample|template|dist)|.+\.pub|public.*\.pem|cacert\.pem|ca-bundle.*"
)
"""Samples without a secret in them, and public keys."""
SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud"})
SECRET_PLACES = frozenset({("gh", "hosts.yml"), (".codex", "auth.json"), (".composer", "auth.json")})
"""Names that are secret in one folder, and mean something else in others."""
LEFT_BY_COPYING = re.compile(
    r"(?i)(~|\#|[._-](bak|backup|old|orig|save|copy|tmp|sw[a-p]|\d+)|[ ]copy([ ]\d+)?|[ ]\(\d+\))+$"
)
"""What editors, tools and people put behind the name of a file when they keep a copy."""


def is_secret(parts: tuple[str, ...]) -> bool:
    """Whether a path, given by its names, is a file with secrets or a copy of one, or lies in a folder of them."""
    if any(part.casefold() in SECRET_FOLDERS for part in parts) or parts[-2:] in SECRET_PLACES:
        return True
    name = parts[-1] if parts else ""
    original = LEFT_BY_COPYING.sub("", name).lstrip("#") or name
    names = (name, original)
    return any(map(SECRET_NAME.fullmatch, names)) and not any(map(HARMLESS_NAME.fullmatch, names))


# What git sees of a folder, asked without reading a word of the repository's configuration.

SECONDS = 60
MOST_INDEX_BYTES = 256 * 1024**2
MOST_LINK_BYTES = 8_192
NO_HASH = b"\0" * 20
"""What ends an index that was written without its checksum (`index.skipHash`)."""
COMMON, EXCLUDED = "commondir", Path("info") / "exclude"


def is_work_tree(root: Path) -> bool:
    """Whether the root itself is where a git work tree begins."""
    return (root / ".git").exists()


def git_paths(root: Path) -> list[str] | None:
    """Tracked files and those that git does not ignore; None where git cannot say.

    A file that was deleted from the disk but not from the index is named too.
    """
    with _own_git_folder() as folder:
        if not _copy_index(root, folder):
            return None
        names = _listed(root, folder, ("ls-files", "--cached", "--others", "--exclude-standard", "-z"))
    return None if names is None else sorted(names)


def unignored_paths(root: Path, left_out: Iterable[str]) -> list[str] | None:
    """The files of a folder that is not a work tree, without what its `.gitignore` files name; None without git.

    Repositories that lie in it are listed as they see themselves.

    Args:
        root: the folder.
        left_out: names of folders that are not looked into either.
    """
    excluded = [f"--exclude={name}/" for name in sorted(left_out)]
    with _own_git_folder() as folder:
        names = _listed(root, folder, ("ls-files", "--others", "--exclude-standard", *excluded, "-z"))
    if names is None:
        return None
    found = {name for name in names if not name.endswith("/")}
    for repository in names - found:
        below = git_paths(root / repository) if is_work_tree(root / repository) else None
        found |= {repository + name for name in below or ()}
    return sorted(found)


@contextmanager
def _own_git_folder() -> Iterator[Path]:
    """A git folder without content, outside of every project."""
    with TemporaryDirectory(prefix="loopwright-") as empty:
        folder = Path(empty)
        for name in ("objects", "refs", "info"):
            (folder / name).mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        yield folder


def _copy_index(root: Path, folder: Path) -> bool:
    """Copy what says which files are tracked and which ignored; False where the repository cannot be understood.

    The git folder of a linked work tree or a submodule lies elsewhere; from there too, nothing but this is taken.
    """
    place = _git_folder(root)
    if place is None:
        return False
    shared = _linked(place / COMMON, place) or place
    _copy(shared / EXCLUDED, folder / EXCLUDED)
    for part in place.glob("sharedindex.*"):  # of an index that is kept in two files
        _copy(part, folder / part.name)
    if not os.path.lexists(place / "index"):
        return True  # nothing is tracked yet
    index = _copy(place / "index", folder / "index")
    form = _form_of(index) if index is not None else None
    if form is not None:
        (folder / "config").write_text(form, encoding="ascii")
    return form is not None


def _form_of(index: bytes) -> str | None:
    """The configuration that says how names of objects are written in an index; None where it is damaged.

    Git looks it up in the repository's own configuration, and takes an index of the other form for one full of
    strange names.
    """
    if index.endswith(NO_HASH) or hashlib.sha1(index[:-20], usedforsecurity=False).digest() == index[-20:]:
        return "[core]\n"
    if hashlib.sha256(index[:-32]).digest() == index[-32:]:
        return "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n"
    return None


def _git_folder(root: Path) -> Path | None:
    place = root / ".git"
    if place.is_dir():
        return place
    told = _read(place, MOST_LINK_BYTES)
    if told is None or not told.startswith(b"gitdir: "):
        return None
    return _folder(root, told.removeprefix(b"gitdir: "))


def _linked(file: Path, base: Path) -> Path | None:
    told = _read(file, MOST_LINK_BYTES)
    return None if told is None else _folder(base, told)


def _folder(base: Path, told: bytes) -> Path | None:
    """The folder of which a file tells; None where there is none."""
    if b"\0" in told:
        return None
    place = base / os.fsdecode(told.strip(b"\r\n"))
    try:
        return place if place.is_dir() else None
    except OSError:  # a name that is longer than names may be
        return None


def _copy(source: Path, target: Path) -> bytes | None:
    """Copy a plain file, and give its content; None where there is none."""
    content = _read(source, MOST_INDEX_BYTES)
    if content is not None:
        target.write_bytes(content)
    return content


def _read(source: Path, most: int) -> bytes | None:
    """The content of a plain file; None where there is none, or a link, a folder, a pipe, a device or too much."""
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_size > most:
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:
        return file.read(most)


def _listed(root: Path, folder: Path, words: Sequence[str]) -> set[str] | None:
    """What git lists of a root, with a git folder of our own; None where it is not installed, or does not succeed."""
    program = find_program("git", outside=root)
    if program is None:
        return None
    options = (f"--git-dir={folder}", f"--work-tree={root}", "-c", "core.untrackedCache=false")
    try:
        done = subprocess.run(
            [str(program), *options, *words],
            cwd=root,
            env=_environment(root, folder),
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return {name.decode("utf-8", "surrogateescape") for name in done.stdout.split(b"\0") if name}


def _environment(root: Path, folder: Path) -> dict[str, str]:
    """Neither the machine's nor the user's configuration is read, and nothing is asked on the terminal."""
    return program_environment(root) | {
        "HOME": str(folder),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
    }


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
        if path.startswith(f"{self.root}/"):
            inside = path.removeprefix(f"{self.root}/")
            raise InvalidInput(f"{path!r} is an absolute path.", hint=f"Write {inside!r}.")
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
            InvalidInput: as for `check`; it is not a regular file, or larger than 5 MB.
        """
        return self._workspace.read_bytes(self.check(path))

    def read_text(self, path: str) -> str:
        """A file's text; raises as `read_bytes`, and InvalidInput where it is not UTF-8 text or has a second name."""
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

"""What git sees of a folder, asked without reading a word of the repository's configuration.

Git starts programs that configuration names, under dozens of keys, and lets others lead it elsewhere. So it is given a
git folder of our own, with a copy of the repository's index in it and the repository's list of ignored files; nothing
else of the repository is used, and nothing is written to it.
"""

import hashlib
import os
import stat
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from loopwright.kernel.programs import find_program, program_environment

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
    """The files of a folder that is no work tree, without what its `.gitignore` files name; None without git.

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

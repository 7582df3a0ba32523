"""Copy-on-write layers: a command sees the project and writes beside it; what it changed is read from the layer.

An overlay of the kernel where it can be had (nothing is copied but what the command writes), else a whole copy. The
layer lies in a folder that the command cannot see, and is read when all its processes are dead. Files with secrets are
not in it, and addresses of repositories stand in it without passwords.
"""

import fcntl
import os
import re
import shutil
import stat
import subprocess
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from loopwright.agents.ide.project_files import SECRET_FOLDERS, is_secret
from loopwright.agents.ide.sandbox.isolation import (
    Isolation,
    TooDeep,
    delete,
    give_to,
    identity_of,
    layers_folder,
    taken,
)
from loopwright.kernel.errors import InvalidInput, Misconfigured

# What lies below the project's folder before a command runs: marks that tell later what the user has changed.

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


OPAQUE = "user.overlay.opaque"
"""The kernel's mark on a folder that was deleted and made again: nothing of the project's is in it any more."""
PASSWORD = re.compile(rb"(https?://)[^/@\s\"']*@")
HEADER = re.compile(rb"(?im)^(\s*extraheader\s*=).*$")
PREFIX, LOCK = "layer-", "lock"
"""Of folders of layers, and the file in each that its process holds as long as it lives."""
MOST_ADDRESS_BYTES = 1_000_000
COPY_SECONDS = 600
MOUNTS = Path("/proc/self/mountinfo")
ESCAPED = re.compile(rb"\\([0-7]{3})")
"""How the kernel writes blanks, line ends and backslashes of names there (proc(5))."""

EntryKind = Literal["gone", "file", "link", "folder", "special"]


@dataclass(frozen=True)
class Entry:
    """What a command left under a path: `place` is where it lies in the layer; None where it is gone."""

    path: str
    kind: EntryKind
    place: Path | None = None


class Layer:
    """The layer of one command. Make it, run `wrap(line)` on `source` with `folder` as cwd, read it, drop it."""

    def __init__(self, root: Path, folder: Path, isolation: Isolation, before: Survey) -> None:
        """Take the project, an empty folder for the layer, and what was found below the root before.

        `replaced` is what the command sees in place of the real content of some files, by path.
        """
        self.root = root
        self.folder = folder
        self._lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._isolation = isolation
        self._before = before
        self._overlay = isolation.layer == "overlay" and not mounts_below(root)
        self._copied = Survey(0)
        self._began = (0, 0)
        self.replaced: dict[str, bytes] = {}

    def make(self) -> None:
        """Lay it out.

        Raises:
            Misconfigured: the disk does not take it.
        """
        try:
            for name in ("mask", "lower", "upper", "work", "merged"):
                (self.folder / name).mkdir()
            if self._overlay:
                self._mask()
            else:
                self._copy()
                self._began = taken(self.folder / "upper")
            self._give_to_owner()
        except (OSError, subprocess.SubprocessError, TooDeep) as error:
            raise Misconfigured(
                f"The project cannot be put under a layer for commands: {error}.",
                hint="Free space on the disk.",
            ) from error

    @property
    def source(self) -> str:
        """What stands for the project, relative to the layer's folder."""
        return "merged" if self._overlay else "upper"

    def wrap(self, line: Sequence[str]) -> list[str]:
        """The command line that mounts the layer and becomes `line`."""
        if not self._overlay:
            return list(line)
        return self._isolation.on_layer(str(self.folder), str(self.root), line)

    def entries(self) -> list[Entry]:
        """What the command touched, in the order of the paths; what is the same as before may be among it.

        Of folders only those that were made or deleted while nothing is in them are told; the others follow from files.
        """
        after = survey(self.folder / "upper").marks
        return list(self._overlay_entries(after) if self._overlay else self._copy_entries(after))

    def size(self) -> tuple[int, int]:
        """Bytes and number of the files and folders that the command has written so far; raises as `taken`."""
        written, count = taken(self.folder / "upper")
        return written - self._began[0], count - self._began[1]

    def drop(self) -> None:
        """Delete the layer."""
        delete(self.folder)
        os.close(self._lock)

    def _give_to_owner(self) -> None:
        """Let the project's owner use the layer, where Loopwright runs as root for them; a copy has owners already."""
        identity = identity_of(self.root)
        if identity is not None and self._overlay:
            give_to(self.folder, identity)
        elif identity is not None:
            os.chown(self.folder, *identity)

    def _mask(self) -> None:
        """What lies over the project: nothing in place of secrets, and addresses without passwords."""
        for path in self._before.hidden:
            self._mirror_folders(path)
            os.mknod(self.folder / "mask" / path, stat.S_IFCHR, os.makedev(0, 0))
        for path in self._before.addresses:
            clean = _without_passwords(self.root / path)
            if clean is not None:
                self.replaced[path] = clean
                self._mirror_folders(path)
                (self.folder / "mask" / path).write_bytes(clean)
                shutil.copymode(self.root / path, self.folder / "mask" / path)

    def _mirror_folders(self, path: str) -> None:
        """A folder that lies in both is one; its rights are those of the upper one."""
        for above in reversed(Path(path).parents[:-1]):
            place = self.folder / "mask" / above
            if not place.exists():
                place.mkdir()
                place.chmod(stat.S_IMODE(self._before.marks[str(above)][4]) | 0o700)

    def _copy(self) -> None:
        target = self.folder / "upper"
        program = ["/bin/cp", "-a", "--reflink=auto", "--", f"{self.root}/.", str(target)]
        done = subprocess.run(program, capture_output=True, timeout=COPY_SECONDS, check=False)
        if done.returncode != 0 and not any(target.iterdir()):
            raise OSError(done.stderr.decode("utf-8", "replace")[:300])
        for path in self._before.hidden:
            place = target / path
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
        for path in self._before.addresses:
            clean = _without_passwords(target / path)
            if clean is not None:
                self.replaced[path] = clean
                (target / path).write_bytes(clean)
        self._copied = survey(target)

    def _overlay_entries(self, upper: Mapping[str, Mark]) -> Iterator[Entry]:
        paths, above = sorted(self._before.marks), {str(Path(path).parent) for path in upper}
        for path in sorted(upper):
            mode, was = upper[path][4], _mode(self._before.marks.get(path))
            kind, place = _kind(mode), self.folder / "upper" / path
            if stat.S_ISCHR(mode):  # the kernel's sign for what was deleted; nobody else can make one on a layer
                yield Entry(path, "gone")
            elif kind != "folder":
                yield Entry(path, kind, place)
            elif not stat.S_ISDIR(was):
                if path not in above:
                    yield Entry(path, "folder", place)
                elif was:
                    yield Entry(path, "gone")
            if stat.S_ISDIR(was) and (kind != "folder" or _is_opaque(place)):
                yield from (Entry(each, "gone") for each in _below(path, paths) if each not in upper)

    def _copy_entries(self, after: Mapping[str, Mark]) -> Iterator[Entry]:
        above = {str(Path(path).parent) for path in after}
        for path in sorted(self._copied.marks.keys() | after.keys()):
            now, before = after.get(path), self._copied.marks.get(path)
            if now == before:
                continue
            kind = _kind(_mode(now)) if now is not None else "gone"
            if kind == "folder" and (path in above or stat.S_ISDIR(_mode(before))):
                kind = "gone"
                if before is None or stat.S_ISDIR(_mode(before)):
                    continue
            yield Entry(path, kind, None if kind == "gone" else self.folder / "upper" / path)


def _mode(mark: Mark | None) -> int:
    return mark[4] if mark is not None else 0


def _below(folder: str, paths: Sequence[str]) -> Iterator[str]:
    """Of sorted paths those below a folder."""
    prefix = f"{folder}/"
    for place in range(bisect_left(paths, prefix), len(paths)):
        if not paths[place].startswith(prefix):
            return
        yield paths[place]


def _kind(mode: int) -> EntryKind:
    if stat.S_ISREG(mode):
        return "file"
    return "link" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "special"


def _is_opaque(folder: Path) -> bool:
    try:
        return os.getxattr(folder, OPAQUE, follow_symlinks=False) == b"y"
    except OSError:
        return False


def _without_passwords(file: Path) -> bytes | None:
    """A file's content without passwords in addresses; None where there are none."""
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_ADDRESS_BYTES)
    except OSError:
        return None
    clean = HEADER.sub(rb"\1", PASSWORD.sub(rb"\1", data))
    return clean if clean != data else None


def mounts_below(root: Path) -> bool:
    """Whether something is mounted below the project: it would be missing from an overlay."""
    prefix = os.fsencode(root) + b"/"
    places = (line.split(b" ")[4] for line in MOUNTS.read_bytes().split(b"\n") if line)
    return any(ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), place).startswith(prefix) for place in places)


def new_layer(root: Path, state_folder: Path, isolation: Isolation, before: Survey) -> Layer:
    """A layer for one command, in a folder that only the user can enter.

    Raises:
        InvalidInput: that folder lies in the project, where the command would see it.
    """
    if state_folder.is_relative_to(root):
        raise InvalidInput(
            f"The agent's own folder {state_folder} lies in the project.", hint="Set LOOPWRIGHT_HOME to another folder."
        )
    layers = layers_folder(root, state_folder)
    layers.mkdir(mode=0o700, parents=True, exist_ok=True)
    if layers.is_relative_to(state_folder):  # in a folder that is shared somebody else may have made such folders
        _delete_abandoned(layers)
    return Layer(root, Path(tempfile.mkdtemp(prefix=PREFIX, dir=layers)), isolation, before)


def _delete_abandoned(layers: Path) -> None:
    """Delete layers whose process has died: it cannot have left a command, which ends with it."""
    for folder in layers.glob(f"{PREFIX}*"):
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # its process is just making it
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            delete(folder)
        finally:
            os.close(lock)

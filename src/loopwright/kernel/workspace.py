"""A folder of the user's as an agent sees it: the only place where its tools read and write."""

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from loopwright.kernel.errors import InvalidInput, LoopwrightError, Misconfigured, NotFound

# Which texts are paths inside a workspace. Nothing here looks at the disk.

STATE_FOLDER = ".loopwright"
"""What the agent's own code keeps beside the files; no tool reads, lists or writes it."""
MAX_NAME_BYTES = 255
"""The longest name that ext4, APFS and NTFS take; NTFS counts UTF-16 units, of which a name has no more."""
MAX_PATH_CHARACTERS = 500
MAX_DEPTH = 20

FORBIDDEN = frozenset('\\:*?"<>|')
"""What Windows does not take in names; the backslash would be a separator there, the colon a stream."""
UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode categories that make a name look like another one, or like two."""
DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?", re.IGNORECASE)
"""Names that Windows takes for devices, with any suffix."""

HINT = "Write paths relative to the workspace, with slashes, such as output/report.md."


def parts_of(path: str) -> tuple[str, ...]:
    """The names on the way to a file or folder of the workspace; none for the workspace itself (`.` or nothing).

    Raises:
        InvalidInput: it is absolute, climbs up, names a device or the state folder, has a character that does not
            belong into a name, or is too long.
    """
    if len(path) > MAX_PATH_CHARACTERS:
        raise InvalidInput(
            f"The path {path[:40]!r}… has {len(path):,} characters; at most {MAX_PATH_CHARACTERS} are taken.",
            hint="Choose a shorter name.",
        )
    if path.startswith("/"):
        raise InvalidInput(f"{path!r} is an absolute path; only the workspace can be reached.", hint=HINT)
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if len(parts) > MAX_DEPTH:
        raise InvalidInput(f"{path!r} lies {len(parts)} folders deep; at most {MAX_DEPTH} are taken.")
    for part in parts:
        _check_name(part, path)
    return parts


def _check_name(name: str, path: str) -> None:
    odd = next((c for c in name if c in FORBIDDEN or unicodedata.category(c) in UNPRINTABLE), None)
    if odd is not None:
        raise InvalidInput(f"The path {path!r} has the character {odd!r}, which names may not have.", hint=HINT)
    if name == "..":
        raise InvalidInput(f"{path!r} climbs up with '..'; only the workspace can be reached.", hint=HINT)
    if name != name.strip() or name.endswith("."):
        raise InvalidInput(f"The name {name!r} begins or ends with a space, or ends with a dot.", hint=HINT)
    if len(name.encode()) > MAX_NAME_BYTES:
        raise InvalidInput(f"The name {name[:40]!r}… is longer than {MAX_NAME_BYTES} bytes.", hint=HINT)
    plain = unicodedata.normalize("NFKC", name).casefold()
    if plain == STATE_FOLDER:
        raise InvalidInput(f"{path!r} lies in the folder that the program keeps for itself.", hint=HINT)
    if DEVICE.fullmatch(plain):
        raise InvalidInput(f"{name!r} is the name of a device on some systems.", hint="Choose another name.")


# Opening folders step by step, so that no link leads out, not even one that was put there a moment ago.

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""O_NONBLOCK: a pipe that lies there is refused instead of waited for."""


@contextmanager
def opened_folder(root: Path, parts: Sequence[str], *, create: bool = False) -> Iterator[int]:
    """The descriptor of a folder below the root; with `create` the missing ones on the way are made.

    Raises:
        NotFound: there is no such folder.
        InvalidInput: a link or a file stands on the way.
        Misconfigured: the disk does not let us.
    """
    shown = "/".join(parts) or "."
    with disk_errors(shown):
        descriptor = os.open(root, FOLDER_FLAGS)
    try:
        for part in parts:
            with disk_errors(shown):
                if create and kind_of(descriptor, part) is None:
                    _make_folder(descriptor, part)
                refuse_link(descriptor, part, shown)
                below = os.open(part, FOLDER_FLAGS, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def kind_of(folder: int, name: str) -> int | None:
    """The type bits of what stands under a name in a folder, links not followed; None where nothing does."""
    try:
        return stat.S_IFMT(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def refuse_link(folder: int, name: str, path: str) -> None:
    """Refuse a symbolic link by its own message; the flags of the opening that follows refuse it in any case."""
    if kind_of(folder, name) == stat.S_IFLNK:
        raise InvalidInput(
            f"{path!r} goes through the symbolic link {name!r}, and links are not followed.",
            hint="Use the files of the workspace itself; list_files shows them.",
        )


@contextmanager
def disk_errors(path: str) -> Iterator[None]:
    """Turn what the system says into an error that tells what to do.

    Raises:
        NotFound, InvalidInput, Misconfigured: as the error number says.
    """
    try:
        yield
    except LoopwrightError:
        raise
    except FileNotFoundError as error:
        raise NotFound(f"There is no {path!r} in the workspace.", hint="list_files shows what is there.") from error
    except (NotADirectoryError, IsADirectoryError) as error:
        what = "a folder, not a file" if error.errno == errno.EISDIR else "no folder, or leads through a file or a link"
        raise InvalidInput(f"{path!r} is {what}.", hint="list_files shows what is there.") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InvalidInput(f"{path!r} is a symbolic link, and links are not followed.") from error
        raise Misconfigured(
            f"{path!r} cannot be used: {error.strerror}.", hint="Free space or give rights in the workspace, and go on."
        ) from error


def _make_folder(parent: int, name: str) -> None:
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return  # another writer was faster; the opening that follows checks what it made
    keep_owner(parent, name)
    os.fsync(parent)


def keep_owner(folder: int, name: str) -> None:
    """Give what root has just made in a folder to the folder's owner, who could not work with it otherwise."""
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)


# What lies in a folder of the workspace.

Kind = Literal["file", "folder", "link", "other"]
KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


@dataclass(frozen=True)
class Entry:
    """One name. `size` is in bytes and counts for files alone; links are shown and never followed."""

    path: str
    kind: Kind
    size: int


@dataclass(frozen=True)
class Listing:
    """Entries in the order of their paths; `complete` is false where there were more than wanted."""

    entries: tuple[Entry, ...]
    complete: bool


def list_folder(root: Path, parts: Sequence[str], depth: int, most: int) -> Listing:
    """What lies in a folder, `depth` folders deep (1: itself), at most so many entries.

    Names that no tool could open (odd characters, the state folder) are left out.

    Raises:
        NotFound: there is no such folder.
        InvalidInput: it is a file, or a link stands on the way.
    """
    entries = tuple(islice(_entries(root, tuple(parts), depth), most + 1))
    return Listing(entries[:most], len(entries) <= most)


def _entries(root: Path, parts: tuple[str, ...], depth: int) -> Iterator[Entry]:
    """A folder's entries, each folder before what it holds. No descriptor stays open while the caller thinks."""
    with opened_folder(root, parts) as folder:
        found = sorted(_named(folder, parts), key=lambda entry: entry.path)
    for entry in found:
        yield entry
        below = (*parts, entry.path.rpartition("/")[2])
        if entry.kind == "folder" and depth > 1 and len(below) < MAX_DEPTH:
            try:
                yield from _entries(root, below, depth - 1)
            except NotFound:
                continue  # it was deleted while the others were listed


def _named(folder: int, parts: tuple[str, ...]) -> Iterator[Entry]:
    with os.scandir(folder) as names:
        for name in names:
            path = "/".join((*parts, name.name))
            try:
                parts_of(path)
                found = name.stat(follow_symlinks=False)
            except (InvalidInput, FileNotFoundError):
                continue
            kind = KINDS.get(stat.S_IFMT(found.st_mode), "other")
            yield Entry(path, kind, found.st_size if kind == "file" else 0)


# Reading and writing in the job's folder. Paths are relative to it, with slashes; the calls block on the disk.

DEFAULT_MAX_FILE_BYTES = 20_000_000
MAX_FILES = 20_000
"""More files than this are no workspace that an agent keeps in view."""
TEMPORARY_FOLDER = (STATE_FOLDER, "writing")
SNIFFED_BYTES = 8_192


class Workspace:
    """The folder of one job. Nothing outside is read or written, and no link is followed.

    A file appears whole or not at all: it is written beside and renamed, which also parts it from other names
    (hard links) of the same file.
    """

    def __init__(self, root: Path, *, max_file_bytes: int = DEFAULT_MAX_FILE_BYTES) -> None:
        """Keep the folder, which must exist.

        Args:
            root: the folder; links in its own path are followed now, once.
            max_file_bytes: what one file may have, read or written.
        """
        self.root = root.resolve()
        self.max_file_bytes = max_file_bytes

    @property
    def state_folder(self) -> Path:
        """Where the agent's own code keeps what no tool may touch; it may not exist yet."""
        return self.root / STATE_FOLDER

    def locate(self, path: str) -> Path:
        """The absolute path of something inside, whether it exists or not.

        Who opens it later opens it anew: use `read_bytes` where the file can be had through it.

        Raises:
            InvalidInput: the path leads out, through a link, or is no usable name.
        """
        parts = parts_of(path)
        if parts:
            try:
                with opened_folder(self.root, parts[:-1]) as folder, disk_errors(path):
                    refuse_link(folder, parts[-1], path)
            except NotFound:  # what is not there cannot be a link; it is made by who writes
                return self.root.joinpath(*parts)
        return self.root.joinpath(*parts)

    def relative(self, path: Path) -> str:
        """The workspace's name of an absolute path that `locate` gave.

        Raises:
            InvalidInput: it does not lie in the workspace.
        """
        if not path.is_relative_to(self.root):
            raise InvalidInput(f"{path.name!r} does not lie in the workspace.")
        return path.relative_to(self.root).as_posix()

    def read_bytes(self, path: str) -> bytes:
        """A file's content.

        Raises:
            NotFound: there is none.
            InvalidInput: it is a folder, a link or a device, or larger than `max_file_bytes`.
        """
        parts = _of_a_file(path)
        with opened_folder(self.root, parts[:-1]) as folder, disk_errors(path):
            refuse_link(folder, parts[-1], path)
            with open(os.open(parts[-1], READ_FLAGS, dir_fd=folder), "rb") as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise InvalidInput(f"{path!r} is no file that can be read.")
                data = file.read(self.max_file_bytes + 1)
        if len(data) > self.max_file_bytes:
            size = max(found.st_size, len(data))
            raise InvalidInput(f"{path!r} has {size:,} bytes; at most {self.max_file_bytes:,} are read.")
        return data

    def read_text(self, path: str) -> str:
        """A file's text.

        Raises:
            NotFound, InvalidInput: as for `read_bytes`; InvalidInput also where it is no UTF-8 text.
        """
        data = self.read_bytes(path)
        try:
            if b"\0" in data[:SNIFFED_BYTES]:
                raise InvalidInput(f"{path!r} is a binary file.", hint=_reader_of(path))
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{path!r} is no UTF-8 text (byte {error.start}).", hint=_reader_of(path)) from error

    def write_text(self, path: str, text: str) -> None:
        """Write a file, whole or not at all; folders on the way are made.

        Raises:
            InvalidInput: the path cannot be used, or the text is too large.
            Misconfigured: the disk does not take it.
        """
        self.write_bytes(path, _encoded(path, text))

    def write_bytes(self, path: str, data: bytes) -> None:
        """As `write_text`, for what is no text."""
        parts = _of_a_file(path)
        if len(data) > self.max_file_bytes:
            raise InvalidInput(
                f"{path!r} would have {len(data):,} bytes; at most {self.max_file_bytes:,} are written.",
                hint="Split it into several files.",
            )
        with opened_folder(self.root, parts[:-1], create=True) as folder, disk_errors(path):
            if kind_of(folder, parts[-1]) not in (None, stat.S_IFREG):
                refuse_link(folder, parts[-1], path)
                raise InvalidInput(f"{path!r} is no file; there is a folder or a device of this name.")
            self._replace(folder, parts[-1], data)

    def append_text(self, path: str, text: str) -> None:
        """Add text to the end of a file, which is made where it is missing.

        Raises:
            InvalidInput, Misconfigured: as for `write_text`.
        """
        try:
            before = self.read_bytes(path)
        except NotFound:
            before = b""
        self.write_bytes(path, before + _encoded(path, text))

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder of this name.

        Raises:
            InvalidInput: the path cannot be used, or leads through a link.
        """
        return self._kind(path) is not None

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of this name; raises as `exists` does."""
        return self._kind(path) == stat.S_IFDIR

    def _kind(self, path: str) -> int | None:
        parts = parts_of(path)
        if not parts:
            return stat.S_IFDIR
        try:
            with opened_folder(self.root, parts[:-1]) as folder, disk_errors(path):
                refuse_link(folder, parts[-1], path)
                return kind_of(folder, parts[-1])
        except NotFound:
            return None

    def delete(self, path: str) -> None:
        """Delete a file.

        Raises:
            NotFound: there is none.
            InvalidInput: it is a folder, or leads through a link.
        """
        parts = _of_a_file(path)
        with opened_folder(self.root, parts[:-1]) as folder, disk_errors(path):
            refuse_link(folder, parts[-1], path)
            if kind_of(folder, parts[-1]) == stat.S_IFDIR:
                raise InvalidInput(f"{path!r} is a folder.", hint="Delete its files one by one.")
            os.unlink(parts[-1], dir_fd=folder)
            os.fsync(folder)

    def walk(self) -> Iterator[Path]:
        """The absolute paths of all files, in order; raises as `list` does."""
        return (self.root.joinpath(path) for path in self.list())

    def make_folder(self, path: str) -> None:
        """Make a folder, and those above it; one that is there stays.

        Raises:
            InvalidInput: the path cannot be used, or a file or link stands there.
        """
        with opened_folder(self.root, parts_of(path), create=True):
            return

    def entries(self, path: str = "", *, depth: int = MAX_DEPTH, most: int = 1_000) -> Listing:
        """What lies in a folder, `depth` folders deep, at most so many entries.

        Raises:
            NotFound: there is no such folder.
            InvalidInput: it is a file, or leads through a link.
        """
        return list_folder(self.root, parts_of(path), depth, most)

    def list(self, prefix: str = "") -> tuple[str, ...]:
        """The paths of all files in a folder and below, in order; none where there is no such folder.

        Raises:
            InvalidInput: there are more than 20,000 names, or the prefix cannot be used.
        """
        if not self.exists(prefix):
            return ()
        found = self.entries(prefix, most=MAX_FILES)
        if not found.complete:
            raise InvalidInput(
                f"The workspace has more than {MAX_FILES:,} files and folders.", hint="Use a folder with fewer files."
            )
        return tuple(entry.path for entry in found.entries if entry.kind == "file")

    def write_state(self, name: str, data: bytes) -> None:
        """Write a file of the state folder, whole or not at all; for the agent's own code."""
        with opened_folder(self.root, (STATE_FOLDER,), create=True) as folder, disk_errors(name):
            self._replace(folder, name, data)

    def _replace(self, folder: int, name: str, data: bytes) -> None:
        with self._temporary(data) as (writing, temporary):
            os.replace(temporary, name, src_dir_fd=writing, dst_dir_fd=folder)
        os.fsync(folder)

    @contextmanager
    def _temporary(self, data: bytes) -> Iterator[tuple[int, str]]:
        """A file with this content in the state folder: the folder's descriptor, and the name in it."""
        name = f"{os.getpid()}-{os.urandom(8).hex()}"
        with opened_folder(self.root, TEMPORARY_FOLDER, create=True) as writing:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(name, flags, 0o666, dir_fd=writing)
            try:
                with open(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                yield writing, name
            except BaseException:
                os.unlink(name, dir_fd=writing)
                raise


def _of_a_file(path: str) -> tuple[str, ...]:
    parts = parts_of(path)
    if not parts or path.endswith("/"):
        raise InvalidInput(f"{path!r} names a folder; a file is needed.", hint="Add the file's name.")
    return parts


def _encoded(path: str, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"The text for {path!r} has a broken character at position {error.start}.", hint="Leave it out."
        ) from error


def _reader_of(path: str) -> str:
    suffix = path.rpartition(".")[2].lower()
    if suffix == "pdf":
        return "read_file reads PDFs by page_start and page_end; extract_document_text writes the whole text to a file."
    if suffix in ("docx", "html", "htm", "txt", "md"):
        return "extract_document_text reads it into extracted/."
    return "There is no tool that reads this kind of file; go on without it."

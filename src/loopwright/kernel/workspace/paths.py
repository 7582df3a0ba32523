"""Which texts are paths inside a workspace. Nothing here looks at the disk."""

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


# --------------------------------------------------------------------------------------------------------------------
# Opening folders step by step, so that no link leads out, not even one that was put there a moment ago.
# --------------------------------------------------------------------------------------------------------------------

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


# --------------------------------------------------------------------------------------------------------------------
# What lies in a folder of the workspace.
# --------------------------------------------------------------------------------------------------------------------

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

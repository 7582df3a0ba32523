"""Reading and writing inside one folder: nothing leaves it, nothing is half written, nothing is overwritten unasked."""

import errno
import os
import stat
from pathlib import Path, PurePosixPath

from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.whole_files import DRAFT, write_draft, write_whole

LONGEST_NAME, LONGEST_PATH = 255, 1_000
LINKLESS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)
"""What file systems without hard links answer."""


class ProjectFiles:
    """The files below one root. Paths are relative to it, with slashes."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def inside(self, relative: str) -> Path:
        """The absolute path, with every link followed.

        Raises:
            InvalidInput: it is absolute, climbs up, or a link on the way leaves the folder.
        """
        given = PurePosixPath(relative)
        if (
            any(len(part.encode(errors="replace")) > LONGEST_NAME for part in given.parts)
            or len(relative) > LONGEST_PATH
        ):
            raise InvalidInput(f"{relative[:60]!r}… is too long for a path.")
        if not relative or "\0" in relative or "\\" in relative or given.is_absolute() or ".." in given.parts:
            raise InvalidInput(f"{relative!r} is no path inside the project folder.")
        try:
            path = self.root.joinpath(*given.parts).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise InvalidInput(f"{relative!r} cannot be followed: {error}.") from error
        if not path.is_relative_to(self.root):
            raise InvalidInput(f"{relative!r} is a link that leaves the project folder.", hint="Replace it by a file.")
        return path

    def folder(self, relative: str) -> Path:
        """The folder of this name, made where it is missing."""
        path = self.inside(relative)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def read(self, relative: str, limit: int) -> str:
        """The text of a regular file.

        Raises:
            NotFound: there is none.
            InvalidInput: it is no regular file, larger than `limit` bytes, or no UTF-8.
        """
        path = self.inside(relative)
        try:
            found = path.stat()
        except FileNotFoundError as error:
            raise NotFound(f"There is no {relative} in the project folder.") from error
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput(f"{relative} is no regular file.")
        if found.st_size > limit:
            raise InvalidInput(f"{relative} has {found.st_size / 1e6:.1f} MB; at most {limit / 1e6:.1f} MB are read.")
        try:
            return path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{relative} is no UTF-8 text (byte {error.start}).") from error

    def replace(self, relative: str, text: str) -> None:
        """Write a file so that at every moment it is the old or the new one, whole."""
        path = self.inside(relative)
        write_whole(path, text.encode())
        sync_folder(path.parent)

    def create(self, relative: str, text: str) -> None:
        """Write a new file; it appears whole or not at all.

        Raises:
            FileExistsError: there is one of this name already; it stays as it is.
        """
        path = self.inside(relative)
        temporary = write_draft(path, text.encode())
        try:
            # Unlike a rename, a link fails when the name is taken.
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in LINKLESS or path.exists():
                raise
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)

    def move(self, relative: str, aside: str) -> None:
        """Give a file another name, which must be free."""
        source, target = self.inside(relative), self.inside(aside)
        if target.exists():
            raise FileExistsError(str(target))
        os.replace(source, target)
        sync_folder(source.parent)
        sync_folder(target.parent)

    def remove(self, relative: str) -> None:
        """Remove a file, if it is there."""
        path = self.inside(relative)
        path.unlink(missing_ok=True)
        sync_folder(path.parent)

    def exists(self, relative: str) -> bool:
        """Whether there is something of this name."""
        return self.inside(relative).exists()

    def names(self, relative: str) -> list[str]:
        """The names in a folder, in order; none where there is no folder."""
        path = self.inside(relative)
        return sorted(os.listdir(path)) if path.is_dir() else []

    def sweep(self, relative: str) -> None:
        """Remove what writers that died have left in a folder. Only for who holds the project's lock."""
        for name in self.names(relative):
            if name.startswith(".") and name.endswith(DRAFT):
                (self.inside(relative) / name).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make names in a folder outlast a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""What a user gives a job to read: checked, named so that every system takes the names, and put into the workspace."""

import hashlib
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath

from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.workspace import Workspace
from loopwright.kernel.workspace.paths import FORBIDDEN, UNPRINTABLE, parts_of

MAX_DOCUMENTS = 100
MAX_TOTAL_BYTES = 500_000_000
MAX_STEM = 100
DOCUMENTS = "documents"


@dataclass(frozen=True)
class GivenDocument:
    """A document: the name by which its giver calls it, and its content."""

    name: str
    data: bytes


def read_documents(paths: Sequence[Path], max_bytes: int) -> list[GivenDocument]:
    """Read the files that a user names on this machine.

    Args:
        paths: the files; links are followed, since the user is at home here.
        max_bytes: the most one of them may have.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is no regular file, too large, or there are too many.
    """
    if len(paths) > MAX_DOCUMENTS:
        raise InvalidInput(f"{len(paths)} documents were given; at most {MAX_DOCUMENTS} are taken.")
    return [GivenDocument(path.name, _read(path, max_bytes)) for path in paths]


def check_documents(documents: Sequence[GivenDocument], max_bytes: int) -> None:
    """Refuse what cannot be taken, before anything is written.

    Raises:
        InvalidInput: a document is empty or too large, or they are too many, or too large together.
    """
    if len(documents) > MAX_DOCUMENTS:
        raise InvalidInput(f"{len(documents)} documents were given; at most {MAX_DOCUMENTS} are taken.")
    for document in documents:
        if not document.data:
            raise InvalidInput(f"The document {document.name!r} is empty.")
        if len(document.data) > max_bytes:
            raise _too_large(document.name, max_bytes)
    if sum(len(document.data) for document in documents) > MAX_TOTAL_BYTES:
        raise InvalidInput(f"The documents have more than {MAX_TOTAL_BYTES:,} bytes together.")


def put_documents(workspace: Workspace, documents: Sequence[GivenDocument]) -> list[str]:
    """Put documents into the workspace's `documents/`; gives the paths of all that lie there, those from before too.

    A document that is there already, with the same content, is not put there twice; another one of the same name gets a
    number.

    Raises:
        InvalidInput, Misconfigured: the workspace does not take it.
    """
    taken = {path.casefold(): _digest(workspace.read_bytes(path)) for path in workspace.list(DOCUMENTS)}
    for document in documents:
        digest = _digest(document.data)
        for name in _names(document.name):
            path = f"{DOCUMENTS}/{name}"
            known = taken.get(path.casefold())
            if known is None:
                workspace.write_bytes(path, document.data)
                taken[path.casefold()] = digest
            if known in (None, digest):
                break
    return list(workspace.list(DOCUMENTS))


def _read(path: Path, max_bytes: int) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InvalidInput(f"The document {path} is no file.", hint="Name each file by itself.")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise NotFound(f"There is no document {path}.") from error
    except (OSError, ValueError) as error:
        raise InvalidInput(f"The document {path} cannot be read: {error}.") from error
    if len(data) > max_bytes:
        raise _too_large(path.name, max_bytes)
    return data


def _too_large(name: str, max_bytes: int) -> InvalidInput:
    return InvalidInput(
        f"The document {name!r} is larger than {max_bytes:,} bytes.",
        hint="Split it, or raise workspace.max_file_bytes in the job's config.",
    )


def _names(name: str) -> Iterator[str]:
    """Names for a document, the likeliest first, each usable in a workspace."""
    plain = unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2])
    safe = "".join(
        "_" if character in FORBIDDEN or unicodedata.category(character) in UNPRINTABLE else character
        for character in plain
    )
    path = PurePosixPath(safe.strip(" .") or "document")
    stem, suffix = path.stem[:MAX_STEM].strip(" .") or "document", path.suffix[:20]
    for number in count(1):
        candidate = f"{stem}{suffix}" if number == 1 else f"{stem}-{number}{suffix}"
        try:
            parts_of(candidate)
        except InvalidInput:  # the name of a device, or of the state folder
            stem = f"document-{stem.strip('.')}"
            candidate = f"{stem}{suffix}"
        yield candidate


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

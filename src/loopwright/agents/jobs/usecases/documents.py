"""What a user gives a job to read: checked, named so that every system takes the names, and put into the workspace."""

import asyncio
import hashlib
import json
import stat
import unicodedata
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from loopwright.agents.jobs.configs import ConfigReport, examine_config
from loopwright.agents.jobs.contracts import JobConfig
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, check_message
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.workspace import FORBIDDEN, STATE_FOLDER, UNPRINTABLE, Workspace, parts_of

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
        InvalidInput: it is not a regular file, too large, or there are too many.
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
            raise InvalidInput(f"The document {path} is not a file.", hint="Name each file by itself.")
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


# Use case: a config, documents and an order become a job's first run.

AGENT = "jobs"
TAKEN = f"{STATE_FOLDER}/snapshots"
"""What a job leaves in a workspace as its first phase begins."""


async def job_run(
    application: Loopwright,
    config: JobConfig,
    *,
    documents: Sequence[GivenDocument] = (),
    prompt: str = "",
    workspace: Path | None = None,
) -> NewRun:
    """Make the workspace ready; gives the run that begins the job.

    Args:
        application: the opened application.
        config: resolved and checked.
        documents: what the job is to read; they are copied into `documents/`.
        prompt: the user's order; without one the config's description stands for it, and the account reads nothing.
        workspace: a folder of the user's; what lies in its `documents/` is read too. Without one the job gets its own.

    Raises:
        InvalidInput: a document, the order or the folder cannot be used; nothing was written.
        Conflict: the folder belongs to another job or session.
    """
    message = check_message(prompt.strip() or config.description or config.display_name or config.job_type)
    check_documents(documents, config.workspace.max_file_bytes)
    folder = (workspace or application.settings.output_dir / f"job-{uuid.uuid4().hex[:12]}").resolve()
    await _refuse_taken(application, folder)
    paths = await asyncio.to_thread(_furnish, folder, config, documents)
    options: dict[str, Any] = {"config": config.model_dump(mode="json"), "documents": paths}
    return NewRun(message=message, agent=AGENT, folder=folder, options=options, composed=not prompt.strip())


def inline_config(data: Mapping[str, Any], *, language: str | None = None) -> ConfigReport:
    """What comes of a config that is an object and no file; it extends shipped ones only.

    Raises:
        NotFound, InvalidInput: as `examine_config` does; also where it names commands that witnesses may run, which
            only a file on this machine may.
    """
    if data.get("witness_commands"):
        raise InvalidInput(
            "/witness_commands: commands are allowed by config files on the server's machine alone.",
            hint="Leave them out, or start the job there with `loopwright jobs run FILE`.",
        )
    with TemporaryDirectory() as folder:  # the loader knows files; an empty folder has no parents but shipped ones
        file = Path(folder) / "request.json"
        file.write_text(json.dumps(data), encoding="utf-8")
        return examine_config(file, language=language)


async def _refuse_taken(application: Loopwright, folder: Path) -> None:
    sessions = await application.stores.sessions.find(output_dir=str(folder), limit=1)
    if sessions:
        raise Conflict(
            f"The workspace {folder} belongs to {'job' if sessions[0].agent == AGENT else 'session'} "
            f"{sessions[0].session_id}.",
            hint=f"Go on with it (loopwright jobs resume {sessions[0].session_id}), or name another folder.",
        )
    if (folder / TAKEN).exists():
        raise Conflict(
            f"The workspace {folder} was used by a job that this installation does not know.",
            hint="Name another folder, or set LOOPWRIGHT_HOME as it was then.",
        )


def _furnish(folder: Path, config: JobConfig, documents: Sequence[GivenDocument]) -> list[str]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"The workspace {folder} cannot be used: {error.strerror}.") from error
    workspace = Workspace(folder, max_file_bytes=config.workspace.max_file_bytes)
    return put_documents(workspace, documents)

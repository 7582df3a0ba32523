"""Use case: a config, documents and an order become a job's first run."""

import asyncio
import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loopwright.agents.jobs.configs import ConfigReport, examine_config
from loopwright.agents.jobs.contracts import JobConfig
from loopwright.app.intake import check_message
from loopwright.app.job_documents import GivenDocument, check_documents, put_documents
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.kernel.workspace import STATE_FOLDER, Workspace

AGENT = "jobs"
TAKEN = f"{STATE_FOLDER}/snapshots"
"""What a job leaves in a workspace as its first phase begins."""


async def job_run(
    house: Loopwright,
    config: JobConfig,
    *,
    documents: Sequence[GivenDocument] = (),
    prompt: str = "",
    workspace: Path | None = None,
) -> NewRun:
    """Make the workspace ready; gives the run that begins the job.

    Args:
        house: the installation.
        config: resolved and checked.
        documents: what the job is to read; they are copied into `documents/`.
        prompt: the user's order; without one the config's description stands for it.
        workspace: a folder of the user's; what lies in its `documents/` is read too. Without one the job gets its own.

    Raises:
        InvalidInput: a document, the order or the folder cannot be used; nothing was written.
        Conflict: the folder belongs to another job or session.
    """
    message = check_message(prompt.strip() or config.description or config.display_name or config.job_type)
    check_documents(documents, config.workspace.max_file_bytes)
    folder = (workspace or house.settings.output_dir / f"job-{uuid.uuid4().hex[:12]}").resolve()
    await _refuse_taken(house, folder)
    paths = await asyncio.to_thread(_furnish, folder, config, documents)
    options: dict[str, Any] = {"config": config.model_dump(mode="json"), "documents": paths}
    return NewRun(message=message, agent=AGENT, folder=folder, options=options)


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


async def _refuse_taken(house: Loopwright, folder: Path) -> None:
    sessions = await house.stores.sessions.find(output_dir=str(folder), limit=1)
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

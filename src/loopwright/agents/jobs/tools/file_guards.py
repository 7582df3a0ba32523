"""What the file tools ask before they write: may this phase, and where is the text from."""

import asyncio

from loopwright.agents.jobs.memory import config_of, load_job, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import as_data, remember, require_provenance
from loopwright.agents.jobs.workspace.protection import MEMORY_FILES, is_memory, plain_path, refuse_delete, refuse_write
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext
from loopwright.kernel.workspace import Workspace


def workspace_in(ctx: ToolContext[JobServices]) -> Workspace:
    """The workspace of the job that the call belongs to."""
    return workspace_of(ctx.output_dir, config_of(ctx.settings))


async def guard_write(ctx: ToolContext[JobServices], path: str) -> None:
    """Refuse what may not be written.

    Raises:
        InvalidInput: the file is protected.
    """
    refuse_write(path, tactical=await _is_tactical(ctx))


async def guard_text(ctx: ToolContext[JobServices], workspace: Workspace, path: str, text: str) -> None:
    """Refuse what may not stand in a file.

    Args:
        ctx: the call.
        workspace: the job's.
        path: of the file.
        text: the whole text that would stand in it afterwards.

    Raises:
        InvalidInput: the file is memory, and the text holds foreign words without their source.
    """
    if plain_path(path) in MEMORY_FILES:
        await require_provenance(workspace, text, ctx.db, ctx.session_id, what=path)


async def guard_delete(ctx: ToolContext[JobServices], path: str) -> None:
    """Refuse what may not be deleted.

    Raises:
        InvalidInput: the file is protected.
    """
    refuse_delete(path, tactical=await _is_tactical(ctx))


async def shown_to_model(workspace: Workspace, path: str, text: str, place: str = "", filed: str = "") -> str:
    """A file's text as the model may read it: the agent's own memory as it is, all else as data, and filed as such.

    Args:
        workspace: the job's.
        path: of the file.
        text: the part of it.
        place: where in the file, such as `#page=3`.
        filed: the file's own words, where the text has line numbers among them.
    """
    if is_memory(path):
        return text
    await asyncio.to_thread(remember, workspace, path, filed or text)
    return as_data(text, f"{path}{place}")


def touched(path: str) -> frozenset[str] | None:
    """What a write of this path touches, for calls that may run side by side; None for what is no path."""
    try:
        return frozenset({plain_path(path)})
    except InvalidInput:
        return None


async def _is_tactical(ctx: ToolContext[JobServices]) -> bool:
    return (await load_job(ctx.db, ctx.session_id)).phase.kind == "tactical"

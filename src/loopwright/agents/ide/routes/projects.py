"""The projects of the ide agent over HTTP: what the user does with them without a model.

A project is reached through a conversation about it.
"""

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.ide.contracts import Tier
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.usecases import project_of_conversation
from loopwright.server.dependencies import Application

router = APIRouter(prefix="/api/ide/conversations/{session_id}", tags=["ide"])


class Undoing(BaseModel):
    """Which checkpoint; nothing named is the last run. With `force` also where files were changed since."""

    model_config = ConfigDict(extra="forbid")

    checkpoint: str | None = None
    force: bool = False


class Restoring(BaseModel):
    """Before which checkpoint to go back."""

    model_config = ConfigDict(extra="forbid")

    checkpoint: str
    force: bool = False


class Remembered(BaseModel):
    """Something that the user wants remembered."""

    model_config = ConfigDict(extra="forbid")

    content: str = Field(min_length=3, max_length=2_000)
    tier: Tier = "long_term"
    category: str = Field("general", max_length=60)


@router.get("/checkpoints")
async def checkpoints(session_id: str, application: Application) -> dict[str, Any]:
    """What was changed in the conversation's project and can be undone, newest first."""
    project = await project_of_conversation(application, session_id)
    return {
        "checkpoints": [
            {"checkpoint": each.id, "kind": each.kind, "at": each.at, "paths": each.paths, "undone": each.undone}
            for each in await project.checkpoints.list()
        ]
    }


@router.get("/checkpoints/{checkpoint}/diff")
async def diff(session_id: str, checkpoint: str, application: Application) -> dict[str, Any]:
    """What a run changed, in git's format."""
    project = await project_of_conversation(application, session_id)
    return {"checkpoint": checkpoint, "diff": await project.checkpoints.diff(checkpoint)}


@router.post("/checkpoints/undo")
async def undo(session_id: str, body: Undoing, application: Application) -> dict[str, Any]:
    """Undo all that one run changed; 409 where somebody has changed it since."""
    project = await project_of_conversation(application, session_id)
    done = await project.checkpoints.undo(body.checkpoint, force=body.force)
    return {"checkpoint": done.checkpoint, "changed_files": done.paths, "lost": done.lost}


@router.post("/checkpoints/restore")
async def restore(session_id: str, body: Restoring, application: Application) -> dict[str, Any]:
    """Go back to before a checkpoint: it and all later ones are undone."""
    project = await project_of_conversation(application, session_id)
    done = await project.checkpoints.restore(body.checkpoint, force=body.force)
    return {"checkpoint": done.checkpoint, "changed_files": done.paths, "lost": done.lost}


@router.get("/search")
async def search(
    session_id: str,
    query: str,
    application: Application,
    in_: Annotated[Literal["text", "symbols", "files"], Query(alias="in")] = "text",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> dict[str, Any]:
    """Search the project: its text, its definitions, or the names of its files."""
    project = await project_of_conversation(application, session_id)
    return {"found": await asyncio.to_thread(_search, project, in_, query, limit)}


@router.get("/map")
async def project_map(
    session_id: str, application: Application, focus: str = "", tokens: Annotated[int, Query(ge=50, le=100_000)] = 1_500
) -> dict[str, Any]:
    """The map of the project that the model gets."""
    project = await project_of_conversation(application, session_id)
    await project.refresh()
    return {"map": await asyncio.to_thread(project.index.map, tokens, focus)}


@router.get("/memory")
async def memories(
    session_id: str, application: Application, query: str = "", tier: Tier | None = None
) -> dict[str, Any]:
    """What is remembered of the project."""
    project = await project_of_conversation(application, session_id)
    found = await asyncio.to_thread(project.memory.list, query, tier)
    return {"memories": [each.model_dump(mode="json") for each in found]}


@router.post("/memory", status_code=201)
async def remember(session_id: str, body: Remembered, application: Application) -> dict[str, Any]:
    """Remember something at once."""
    project = await project_of_conversation(application, session_id)
    entry = await asyncio.to_thread(lambda: project.memory.add(body.content, tier=body.tier, category=body.category))
    return entry.model_dump(mode="json")


@router.delete("/memory/{memory_id}")
async def forget(session_id: str, memory_id: str, application: Application, confirmed: bool = False) -> dict[str, Any]:
    """Forget something; 409 where it is protected and the deletion is not confirmed."""
    project = await project_of_conversation(application, session_id)
    entry = await asyncio.to_thread(lambda: project.memory.delete(memory_id, confirmed=confirmed, approved=confirmed))
    return entry.model_dump(mode="json")


def _search(project: Project, where: str, query: str, limit: int) -> list[Any]:
    if where == "files":
        return [{"path": path} for path in project.index.find_files(query, limit)]
    if where == "symbols":
        project.index.refresh()
        return [symbol.model_dump(mode="json") for symbol in project.index.search_symbols(query, limit=limit)]
    hits = project.index.search_text(query, limit=limit)
    return [{"path": hit.path, "line": hit.line, "text": hit.text} for hit in hits]

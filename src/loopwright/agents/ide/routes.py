"""The ide agent over HTTP: messages about a project, and what the user does with it without a model."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.ide.contracts import Category, Tier
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.reasoning import Transcript
from loopwright.agents.ide.usecases import (
    conversation,
    conversations,
    message_for,
    project_of_conversation,
    qa_report,
    switches,
)
from loopwright.app.answering import load_state
from loopwright.app.starting import NewRun, create_run, start_run
from loopwright.app.watching import is_terminal, last_line, watch_run
from loopwright.engine.drafts import Live
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.ports import RunRecord
from loopwright.server.dependencies import Application, EventStream, Frame, envelope
from loopwright.server.routes import run_object, session_object

# The ide agent over HTTP: messages about a project.
#
# Answers to permission gates go through `/api/gates`, a run's journal through `/api/runs/{run_id}/events`.

router = APIRouter(prefix="/api/ide", tags=["ide"])


class IdeMessage(BaseModel):
    """A message about the project at `root`, or in a conversation. `allowed` needs no yes."""

    model_config = ConfigDict(extra="forbid")

    message: str
    root: str | None = None
    session_id: str | None = None
    mode: Literal["chat", "agent"] = "agent"
    reasoning: bool = False
    qa: bool | None = None
    allowed: list[Category] = Field(default_factory=list, max_length=4)


@router.post("/messages", status_code=201)
async def send(body: IdeMessage, application: Application) -> dict[str, Any]:
    """Carry out a message in the background."""
    return run_object(await start_run(application, await _new_run(application, body)))


@router.post("/messages/stream")
async def stream(body: IdeMessage, application: Application) -> EventStream:
    """The same as SSE: events, `{"delta"}` for words and `{"thought"}` for reasoning, the last line, `[DONE]`."""
    record = await create_run(application, await _new_run(application, body))
    return EventStream(_frames(application, record), headers={"X-Run-Id": record.run_id})


@router.get("/conversations")
async def find(
    application: Application, root: str | None = None, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> dict[str, Any]:
    """Conversations, newest first."""
    found = await conversations(application, Path(root) if root is not None else None, limit)
    return {"conversations": [session_object(record) for record in found]}


@router.get("/conversations/{session_id}")
async def get(session_id: str, application: Application) -> dict[str, Any]:
    """A conversation with its runs."""
    record = await conversation(application, session_id)
    runs = await application.stores.runs.find(session_id=session_id, limit=100)
    return session_object(record) | {"runs": [run_object(run) for run in runs]}


@router.get("/runs/{run_id}/qa-report")
async def report(run_id: str, application: Application) -> dict[str, Any]:
    """What QA said of a run."""
    return await qa_report(application, run_id)


async def _new_run(application: Application, body: IdeMessage) -> NewRun:
    if body.root is None and body.session_id is None:
        raise InvalidInput("No project was named.", hint="Send `root`, or the `session_id` of a conversation.")
    options = switches(mode=body.mode, reasoning=body.reasoning, qa=body.qa, allowed=body.allowed)
    root = Path(body.root) if body.root is not None else None
    return await message_for(application, body.message, options, root=root, session_id=body.session_id)


async def _frames(application: Application, record: RunRecord) -> AsyncGenerator[Frame, None]:
    """The run as it goes, to its end or to its next question."""
    transcript, final = Transcript(), None
    begin = partial(application.dispatcher.dispatch, record.run_id, None, "started")
    async with aclosing(watch_run(application, record.run_id, until_pause=True, begin=begin)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Live):
                told = transcript.hear(piece.data) if piece.kind == "delta" else []
            else:
                yield _frame(envelope(piece, record.session_id), str(piece.seq))
                told = transcript.answered(piece.payload) if piece.type == "model_response" else []
                final = piece.payload if is_terminal(piece) else None
            for each in told:
                yield _frame({"delta" if each.kind == "message" else "thought": each.text})
    state = await load_state(application, record.run_id)
    yield _frame(last_line(await application.stores.runs.get(record.run_id), state, final))
    yield Frame("[DONE]")


def _frame(data: dict[str, Any], identifier: str | None = None) -> Frame:
    return Frame(json.dumps(data, ensure_ascii=False), id=identifier)


# The projects of the ide agent over HTTP: what the user does with them without a model.
#
# A project is reached through a conversation about it.

project_router = APIRouter(prefix="/api/ide/conversations/{session_id}", tags=["ide"])


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


@project_router.get("/checkpoints")
async def checkpoints(session_id: str, application: Application) -> dict[str, Any]:
    """What was changed in the conversation's project and can be undone, newest first."""
    project = await project_of_conversation(application, session_id)
    return {
        "checkpoints": [
            {"checkpoint": each.id, "kind": each.kind, "at": each.at, "paths": each.paths, "undone": each.undone}
            for each in await project.checkpoints.list()
        ]
    }


@project_router.get("/checkpoints/{checkpoint}/diff")
async def diff(session_id: str, checkpoint: str, application: Application) -> dict[str, Any]:
    """What a run changed, in git's format."""
    project = await project_of_conversation(application, session_id)
    return {"checkpoint": checkpoint, "diff": await project.checkpoints.diff(checkpoint)}


@project_router.post("/checkpoints/undo")
async def undo(session_id: str, body: Undoing, application: Application) -> dict[str, Any]:
    """Undo all that one run changed; 409 where somebody has changed it since."""
    project = await project_of_conversation(application, session_id)
    done = await project.checkpoints.undo(body.checkpoint, force=body.force)
    return {"checkpoint": done.checkpoint, "changed_files": done.paths, "lost": done.lost}


@project_router.post("/checkpoints/restore")
async def restore(session_id: str, body: Restoring, application: Application) -> dict[str, Any]:
    """Go back to before a checkpoint: it and all later ones are undone."""
    project = await project_of_conversation(application, session_id)
    done = await project.checkpoints.restore(body.checkpoint, force=body.force)
    return {"checkpoint": done.checkpoint, "changed_files": done.paths, "lost": done.lost}


@project_router.get("/search")
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


@project_router.get("/map")
async def project_map(
    session_id: str, application: Application, focus: str = "", tokens: Annotated[int, Query(ge=50, le=100_000)] = 1_500
) -> dict[str, Any]:
    """The map of the project that the model gets."""
    project = await project_of_conversation(application, session_id)
    await project.refresh()
    return {"map": await asyncio.to_thread(project.index.map, tokens, focus)}


@project_router.get("/memory")
async def memories(
    session_id: str, application: Application, query: str = "", tier: Tier | None = None
) -> dict[str, Any]:
    """What is remembered of the project."""
    project = await project_of_conversation(application, session_id)
    found = await asyncio.to_thread(project.memory.list, query, tier)
    return {"memories": [each.model_dump(mode="json") for each in found]}


@project_router.post("/memory", status_code=201)
async def remember(session_id: str, body: Remembered, application: Application) -> dict[str, Any]:
    """Remember something at once."""
    project = await project_of_conversation(application, session_id)
    entry = await asyncio.to_thread(lambda: project.memory.add(body.content, tier=body.tier, category=body.category))
    return entry.model_dump(mode="json")


@project_router.delete("/memory/{memory_id}")
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

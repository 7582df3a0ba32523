"""The ide agent over HTTP: messages about a project.

Answers to permission gates go through `/api/gates`, a run's journal through `/api/runs/{run_id}/events`.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.ide.contracts import Category
from loopwright.agents.ide.flow.speech import Transcript
from loopwright.agents.ide.usecases import conversation, conversations, message_for, qa_report, switches
from loopwright.app.answering import load_state
from loopwright.app.ending import last_line
from loopwright.app.starting import NewRun, create_run, start_run
from loopwright.app.watching import is_terminal, watch_run
from loopwright.engine.drafts import Live
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.ports import RunRecord
from loopwright.server.dependencies import Application
from loopwright.server.routes.runs import run_object
from loopwright.server.routes.sessions import session_object
from loopwright.server.streams import EventStream, Frame, envelope

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

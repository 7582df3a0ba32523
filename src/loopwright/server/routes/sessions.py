"""Sessions: what belongs together."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from loopwright.server.dependencies import Application
from loopwright.server.routes.runs import run_object
from loopwright.stores.sessions import SessionRecord

router = APIRouter(prefix="/api/sessions", tags=["sessions"])


def session_object(record: SessionRecord) -> dict[str, Any]:
    """A session as clients see it."""
    return record.model_dump(mode="json")


@router.get("")
async def find(
    application: Application, agent: str | None = None, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> dict[str, Any]:
    """Sessions, newest first."""
    return {"sessions": [session_object(r) for r in await application.stores.sessions.find(agent=agent, limit=limit)]}


@router.get("/{session_id}")
async def get(session_id: str, application: Application) -> dict[str, Any]:
    """One session, with its runs."""
    record = await application.stores.sessions.get(session_id)
    runs = await application.stores.runs.find(session_id=session_id, limit=100)
    return session_object(record) | {"runs": [run_object(run) for run in runs]}


@router.delete("/{session_id}", status_code=204)
async def delete(session_id: str, application: Application) -> Response:
    """Delete a session with its runs and pages from the store; files on disk stay."""
    await application.stores.sessions.delete(session_id)
    return Response(status_code=204)


@router.get("/{session_id}/messages")
async def messages(session_id: str, application: Application) -> dict[str, Any]:
    """The dialogue of all runs, oldest first."""
    await application.stores.sessions.get(session_id)
    dialogue: list[dict[str, Any]] = []
    for run in reversed(await application.stores.runs.find(session_id=session_id, limit=500)):
        for event in await application.stores.journal.read(run.run_id):
            line = _line(event.type, event.payload)
            if line is not None:
                dialogue.append(line | {"run_id": run.run_id, "at": event.at.isoformat()})
    return {"messages": dialogue}


def _line(kind: str, payload: dict[str, Any]) -> dict[str, Any] | None:
    if kind == "user_message":
        return {"role": "user", "content": payload["text"]}
    if kind == "model_response":
        text = payload["text"] if payload["visible"] is None else payload["visible"]
        return {"role": "assistant", "content": text} if text.strip() else None
    if kind == "gate_answered":
        return {"role": "user", "content": "", "answer": payload["answer"]}
    return None

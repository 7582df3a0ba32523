"""The routes of every installation: runs, the inbox of gates, sessions, and whether the server lives."""

import asyncio
from typing import Annotated, Any, Self

from fastapi import APIRouter, Body, Header, Query, Request, Response
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from loopwright import __version__
from loopwright.app.agents import agent_names
from loopwright.app.answering import (
    HTTP,
    answer_and_go_on,
    cancel_run,
    find_gate,
    load_state,
    open_gates,
    run_of,
    try_again,
)
from loopwright.app.starting import NewRun, check_agent, start_run
from loopwright.app.watching import describe_gate
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.state import TERMINAL, under_way
from loopwright.server.dependencies import Application, Seq, envelope, event_stream, seq_of
from loopwright.stores.errors import StoreUnavailable
from loopwright.stores.sessions import SessionRecord

runs_router = APIRouter(prefix="/api/runs", tags=["runs"])

HIDDEN = frozenset({"epoch", "owner", "heartbeat_at"})
"""Fields of a run's record that clients have no use for."""


class RunCreate(BaseModel):
    """A message for an agent. `options` are the agent's own parameters."""

    model_config = ConfigDict(extra="forbid")

    message: str
    agent: str = "pages"
    session_id: str | None = None
    images: list[str] = Field(default_factory=list, max_length=3, description="Data URLs")
    options: dict[str, Any] = Field(default_factory=dict)


class RunResume(BaseModel):
    """The answer to what the run waits for; or `anyway`: a parked run is to try once more."""

    model_config = ConfigDict(extra="forbid")

    resume_payload: dict[str, Any] | None = Field(None, validation_alias=AliasChoices("resume_payload", "resume"))
    anyway: bool = False

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.anyway == (self.resume_payload is not None):
            raise ValueError("either resume_payload or anyway")
        return self


def run_object(record: RunRecord) -> dict[str, Any]:
    """A run as clients see it."""
    return record.model_dump(mode="json", exclude=set(HIDDEN))


@runs_router.post("", status_code=201)
async def create(body: RunCreate, application: Application) -> dict[str, Any]:
    """Start a run in the background."""
    check_agent(body.agent)
    new = NewRun(
        message=body.message, agent=body.agent, session_id=body.session_id, images=body.images, options=body.options
    )
    return run_object(await start_run(application, new))


@runs_router.get("")
async def find(
    application: Application,
    session_id: str | None = None,
    agent: str | None = None,
    status: str | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> dict[str, Any]:
    """Runs, newest first."""
    records = await application.stores.runs.find(session_id=session_id, agent=agent, status=status, limit=limit)
    return {"runs": [run_object(record) for record in records]}


@runs_router.get("/{run_id}")
async def get(run_id: str, application: Application) -> dict[str, Any]:
    """One run, with its account, and its open gate if it waits."""
    record, state = await application.stores.runs.get(run_id), await load_state(application, run_id)
    gate = describe_gate(state.open_gate) if state.open_gate else None
    doing = under_way(state) if record.status in ("running", "parked") else None
    return run_object(record) | {
        "stage": state.stage,
        "doing": doing,
        "gate": gate,
        "account": state.account.as_told(),
    }


@runs_router.post("/{run_id}/resume")
async def resume(
    run_id: str, body: RunResume, application: Application, idempotency_key: Annotated[str | None, Header()] = None
) -> dict[str, Any]:
    """Answer what the run waits for; 409 unless it waits. The same key again changes nothing.

    With `anyway` in the place of an answer a parked run tries once more; 409 unless it is parked.
    """
    if body.anyway:
        await try_again(application, run_id)
    else:
        await answer_and_go_on(application, run_id, body.resume_payload or {}, idempotency_key=idempotency_key, by=HTTP)
    return run_object(await application.stores.runs.get(run_id))


@runs_router.post("/{run_id}/cancel")
async def cancel(run_id: str, application: Application, response: Response) -> dict[str, Any]:
    """Cancel: 202 when this was heard, 200 when the run was over before."""
    before = await application.stores.runs.get(run_id)
    response.status_code = 200 if before.status in TERMINAL else 202
    return run_object(await cancel_run(application, run_id))


@runs_router.get("/{run_id}/events", response_model=None)
async def events(
    run_id: str,
    application: Application,
    request: Request,
    since_seq: Seq = 0,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Any:
    """The run's journal: a page of JSON, or SSE when the client accepts `text/event-stream`."""
    record = await application.stores.runs.get(run_id)
    if last_event_id:
        since_seq = max(since_seq, seq_of(last_event_id))
    if "text/event-stream" in request.headers.get("accept", ""):
        return event_stream(application, run_id, record.session_id, since_seq)
    page = await application.stores.journal.read(run_id, since_seq, limit + 1)
    shown = page[:limit]
    return {
        "events": [envelope(event, record.session_id) for event in shown],
        "last_seq": shown[-1].seq if shown else since_seq,
        "has_more": len(page) > limit,
    }


# The inbox: everything of every agent that waits for a human.

gates_router = APIRouter(prefix="/api/gates", tags=["gates"])


@gates_router.get("")
async def inbox(application: Application) -> dict[str, Any]:
    """Pending gates, newest run first."""
    return {
        "gates": [
            describe_gate(entry.gate) | {"agent": entry.run.agent, "session_id": entry.run.session_id}
            for entry in await open_gates(application)
        ]
    }


@gates_router.get("/{gate_id}", name="get")
async def get_gate(gate_id: str, application: Application) -> dict[str, Any]:
    """One gate, pending or answered."""
    return describe_gate(await find_gate(application, gate_id))


@gates_router.post("/{gate_id}")
async def answer(
    gate_id: str,
    application: Application,
    payload: Annotated[dict[str, Any], Body()],
    idempotency_key: Annotated[str | None, Header()] = None,
) -> dict[str, Any]:
    """Answer a gate, once: `{"answers": {…}}` or `{"decision": "approve" | "reject"}`; a second answer is a 409.

    The call of a client tool is answered with `{"result": …}` or `{"error": "why there is none"}`.
    """
    await find_gate(application, gate_id)
    run_id = run_of(gate_id)
    await answer_and_go_on(application, run_id, payload, idempotency_key=idempotency_key, gate_id=gate_id, by=HTTP)
    return run_object(await application.stores.runs.get(run_id))


# Sessions: what belongs together.

sessions_router = APIRouter(prefix="/api/sessions", tags=["sessions"])


def session_object(record: SessionRecord) -> dict[str, Any]:
    """A session as clients see it."""
    return record.model_dump(mode="json")


@sessions_router.get("", name="find")
async def find_sessions(
    application: Application, agent: str | None = None, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> dict[str, Any]:
    """Sessions, newest first."""
    return {"sessions": [session_object(r) for r in await application.stores.sessions.find(agent=agent, limit=limit)]}


@sessions_router.get("/{session_id}", name="get")
async def get_session(session_id: str, application: Application) -> dict[str, Any]:
    """One session, with its runs."""
    record = await application.stores.sessions.get(session_id)
    runs = await application.stores.runs.find(session_id=session_id, limit=100)
    return session_object(record) | {"runs": [run_object(run) for run in runs]}


@sessions_router.delete("/{session_id}", status_code=204)
async def delete(session_id: str, application: Application) -> Response:
    """Delete a session with its runs and pages from the store; files on disk stay."""
    await application.stores.sessions.delete(session_id)
    return Response(status_code=204)


@sessions_router.get("/{session_id}/messages")
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


# Whether the server lives.

health_router = APIRouter(tags=["health"])

HEALTH_SECONDS = 5.0
"""Whoever asks wants to know now; other requests wait for a busy database."""


@health_router.get("/healthz")
async def healthz(application: Application) -> dict[str, Any]:
    """Answers when the database does; 503 when that takes too long."""
    try:
        async with asyncio.timeout(HEALTH_SECONDS):
            await application.stores.runs.find(limit=1)
    except TimeoutError as error:
        raise StoreUnavailable(f"The database gave no answer within {HEALTH_SECONDS:g} seconds.") from error
    model = "offline" if application.settings.offline else "endpoint"
    return {"status": "ok", "version": __version__, "model": model, "agents": list(agent_names())}

"""Runs: create, look at, resume, cancel, follow."""

from typing import Annotated, Any, Self

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from loopwright.app.answering import HTTP, answer_and_go_on, cancel_run, load_state, try_again
from loopwright.app.ending import describe_gate
from loopwright.app.starting import NewRun, check_agent, start_run
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.state import TERMINAL, under_way
from loopwright.server.dependencies import Application, Seq, seq_of
from loopwright.server.streams import envelope, event_stream

router = APIRouter(prefix="/api/runs", tags=["runs"])

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


@router.post("", status_code=201)
async def create(body: RunCreate, application: Application) -> dict[str, Any]:
    """Start a run in the background."""
    check_agent(body.agent)
    new = NewRun(
        message=body.message, agent=body.agent, session_id=body.session_id, images=body.images, options=body.options
    )
    return run_object(await start_run(application, new))


@router.get("")
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


@router.get("/{run_id}")
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


@router.post("/{run_id}/resume")
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


@router.post("/{run_id}/cancel")
async def cancel(run_id: str, application: Application, response: Response) -> dict[str, Any]:
    """Cancel: 202 when this was heard, 200 when the run was over before."""
    before = await application.stores.runs.get(run_id)
    response.status_code = 200 if before.status in TERMINAL else 202
    return run_object(await cancel_run(application, run_id))


@router.get("/{run_id}/events", response_model=None)
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

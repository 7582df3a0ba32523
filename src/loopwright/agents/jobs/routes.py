"""Jobs over HTTP: begin one with a config and documents, look at it, resume and cancel it, read what it found."""

import asyncio
import base64
import binascii
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.jobs.configs import ConfigReport, config_schema, examine_config, shipped_names
from loopwright.agents.jobs.usecases import (
    cancel_job,
    csv_text,
    describe_job,
    find_job,
    find_jobs,
    requirements_of,
    resume_job,
    rewind_job,
    rewound_object,
    show_job,
)
from loopwright.agents.jobs.usecases.documents import MAX_DOCUMENTS, GivenDocument, inline_config, job_run
from loopwright.app.answering import claim_for_resume
from loopwright.app.starting import NewRun, start_run
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.server.dependencies import MAX_INTEGER, Application
from loopwright.server.routes import run_object

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


class Upload(BaseModel):
    """A document: its file's name, and its content in base64."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=300)
    data: str


class JobCreate(BaseModel):
    """A job. `config` is a shipped name, or an object that extends one; files on the server's disk are out of reach."""

    model_config = ConfigDict(extra="forbid")

    config: str | dict[str, Any]
    prompt: str = ""
    language: Literal["en", "de"] | None = None
    documents: list[Upload] = Field(default_factory=list, max_length=MAX_DOCUMENTS)


class JobRewind(BaseModel):
    """The number of the phase that is to begin again."""

    model_config = ConfigDict(extra="forbid")

    to_phase: int = Field(ge=1, le=MAX_INTEGER)


@router.post("", status_code=201)
async def create(body: JobCreate, application: Application) -> dict[str, Any]:
    """Begin a job in the background; follow it at `/api/runs/{run_id}/events`."""
    report, documents = await asyncio.to_thread(_read, body)
    new = await job_run(application, report.usable(), documents=documents, prompt=body.prompt)
    record = await start_run(application, new)
    remarks = [issue.advice for issue in report.issues]
    return {"job_id": record.session_id, "run": run_object(record), "config_remarks": remarks}


@router.get("/schema")
async def schema() -> dict[str, Any]:
    """The JSON Schema of job configs."""
    return config_schema()


@router.get("")
async def find(application: Application, limit: Annotated[int, Query(ge=1, le=500)] = 50) -> dict[str, Any]:
    """Jobs, newest first."""
    return {"jobs": [describe_job(job) for job in await find_jobs(application, limit)]}


@router.get("/{job_id}")
async def get(job_id: str, application: Application) -> dict[str, Any]:
    """A job with its phases, their todos, and what it has found."""
    return await show_job(application, await find_job(application, job_id))


@router.get("/{job_id}/requirements", response_model=None)
async def requirements(
    job_id: str, application: Application, format_: Annotated[Literal["json", "csv"], Query(alias="format")] = "json"
) -> Any:
    """The requirements that a job has added or settled, with the quotes that bear them."""
    found = [requirement async for requirement in requirements_of(application, await find_job(application, job_id))]
    if format_ == "json":
        return {"requirements": found}
    headers = {
        "Content-Disposition": 'attachment; filename="requirements.csv"',
        "X-Content-Type-Options": "nosniff",
    }
    return PlainTextResponse(csv_text(found), media_type="text/csv", headers=headers)


@router.post("/{job_id}/resume", status_code=201)
async def resume(job_id: str, application: Application) -> dict[str, Any]:
    """Carry on a job that was interrupted, cancelled or has failed; 409 while it works, waits, or is complete."""
    going_on = await resume_job(application, await find_job(application, job_id))
    if isinstance(going_on, NewRun):
        return {"job_id": job_id, "run": run_object(await start_run(application, going_on))}
    claim = await claim_for_resume(application, going_on.run_id, patience_seconds=0)
    application.dispatcher.dispatch(going_on.run_id, claim, "resumed by the user")
    return {"job_id": job_id, "run": run_object(await application.stores.runs.get(going_on.run_id))}


@router.post("/{job_id}/rewind")
async def rewind(job_id: str, body: JobRewind, application: Application) -> dict[str, Any]:
    """Go back to where a phase began; 409 while the job works. `resume` goes on from there."""
    return rewound_object(await rewind_job(application, await find_job(application, job_id), body.to_phase))


@router.post("/{job_id}/cancel")
async def cancel(job_id: str, application: Application, response: Response) -> dict[str, Any]:
    """Stop a job: 202 while it comes to its boundary, 200 when it rests."""
    stopped = await cancel_job(application, await find_job(application, job_id))
    response.status_code = 202 if stopped.run.status == "running" else 200
    return describe_job(stopped)


def _read(body: JobCreate) -> tuple[ConfigReport, list[GivenDocument]]:
    if isinstance(body.config, dict):
        report = inline_config(body.config, language=body.language)
    elif body.config in shipped_names():
        report = examine_config(body.config, language=body.language)
    else:
        raise NotFound(f"There is no config {body.config[:80]!r}.", hint=f"Shipped are {', '.join(shipped_names())}.")
    return report, [GivenDocument(document.name, _content(document)) for document in body.documents]


def _content(document: Upload) -> bytes:
    try:
        return base64.b64decode(document.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(f"The base64 of the document {document.name[:80]!r} is broken: {error}.") from error

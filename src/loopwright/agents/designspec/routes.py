"""The designspec agent over HTTP: the document, patches, runs of the pipeline, artifacts, reports.

Messages go through `POST /api/chat` or `POST /api/runs` with `"agent": "designspec"`; approvals through `/api/gates`.
"""

import mimetypes
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.designspec.usecases import (
    AGENT,
    artifact_file,
    change_document,
    check,
    compare,
    describe_plan,
    documents_schema,
    pending_patches,
    project_of,
    run_index,
    run_options,
    run_plan,
)
from loopwright.app.starting import NewRun, start_run
from loopwright.server.dependencies import Application
from loopwright.server.routes import run_object

router = APIRouter(prefix="/api/designspec", tags=["designspec"])


class Patch(BaseModel):
    """A change that the user makes themselves; `base_hash` names the document that they looked at."""

    model_config = ConfigDict(extra="forbid")

    operations: list[dict[str, Any]] = Field(min_length=1, max_length=200)
    base_hash: str
    note: str = Field(default="", max_length=200)


class PipelineRun(BaseModel):
    """A run of the pipeline that the user asks for; that is their yes, unless `confirm` wants a gate as well."""

    model_config = ConfigDict(extra="forbid")

    run_until: str = "full"
    run_only: list[str] = Field(default_factory=list)
    skip: list[str] = Field(default_factory=list)
    components_subset: list[str] | None = None
    confirm: bool = False


class Documents(BaseModel):
    """Two documents to compare."""

    model_config = ConfigDict(extra="forbid")

    before: dict[str, Any]
    after: dict[str, Any]


@router.get("/schema")
async def schema() -> dict[str, Any]:
    """The JSON Schema of spec documents."""
    return documents_schema()


@router.post("/validate")
async def validate(document: dict[str, Any]) -> dict[str, Any]:
    """Check a document: every issue with its pointer."""
    return check(document)


@router.post("/diff")
async def diff(body: Documents) -> dict[str, Any]:
    """What has changed between two documents, in words."""
    return {"changes": compare(body.before, body.after)}


@router.get("/{session_id}/spec")
async def spec(session_id: str, application: Application, version: str | None = None) -> dict[str, Any]:
    """The document as it is, or as it was under the given hash."""
    project = await project_of(application, session_id)
    document = project.version(version) if version else project.document()
    return {"document": document, **check(document)}


@router.get("/{session_id}/patches")
async def patches(
    session_id: str, application: Application, limit: Annotated[int, Query(ge=1, le=1_000)] = 50
) -> dict[str, Any]:
    """The patches that wait for a word, and the changes that were made, newest first."""
    project = await project_of(application, session_id)
    done = [record.model_dump(mode="json") for record in project.history()[:limit]]
    return {"pending": await pending_patches(application, session_id), "changes": done}


@router.post("/{session_id}/patches", status_code=201)
async def patch(session_id: str, body: Patch, application: Application) -> dict[str, Any]:
    """Apply a change of the user's own; 409 when the document is another one by now."""
    project = await project_of(application, session_id)
    return change_document(project, body.operations, body.base_hash, body.note)


@router.post("/{session_id}/undo", status_code=201)
async def undo(session_id: str, application: Application) -> dict[str, Any]:
    """Take back the newest change that stands."""
    return (await project_of(application, session_id)).undo().model_dump(mode="json")


@router.post("/{session_id}/redo", status_code=201)
async def redo(session_id: str, application: Application) -> dict[str, Any]:
    """Make the change again that was undone last."""
    return (await project_of(application, session_id)).redo().model_dump(mode="json")


@router.post("/{session_id}/runs", status_code=201)
async def run(session_id: str, body: PipelineRun, application: Application) -> dict[str, Any]:
    """Run the pipeline in the background; follow it at `/api/runs/{run_id}/events`."""
    await project_of(application, session_id)
    plan = run_plan(body.model_dump(exclude={"confirm"}))
    options = run_options(plan, confirm=body.confirm)
    new = NewRun(message=describe_plan(plan), agent=AGENT, session_id=session_id, options=options)
    return run_object(await start_run(application, new))


@router.get("/{session_id}/runs")
async def runs(session_id: str, application: Application) -> dict[str, Any]:
    """The runs of the pipeline, newest first, with their figures."""
    return {"runs": run_index(await project_of(application, session_id))}


@router.get("/{session_id}/artifacts/{path:path}")
async def artifact(session_id: str, path: str, application: Application) -> FileResponse:
    """One file that a run has made."""
    found = artifact_file(await project_of(application, session_id), path)
    kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
    headers = {"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff"}
    return FileResponse(found, media_type=kind, filename=found.name, headers=headers)


@router.get("/{session_id}/reports/{name}")
async def report(session_id: str, name: str, application: Application) -> dict[str, Any]:
    """A report: last_validation, compile_report, last_runner_result or artifact_index."""
    project = await project_of(application, session_id)
    return {"name": name, "report": project.read_report(name)}  # type: ignore[arg-type]  # unknown names are refused there

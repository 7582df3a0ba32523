"""The history of a session's pages: versions, differences, undo, redo, and elements brought back."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.usecases.history import (
    delete_page,
    page_difference,
    page_history,
    restore_page,
    step_pages,
)
from loopwright.server.dependencies import MAX_INTEGER, Application

router = APIRouter(prefix="/api/sessions/{session_id}", tags=["page history"])


class StepRequest(BaseModel):
    """Which page's last change is meant; without one, the session's."""

    model_config = ConfigDict(extra="forbid")

    slug: str | None = Field(default=None, max_length=100)


class RestoreRequest(BaseModel):
    """The version to bring back, whole or (`element`, a CSS selector) one element of it."""

    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=1, le=MAX_INTEGER)
    element: str | None = Field(default=None, min_length=1, max_length=300)


@router.get("/history")
async def history(session_id: str, application: Application, slug: str | None = None) -> dict[str, Any]:
    """Every version of every page, and where an undo and a redo would lead."""
    return {"pages": [page.model_dump(mode="json") for page in await page_history(application, session_id, slug)]}


@router.get("/pages/{slug}/diff")
async def diff(
    session_id: str,
    slug: str,
    application: Application,
    old: Annotated[int | None, Query(alias="from", ge=1, le=MAX_INTEGER)] = None,
    new: Annotated[int | None, Query(alias="to", ge=1, le=MAX_INTEGER)] = None,
) -> dict[str, Any]:
    """Two versions side by side: the elements that differ, and the unified diff of the source."""
    found = await page_difference(application, session_id, slug, old, new)
    return found.model_dump(mode="json") | {"counts": found.counts}


@router.post("/pages/{slug}/restore")
async def restore(session_id: str, slug: str, body: RestoreRequest, application: Application) -> dict[str, Any]:
    """Bring a version back, or one element of it, as a new version."""
    return (await restore_page(application, session_id, slug, body.version, body.element)).model_dump(mode="json")


@router.delete("/pages/{slug}")
async def delete(session_id: str, slug: str, application: Application) -> dict[str, Any]:
    """Delete a page and the ways to it; an undo brings all of it back. 400 for the home page and for the only one."""
    return (await delete_page(application, session_id, slug)).model_dump(mode="json")


@router.post("/undo")
async def undo(session_id: str, application: Application, body: StepRequest | None = None) -> dict[str, Any]:
    """Undo the last change of the session, or of one page."""
    return (await step_pages(application, session_id, "undo", body.slug if body else None)).model_dump(mode="json")


@router.post("/redo")
async def redo(session_id: str, application: Application, body: StepRequest | None = None) -> dict[str, Any]:
    """Bring again what the last undo took away."""
    return (await step_pages(application, session_id, "redo", body.slug if body else None)).model_dump(mode="json")

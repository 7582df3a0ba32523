"""The pages of a session and their versions."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.services import pages_stores
from loopwright.agents.pages.usecases.history import restore_page
from loopwright.agents.pages.usecases.live_pages import pages_in_order
from loopwright.server.dependencies import MAX_INTEGER, Application, Version, VersionInPath

router = APIRouter(prefix="/api/sessions/{session_id}/pages", tags=["pages"])


class Rollback(BaseModel):
    """Which version is to become the current one again."""

    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=1, le=MAX_INTEGER)


class Pin(BaseModel):
    """Whether a version's HTML is kept for good."""

    model_config = ConfigDict(extra="forbid")

    pinned: bool = True


def preview_url(session_id: str, slug: str) -> str:
    """Where the page can be looked at, relative to the server's root."""
    return f"/api/sessions/{session_id}/pages/{slug}/preview"


@router.get("")
async def find(session_id: str, application: Application) -> dict[str, Any]:
    """The session's pages in the plan's order; pages written side by side are finished in any."""
    records = await pages_in_order(application, session_id)
    return {"pages": [r.model_dump(mode="json") | {"preview_url": preview_url(session_id, r.slug)} for r in records]}


@router.get("/{slug}")
async def get(session_id: str, slug: str, application: Application, version: Version | None = None) -> dict[str, Any]:
    """One page with its HTML, of the current or of the given version."""
    stores = await pages_stores(application)
    record = await stores.pages.get(session_id, slug)
    html = await stores.pages.html(session_id, slug, version)
    return record.model_dump(mode="json") | {"html": html, "preview_url": preview_url(session_id, slug)}


@router.get("/{slug}/versions")
async def versions(session_id: str, slug: str, application: Application) -> dict[str, Any]:
    """The page's versions, newest first."""
    return {
        "versions": [
            v.model_dump(mode="json") for v in await (await pages_stores(application)).pages.versions(session_id, slug)
        ]
    }


@router.post("/{slug}/rollback")
async def rollback(session_id: str, slug: str, body: Rollback, application: Application) -> dict[str, Any]:
    """Make an old version current again, as a new version, in the store and on disk."""
    step = await restore_page(application, session_id, slug, body.version)
    return step.versions[0].model_dump(mode="json")


@router.post("/{slug}/versions/{version}/pin")
async def pin(
    session_id: str, slug: str, version: VersionInPath, body: Pin, application: Application
) -> dict[str, Any]:
    """Keep a version's HTML for good, or no longer."""
    record = await (await pages_stores(application)).pages.pin(session_id, slug, version, pinned=body.pinned)
    return record.model_dump(mode="json")

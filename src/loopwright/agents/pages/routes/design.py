"""A session's design system: its tokens, what a change of them touches, changing them, and its versions."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.design.change import MAX_CHANGES, SchemeChoice
from loopwright.agents.pages.usecases.design_tokens import (
    apply_change,
    design_of,
    design_versions,
    measure_change,
    restore_design,
)
from loopwright.server.dependencies import MAX_INTEGER, Application

router = APIRouter(prefix="/api/sessions/{session_id}/design-system", tags=["design system"])


class TokenChanges(BaseModel):
    """Other values for tokens, in one scheme or in both."""

    model_config = ConfigDict(extra="forbid")

    changes: dict[str, str] = Field(min_length=1, max_length=MAX_CHANGES)
    scheme: SchemeChoice = "both"


class Restore(BaseModel):
    """Which version is to become the current one again; without one, the newest change is undone."""

    model_config = ConfigDict(extra="forbid")

    version: int | None = Field(default=None, ge=1, le=MAX_INTEGER)


@router.get("/tokens")
async def tokens(session_id: str, application: Application) -> dict[str, Any]:
    """The tokens with their values in light and dark, the classes, and each page's drift."""
    return (await design_of(application, session_id)).to_wire()


@router.post("/tokens/impact")
async def impact(session_id: str, body: TokenChanges, application: Application) -> dict[str, Any]:
    """What a change would touch: rules, pages, elements, contrasts before and after; nothing is written."""
    return (await measure_change(application, session_id, body.changes, body.scheme)).to_wire()


@router.post("/tokens")
async def change(session_id: str, body: TokenChanges, application: Application) -> dict[str, Any]:
    """Change the tokens, as a new version of the sheet; 409 when a promise would not hold any more."""
    made, record = await apply_change(application, session_id, body.changes, body.scheme)
    return made.to_wire() | {"version": record.model_dump(mode="json")}


@router.get("/versions")
async def versions(session_id: str, application: Application) -> dict[str, Any]:
    """The versions of the sheet, newest first."""
    return {"versions": [each.model_dump(mode="json") for each in await design_versions(application, session_id)]}


@router.post("/restore")
async def restore(session_id: str, application: Application, body: Restore | None = None) -> dict[str, Any]:
    """Make an old version current again, as a new version; without one, undo the newest change."""
    record = await restore_design(application, session_id, body.version if body else None)
    return record.model_dump(mode="json")

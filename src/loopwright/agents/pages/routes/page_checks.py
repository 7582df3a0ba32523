"""Checks of a session's pages, and the repairs that need no judgement."""

from typing import Any

from fastapi import APIRouter

from loopwright.agents.pages.usecases.history import check_pages, repair_pages
from loopwright.server.dependencies import Application

router = APIRouter(prefix="/api/sessions/{session_id}/check", tags=["pages"])


@router.get("")
async def check(
    session_id: str, application: Application, page: str | None = None, browser: bool = False, act: bool = False
) -> dict[str, Any]:
    """What is wrong with one page or all; `browser` renders them too, `act` asks the W3C's accessibility rules."""
    checks = await check_pages(application, session_id, page, browser=browser, act=act)
    return {
        "good": all(each.is_good for each in checks),
        "pages": [each.model_dump(mode="json") | {"good": each.is_good} for each in checks],
    }


@router.post("/fix")
async def fix(session_id: str, application: Application, page: str | None = None) -> dict[str, Any]:
    """Repair what needs no judgement, as new versions; 409 while a run of the session is at work."""
    repaired = await repair_pages(application, session_id, page)
    return {"repaired": {slug: {"version": version, "fixes": fixes} for slug, (version, fixes) in repaired.items()}}

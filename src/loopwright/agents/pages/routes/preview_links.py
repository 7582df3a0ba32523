"""Links to previews that open without the token, and what they open: one session's previews and nothing else."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse

from loopwright.agents.pages.routes.previews import live, preview
from loopwright.agents.pages.usecases.live_pages import (
    DEFAULT_SECONDS,
    MOST_SECONDS,
    SIGNED_PREVIEWS,
    check_grant,
    preview_link,
)
from loopwright.server.dependencies import Application


def _let_in(session_id: str, grant: str, application: Application) -> None:
    """Ask the grant in the path; the authentication lets these paths through without a token."""
    check_grant(application, session_id, grant)


router = APIRouter(tags=["preview"])
signed = APIRouter(prefix=SIGNED_PREVIEWS + "{session_id}/{grant}", dependencies=[Depends(_let_in)])
signed.get("/{slug}/preview", response_class=HTMLResponse)(preview)
signed.get("/{slug}/live", response_class=HTMLResponse)(live)
router.include_router(signed)


@router.get("/api/sessions/{session_id}/pages/{slug}/preview-link")
async def link(
    session_id: str,
    slug: str,
    application: Application,
    live: bool = False,
    seconds: Annotated[int, Query(ge=60, le=MOST_SECONDS)] = DEFAULT_SECONDS,
) -> dict[str, Any]:
    """A link for frames and phones, relative to the server's root; whoever has it sees the session's pages."""
    made = await preview_link(application, session_id, slug, live=live, seconds=seconds)
    return {"url": made.url, "expires_at": made.expires_at.isoformat() if made.expires_at else None}

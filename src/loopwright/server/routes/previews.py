"""Pages to look at. They are untrusted: their own route, and a sandbox without origin, network or top navigation."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from loopwright.app.page_files import preview_html
from loopwright.server.dependencies import House

router = APIRouter(prefix="/api/sessions/{session_id}/pages", tags=["preview"])

HEADERS = {
    "Content-Security-Policy": (
        "sandbox allow-scripts allow-forms allow-modals; default-src 'none'; script-src 'unsafe-inline'; "
        "style-src 'unsafe-inline'; img-src data:; font-src data:; connect-src 'none'; form-action 'none'; "
        "base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@router.get("/{slug}/preview", response_class=HTMLResponse)
async def preview(
    session_id: str, slug: str, house: House, version: Annotated[int | None, Query(ge=1)] = None
) -> HTMLResponse:
    """The page with its design system inlined; its links lead to the other pages' previews."""
    return HTMLResponse(await preview_html(house, session_id, slug, version), headers=HEADERS)

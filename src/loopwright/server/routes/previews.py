"""Pages to look at. They are untrusted: their own route, and a sandbox without origin, network or top navigation."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from loopwright.app.live_pages import find_page_draft, live_page, waiting_page
from loopwright.app.page_files import preview_html
from loopwright.server.dependencies import House
from loopwright.server.values import Version

router = APIRouter(prefix="/api/sessions/{session_id}/pages", tags=["preview"])

SANDBOX = (
    "sandbox allow-scripts allow-forms allow-modals; default-src 'none'; script-src {scripts}; "
    "style-src 'unsafe-inline'; img-src data:; font-src data:; connect-src 'none'; form-action 'none'; "
    "base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": SANDBOX.format(scripts="'unsafe-inline'"),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@router.get("/{slug}/preview", response_class=HTMLResponse)
async def preview(session_id: str, slug: str, house: House, version: Version | None = None) -> HTMLResponse:
    """The page with its design system inlined; its links lead to the other pages' previews."""
    return HTMLResponse(await preview_html(house, session_id, slug, version), headers=HEADERS)


LIVE_HEADERS = {**HEADERS, "Content-Security-Policy": SANDBOX.format(scripts="'none'"), "X-Accel-Buffering": "no"}
"""A page that is being written runs no script: half of one is not what anybody meant."""


@router.get("/{slug}/live", response_class=HTMLResponse)
async def live(session_id: str, slug: str, house: House) -> Response:
    """The page while a model writes it: a document that grows, and loads itself anew when the answer is complete.

    A page that is not being written is shown as it is saved; one that is neither, by a note that looks again.
    """
    draft = await find_page_draft(house, session_id, slug)
    if draft is not None:
        return StreamingResponse(live_page(house, session_id, draft), media_type="text/html", headers=LIVE_HEADERS)
    saved = [page.slug for page in await house.stores.pages.of_session(session_id)]
    if slug in saved:
        return RedirectResponse("preview", headers={"Cache-Control": "no-store"})
    return HTMLResponse(waiting_page(slug), headers=LIVE_HEADERS)

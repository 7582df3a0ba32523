"""Pages to look at. They are untrusted: their own route, and a sandbox without origin, network or top navigation."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from loopwright.agents.pages.services import pages_stores
from loopwright.agents.pages.usecases.live_pages import find_page_draft, live_page, preview_html, waiting_page
from loopwright.server.dependencies import Application, Version

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
async def preview(session_id: str, slug: str, application: Application, version: Version | None = None) -> HTMLResponse:
    """The page with its design system inlined; its links lead to the other pages' previews."""
    return HTMLResponse(await preview_html(application, session_id, slug, version), headers=HEADERS)


LIVE_HEADERS = {**HEADERS, "Content-Security-Policy": SANDBOX.format(scripts="'none'"), "X-Accel-Buffering": "no"}
"""A page that is being written runs no script: half of one is not what anybody meant."""


@router.get("/{slug}/live", response_class=HTMLResponse)
async def live(session_id: str, slug: str, application: Application) -> Response:
    """The page while a model writes it: a document that grows, and loads itself anew when the answer is complete.

    A page that is not being written is shown as it is saved; one that is neither, by a note that looks again.
    """
    draft = await find_page_draft(application, session_id, slug)
    if draft is not None:
        return StreamingResponse(
            live_page(application, session_id, draft), media_type="text/html", headers=LIVE_HEADERS
        )
    saved = [page.slug for page in await (await pages_stores(application)).pages.of_session(session_id)]
    if slug in saved:
        return RedirectResponse("preview", headers={"Cache-Control": "no-store"})
    return HTMLResponse(waiting_page(slug), headers=LIVE_HEADERS)

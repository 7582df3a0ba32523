"""Downloads of a session's app."""

from fastapi import APIRouter, Response

from loopwright.agents.pages.usecases.export import ExportFormat, export_app
from loopwright.server.dependencies import Application

router = APIRouter(prefix="/api/sessions/{session_id}/export", tags=["pages"])


@router.get("", response_class=Response)
async def export(session_id: str, application: Application, form: ExportFormat = "zip") -> Response:
    """The app as a file: `form` is zip, pwa (for a web server), html (one file) or project (Vite). 409 without pages.

    It is always handed over as a download: its scripts come from a model and must not run on this server's origin.
    """
    made = await export_app(application, session_id, form)
    headers = {
        "Content-Disposition": f'attachment; filename="{made.file_name}"',
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Cache-Control": "no-store",
    }
    return Response(made.data, media_type=made.media_type, headers=headers)

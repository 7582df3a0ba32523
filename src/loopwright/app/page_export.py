"""Use case: take a session's app along, as a zip, an installable web app, or one HTML file."""

import asyncio
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.brief.slugs import slugify
from loopwright.agents.pages.context.project import load_page, load_project
from loopwright.agents.pages.export.app import ExportedApp
from loopwright.agents.pages.export.archive import make_zip, site_files
from loopwright.agents.pages.export.single_file import single_file
from loopwright.agents.pages.export.theme import read_theme
from loopwright.agents.pages.export.web_app import web_app_files
from loopwright.app.loopwright import Loopwright
from loopwright.app.page_files import workspace_of
from loopwright.kernel.errors import Conflict

ExportFormat = Literal["zip", "pwa", "html"]


@dataclass(frozen=True)
class Export:
    """A file to be handed over. `notes` say what its user will miss."""

    file_name: str
    media_type: str
    data: bytes
    pages: tuple[str, ...]
    notes: tuple[str, ...]


async def export_app(house: Loopwright, session_id: str, form: ExportFormat) -> Export:
    """The session's pages, ready to be opened elsewhere; nothing of the session changes.

    Raises:
        NotFound: there is no such session.
        Conflict: the session has no pages yet.
    """
    app = await _read_app(house, session_id)
    name = slugify(app.name) or "app"
    data = await asyncio.to_thread(_make, app, form)
    notes = tuple(
        f"Page {slug} leads to {', '.join(missing)}, which is not there."
        for slug, missing in app.broken_links().items()
    )
    suffix, media_type = ("html", "text/html") if form == "html" else ("zip", "application/zip")
    file_name = f"{name}-pwa.zip" if form == "pwa" else f"{name}.{suffix}"
    return Export(file_name, media_type, data, tuple(app.pages), notes)


def _make(app: ExportedApp, form: ExportFormat) -> bytes:
    if form == "html":
        return single_file(app).encode()
    return make_zip(web_app_files(app) if form == "pwa" else site_files(app))


async def _read_app(house: Loopwright, session_id: str) -> ExportedApp:
    workspace = await workspace_of(house, session_id)
    project = await load_project(house.stores, session_id, workspace)
    pages: dict[str, str] = {}
    for page in project.pages:
        html = await load_page(house.stores, session_id, workspace, page.slug)
        if html is not None:
            pages[page.slug] = html
    if not pages:
        raise Conflict(f"Session {session_id} has no pages to export.", hint="Build the app first.")
    brief = str(project.metadata.get("brief") or "")
    name = project.app_name or "App"
    return ExportedApp(name, " ".join(brief.split())[:300], pages, project.css, read_theme(project.css))

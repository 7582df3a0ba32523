"""Use case: take a session's app along, as a zip, an installable web app, one HTML file, or a developer's project."""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from loopwright.agents.pages.brief.sitemap import slugify
from loopwright.agents.pages.context.relevance import load_page, load_project
from loopwright.agents.pages.export.app_files import (
    ExportedApp,
    make_zip,
    read_theme,
    single_file,
    site_files,
    web_app_files,
)
from loopwright.agents.pages.export.project import vite_project
from loopwright.agents.pages.promises.keeping import load_promises
from loopwright.agents.pages.promises.wording import describe
from loopwright.agents.pages.services import pages_stores
from loopwright.agents.pages.usecases.live_pages import workspace_of
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import Conflict

ExportFormat = Literal["zip", "pwa", "html", "project"]


@dataclass(frozen=True)
class Export:
    """A file to be handed over. `notes` say what its user will miss."""

    file_name: str
    media_type: str
    data: bytes
    pages: tuple[str, ...]
    notes: tuple[str, ...]


async def export_app(application: Loopwright, session_id: str, form: ExportFormat) -> Export:
    """The session's pages, ready to be opened elsewhere; nothing of the session changes.

    Raises:
        NotFound: there is no such session.
        Conflict: the session has no pages yet.
    """
    app = await _read_app(application, session_id)
    name = slugify(app.name) or "app"
    promises = await _promises(application, session_id) if form == "project" else []
    data = await asyncio.to_thread(_make, app, form, promises)
    notes = tuple(
        f"Page {slug} leads to {', '.join(missing)}, which is not there."
        for slug, missing in app.broken_links().items()
    )
    suffix, media_type = ("html", "text/html") if form == "html" else ("zip", "application/zip")
    file_name = f"{name}-{form}.zip" if form in ("pwa", "project") else f"{name}.{suffix}"
    return Export(file_name, media_type, data, tuple(app.pages), notes)


def _make(app: ExportedApp, form: ExportFormat, promises: list[dict[str, Any]]) -> bytes:
    if form == "html":
        return single_file(app).encode()
    if form == "project":
        return make_zip(vite_project(app, promises))
    return make_zip(web_app_files(app) if form == "pwa" else site_files(app))


async def _promises(application: Loopwright, session_id: str) -> list[dict[str, Any]]:
    """The promises that count, each check with what it says."""
    return [
        {
            "id": each.id,
            "request": each.request,
            "checks": [
                {**check.model_dump(mode="json", exclude_none=True), "says": says}
                for check, says in zip(each.checks, describe(each), strict=True)
            ],
        }
        for each in await load_promises(await pages_stores(application), session_id)
    ]


async def _read_app(application: Loopwright, session_id: str) -> ExportedApp:
    stores = await pages_stores(application)
    workspace = await workspace_of(application, session_id)
    project = await load_project(stores, session_id, workspace)
    pages: dict[str, str] = {}
    for page in project.pages:
        html = await load_page(stores, session_id, workspace, page.slug)
        if html is not None:
            pages[page.slug] = html
    if not pages:
        raise Conflict(f"Session {session_id} has no pages to export.", hint="Build the app first.")
    brief = str(project.metadata.get("brief") or "")
    name = project.app_name or "App"
    return ExportedApp(name, " ".join(brief.split())[:300], pages, project.css, read_theme(project.css))

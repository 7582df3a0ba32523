"""Use cases on a session's pages: look at one, and bring back an older version."""

import os
from pathlib import Path

from loopwright.agents.pages.compliance.shell import inline_css
from loopwright.app.loopwright import Loopwright
from loopwright.stores.page_records import PageVersionRecord


async def preview_html(house: Loopwright, session_id: str, slug: str, version: int | None = None) -> str:
    """The page with the session's design system inlined, as it can be shown on its own.

    Raises:
        NotFound: there is no such session, page or version.
        Conflict: the version's HTML has been given up.
    """
    session = await house.stores.sessions.get(session_id)
    html = await house.stores.pages.html(session_id, slug, version)
    stylesheet = Path(session.output_dir) / "design-system.css"
    return inline_css(html, stylesheet.read_text(encoding="utf-8")) if stylesheet.is_file() else html


async def restore_page(house: Loopwright, session_id: str, slug: str, version: int) -> PageVersionRecord:
    """Make an old version current again, as a new version; the file on disk follows.

    Raises:
        NotFound: there is no such session, page or version.
        Conflict: the version's HTML has been given up.
    """
    session = await house.stores.sessions.get(session_id)
    record = await house.stores.pages.restore(session_id, slug, version)
    target = Path(session.output_dir) / "pages" / f"{record.slug}.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_suffix(".html.part")
    draft.write_text(await house.stores.pages.html(session_id, slug), encoding="utf-8")
    os.replace(draft, target)
    return record

"""Use cases on a session's pages: where they lie, which there are, and a look at one."""

from pathlib import Path

from loopwright.agents.pages import preview
from loopwright.agents.pages.workspace import Workspace
from loopwright.app.loopwright import Loopwright
from loopwright.stores.page_records import PageRecord


async def preview_html(house: Loopwright, session_id: str, slug: str, version: int | None = None) -> str:
    """The page standing on its own: the design system inlined, links leading to the other previews.

    Raises:
        NotFound: there is no such session, page or version.
        InvalidInput: the slug is no slug.
        Conflict: the version's HTML has been given up.
    """
    session = await house.stores.sessions.get(session_id)
    return await preview.preview_html(house.stores, session_id, Path(session.output_dir), slug, version)


async def workspace_of(house: Loopwright, session_id: str) -> Workspace:
    """The folder of the session's pages.

    Raises:
        NotFound: there is no such session.
    """
    return Workspace(Path((await house.stores.sessions.get(session_id)).output_dir))


async def pages_in_order(house: Loopwright, session_id: str, *, deleted: bool = False) -> list[PageRecord]:
    """The session's pages: planned ones in the plan's order, then the others as they came; `deleted` ones on request.

    Raises:
        NotFound: there is no such session.
    """
    session = await house.stores.sessions.get(session_id)
    planned = [page["slug"] for page in session.metadata.get("planned_pages", [])]
    records = await house.stores.pages.of_session(session_id, deleted=deleted)
    return sorted(records, key=lambda page: planned.index(page.slug) if page.slug in planned else len(planned))

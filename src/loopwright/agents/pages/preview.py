"""A page as the preview route shows it: standing on its own, its links leading to the other previews."""

from pathlib import Path

from loopwright.agents.pages.compliance import inline_css, inline_runtime, rewrite_links
from loopwright.agents.pages.context.relevance import load_page
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import NotFound


async def preview_html(
    services: PagesServices, session_id: str, session_dir: Path, slug: str, version: int | None = None
) -> str:
    """The page's HTML with the design system and the shared files inlined; `version` shows an older one.

    Links to other pages become `../SLUG/preview`, relative to `…/pages/{slug}/preview`.

    Raises:
        NotFound: there is no such session, page or version.
        InvalidInput: `slug` is no slug.
    """
    workspace = Workspace(session_dir)
    workspace.page_path(slug)
    slugs = [page.slug for page in await services.pages.of_session(session_id)]
    if version is not None:
        html: str | None = await services.pages.html(session_id, slug, version)
    else:
        html = await load_page(services, session_id, workspace, slug)
    if html is None:
        raise NotFound(f"There is no page {slug!r}.", hint=f"The pages are: {', '.join(slugs)}." if slugs else "")
    linked = rewrite_links(html, {other: f"../{other}/preview" for other in slugs})
    return inline_runtime(inline_css(linked, workspace.read_design_system()))

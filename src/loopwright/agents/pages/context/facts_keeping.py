"""Keeping the facts of the product doc true: after every change they are read again from pages, ledger and style sheet.

The controller does this by itself, without a model. What people and models wrote in the sections it never touches.
"""

import asyncio
from collections.abc import Collection, Sequence

from loopwright.agents.pages.context.card import build_project_card
from loopwright.agents.pages.context.facts import DESIGN_SYSTEM, design_facts, facts_name, page_facts
from loopwright.agents.pages.context.project import load_page, load_project
from loopwright.agents.pages.context.relevance import page_of
from loopwright.agents.pages.ledger.keeping import load_promises
from loopwright.agents.pages.ports import PagesServices, PageVersionRow
from loopwright.agents.pages.workspace import Workspace


async def refresh_facts(
    services: PagesServices,
    session_id: str,
    workspace: Workspace,
    slugs: Collection[str] | None = None,
    *,
    run_id: str | None = None,
) -> Sequence[str]:
    """Write down what has changed; may be repeated, and writes nothing where everything is as it was.

    Args:
        services: the stores.
        session_id: whose product doc it is.
        workspace: its folder.
        slugs: the pages to look at, where others may be changing at this moment; None means everything, also that
            a page is gone.
        run_id: the run in which it happened.

    Returns:
        The names of the facts that changed.

    Raises:
        NotFound: there is no such session.
    """
    known = await services.product_docs.get(session_id)  # before the pages: what is in it has its page stored by now
    project = await load_project(services, session_id, workspace)
    promises = await load_promises(services, session_id)
    described = {page_of(name) for name, section in project.sections.items() if section.content.strip()}
    facts: dict[str, str | None] = {}
    if slugs is None:
        facts = dict.fromkeys(known.facts if known else ())
        facts[DESIGN_SYSTEM] = await asyncio.to_thread(design_facts, project.css) or None
    for slug in project.slugs if slugs is None else [slug for slug in project.slugs if slug in slugs]:
        html = await load_page(services, session_id, workspace, slug)
        if html is None:
            continue
        purpose = None if slug in described else _purpose(await services.pages.versions(session_id, slug))
        about = [promise for promise in promises if slug in promise.slugs]
        # Off the event loop: reading a large page takes a tenth of a second, in which other runs would stand still.
        facts[facts_name(slug)] = await asyncio.to_thread(page_facts, slug, html, purpose, about)
    changed = await services.product_docs.keep_facts(session_id, facts, run_id=run_id)
    if changed and known is None:
        await services.product_docs.set_project_card(session_id, build_project_card(project))
    return changed


def _purpose(versions: Sequence[PageVersionRow]) -> str:
    """What the page was last made for as a whole; edits only say what they changed."""
    made = [version for version in versions if version.source == "generate"]
    return max(made, key=lambda version: version.version).description if made else ""

"""Use case: look at a page while a model is writing it."""

import html
from collections.abc import AsyncGenerator

from loopwright.agents.pages.live_page import LivePage
from loopwright.app.loopwright import Loopwright
from loopwright.app.page_files import workspace_of
from loopwright.engine.drafts import RESTARTED, Draft
from loopwright.engine.spool import SpooledDraft
from loopwright.kernel.events import ToolCallStarted

WRITERS = frozenset({"generate_page"})
"""The tools whose answer is a whole page; that of an edit is a list of changes."""

RUNS_LOOKED_AT = 5
CALLS_LOOKED_AT = 100
"""More than one answer of a model begins."""


async def find_page_draft(house: Loopwright, session_id: str, slug: str) -> Draft | SpooledDraft | None:
    """The draft of a page, or None when nobody is writing it, in this process or another one on this home.

    Raises:
        NotFound: there is no such session.
        InvalidInput: the slug is no slug.
    """
    (await workspace_of(house, session_id)).page_path(slug)
    drafts = house.broadcast.drafts
    for record in await house.stores.runs.find(session_id=session_id, status="running", limit=RUNS_LOOKED_AT):
        if not drafts.has_any(record.run_id):
            continue
        for event in await house.stores.journal.newest(record.run_id, ToolCallStarted.type, CALLS_LOOKED_AT):
            if event.payload["name"] in WRITERS and event.payload["arguments"].get("slug") == slug:
                draft = drafts.find(record.run_id, event.payload["call_id"])
                if draft is not None:
                    return draft
    return None


async def live_page(house: Loopwright, session_id: str, draft: Draft | SpooledDraft) -> AsyncGenerator[str, None]:
    """The page as a document that grows while it is written, and is loaded anew at its end.

    It ends when the answer does or begins anew; its last words make the browser ask again, which then finds the new
    draft or, by the route's choice, the saved page. Scripts in it are the response's to forbid.

    Raises:
        NotFound: there is no such session.
    """
    page = LivePage((await workspace_of(house, session_id)).read_design_system())
    async for piece in draft.read():
        if piece == RESTARTED:
            break
        if shown := page.feed(piece):
            yield shown
    yield _again(1)


def waiting_page(slug: str) -> str:
    """What is shown until somebody begins to write the page."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Waiting</title></head><body>'
        f"<p>Page {html.escape(slug)} is not being written yet.</p>{_again(2)}</body></html>"
    )


def _again(seconds: int) -> str:
    return f'<meta http-equiv="refresh" content="{seconds}">'

"""Use case: look at a page while a model is writing it."""

import hashlib
import hmac
import html
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from loopwright.agents.pages import preview
from loopwright.agents.pages.live_page import LivePage
from loopwright.agents.pages.runtime import STYLE, runtime_file
from loopwright.agents.pages.services import pages_stores
from loopwright.agents.pages.store.pages import PageRecord
from loopwright.agents.pages.workspace import Workspace
from loopwright.app.loopwright import Loopwright
from loopwright.engine.drafts import RESTARTED, Draft, SpooledDraft
from loopwright.kernel.errors import Forbidden, NotFound
from loopwright.kernel.events import ToolCallStarted

# Use cases on a session's pages: where they lie, which there are, and a look at one.


async def preview_html(application: Loopwright, session_id: str, slug: str, version: int | None = None) -> str:
    """The page standing on its own: the design system inlined, links leading to the other previews.

    Raises:
        NotFound: there is no such session, page or version.
        InvalidInput: the slug is no slug.
        Conflict: the version's HTML has been given up.
    """
    session = await application.stores.sessions.get(session_id)
    return await preview.preview_html(
        await pages_stores(application), session_id, Path(session.output_dir), slug, version
    )


async def workspace_of(application: Loopwright, session_id: str) -> Workspace:
    """The folder of the session's pages.

    Raises:
        NotFound: there is no such session.
    """
    return Workspace(Path((await application.stores.sessions.get(session_id)).output_dir))


async def pages_in_order(application: Loopwright, session_id: str, *, deleted: bool = False) -> list[PageRecord]:
    """The session's pages: planned ones in the plan's order, then the others as they came; `deleted` ones on request.

    Raises:
        NotFound: there is no such session.
    """
    session = await application.stores.sessions.get(session_id)
    planned = [page["slug"] for page in session.metadata.get("planned_pages", [])]
    records = await (await pages_stores(application)).pages.of_session(session_id, deleted=deleted)
    return sorted(records, key=lambda page: planned.index(page.slug) if page.slug in planned else len(planned))


# Use case: links to a session's previews that open without the server's token, for frames and phones, for a while.

SIGNED_PREVIEWS = "/previews/"
"""Where signed previews lie on the server: `/previews/{session}/{grant}/{slug}/preview`.

The grant stands in the path, so that relative links between the pages keep it.
"""

DEFAULT_SECONDS, MOST_SECONDS = 3_600, 86_400

_PURPOSE = b"loopwright preview links 1"
_GRANT = re.compile(r"([0-9]{1,12})-([0-9a-f]{64})")


class LinkRefused(Forbidden):
    """A signed link does not open what is asked for."""


@dataclass(frozen=True)
class PreviewLink:
    """Where a page can be looked at, relative to the server's root; without a token links need none and never end."""

    url: str
    expires_at: datetime | None


async def preview_link(
    application: Loopwright, session_id: str, slug: str, *, live: bool = False, seconds: int = DEFAULT_SECONDS
) -> PreviewLink:
    """A link to a page, or (`live`) to the page while it is written; it opens all previews of the session.

    Raises:
        NotFound: there is no such session, or no such page that could be shown.
        InvalidInput: the slug is no slug.
    """
    (await workspace_of(application, session_id)).page_path(slug)
    slugs = [page.slug for page in await (await pages_stores(application)).pages.of_session(session_id)]
    if not live and slug not in slugs:
        raise NotFound(f"There is no page {slug!r}.", hint=f"The pages are: {', '.join(slugs)}." if slugs else "")
    kind = "live" if live else "preview"
    if application.settings.token is None:
        return PreviewLink(f"/api/sessions/{session_id}/pages/{slug}/{kind}", None)
    expires = (datetime.now(UTC) + timedelta(seconds=seconds)).replace(microsecond=0)
    grant = sign(application.settings.token.get_secret_value(), session_id, expires)
    return PreviewLink(f"{SIGNED_PREVIEWS}{session_id}/{grant}/{slug}/{kind}", expires)


def sign(token: str, session_id: str, expires: datetime) -> str:
    """The grant that opens a session's previews until `expires`."""
    until = str(int(expires.timestamp()))
    return f"{until}-{_signature(token, session_id, until)}"


def check_grant(application: Loopwright, session_id: str, grant: str) -> None:
    """Refuse what was not granted by this server for this session, and what is over.

    Raises:
        LinkRefused: the grant is forged, of another session, or has expired.
    """
    found = _GRANT.fullmatch(grant)
    token = application.settings.token
    if found is None or token is None:
        raise LinkRefused("This link does not open anything here.", hint=_ANEW)
    if not hmac.compare_digest(found[2], _signature(token.get_secret_value(), session_id, found[1])):
        raise LinkRefused("This link does not open anything here.", hint=_ANEW)
    if int(found[1]) <= datetime.now(UTC).timestamp():
        raise LinkRefused("This link has expired.", hint=_ANEW)


_ANEW = "GET /api/sessions/{id}/pages/{slug}/preview-link, or loopwright pages link, gives a new one."


def _signature(token: str, session_id: str, until: str) -> str:
    """HMAC-SHA256 (RFC 2104) under a key that is made of the token for this purpose alone."""
    key = hmac.digest(token.encode(), _PURPOSE, "sha256")
    return hmac.new(key, f"{until}:{session_id}".encode(), hashlib.sha256).hexdigest()


WRITERS = frozenset({"generate_page"})
"""The tools whose answer is a whole page; that of an edit is a list of changes."""

RUNS_LOOKED_AT = 5
CALLS_LOOKED_AT = 100
"""More than one answer of a model begins."""


async def find_page_draft(application: Loopwright, session_id: str, slug: str) -> Draft | SpooledDraft | None:
    """The draft of a page, or None when nobody is writing it, in this process or another one on this home.

    Raises:
        NotFound: there is no such session.
        InvalidInput: the slug is no slug.
    """
    (await workspace_of(application, session_id)).page_path(slug)
    drafts = application.broadcast.drafts
    for record in await application.stores.runs.find(session_id=session_id, status="running", limit=RUNS_LOOKED_AT):
        if not drafts.has_any(record.run_id):
            continue
        for event in await application.stores.journal.newest(record.run_id, ToolCallStarted.type, CALLS_LOOKED_AT):
            if event.payload["name"] in WRITERS and event.payload["arguments"].get("slug") == slug:
                draft = drafts.find(record.run_id, event.payload["call_id"])
                if draft is not None:
                    return draft
    return None


async def live_page(application: Loopwright, session_id: str, draft: Draft | SpooledDraft) -> AsyncGenerator[str, None]:
    """The page as a document that grows while it is written, and is loaded anew at its end.

    It ends when the answer does or begins anew; its last words make the browser ask again, which then finds the new
    draft or, by the route's choice, the saved page. Scripts in it are the response's to forbid.

    Raises:
        NotFound: there is no such session.
    """
    css = (await workspace_of(application, session_id)).read_design_system()
    page = LivePage(f"{runtime_file(STYLE)}\n{css}")
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

"""Use case: links to a session's previews that open without the server's token, for frames and phones, for a while."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from loopwright.app.loopwright import Loopwright
from loopwright.app.page_files import workspace_of
from loopwright.kernel.errors import NotFound, Refused

SIGNED_PREVIEWS = "/previews/"
"""Where signed previews lie on the server: `/previews/{session}/{grant}/{slug}/preview`.

The grant stands in the path, so that relative links between the pages keep it.
"""

DEFAULT_SECONDS, MOST_SECONDS = 3_600, 86_400

_PURPOSE = b"loopwright preview links 1"
_GRANT = re.compile(r"([0-9]{1,12})-([0-9a-f]{64})")


class LinkRefused(Refused):
    """A signed link does not open what is asked for."""

    code = "forbidden"


@dataclass(frozen=True)
class PreviewLink:
    """Where a page can be looked at, relative to the server's root; without a token links need none and never end."""

    url: str
    expires_at: datetime | None


async def preview_link(
    house: Loopwright, session_id: str, slug: str, *, live: bool = False, seconds: int = DEFAULT_SECONDS
) -> PreviewLink:
    """A link to a page, or (`live`) to the page while it is written; it opens all previews of the session.

    Raises:
        NotFound: there is no such session, or no such page that could be shown.
        InvalidInput: the slug is no slug.
    """
    (await workspace_of(house, session_id)).page_path(slug)
    slugs = [page.slug for page in await house.stores.pages.of_session(session_id)]
    if not live and slug not in slugs:
        raise NotFound(f"There is no page {slug!r}.", hint=f"The pages are: {', '.join(slugs)}." if slugs else "")
    kind = "live" if live else "preview"
    if house.settings.token is None:
        return PreviewLink(f"/api/sessions/{session_id}/pages/{slug}/{kind}", None)
    expires = (datetime.now(UTC) + timedelta(seconds=seconds)).replace(microsecond=0)
    grant = sign(house.settings.token.get_secret_value(), session_id, expires)
    return PreviewLink(f"{SIGNED_PREVIEWS}{session_id}/{grant}/{slug}/{kind}", expires)


def sign(token: str, session_id: str, expires: datetime) -> str:
    """The grant that opens a session's previews until `expires`."""
    until = str(int(expires.timestamp()))
    return f"{until}-{_signature(token, session_id, until)}"


def check_grant(house: Loopwright, session_id: str, grant: str) -> None:
    """Refuse what was not granted by this server for this session, and what is over.

    Raises:
        LinkRefused: the grant is forged, of another session, or has expired.
    """
    found = _GRANT.fullmatch(grant)
    token = house.settings.token
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

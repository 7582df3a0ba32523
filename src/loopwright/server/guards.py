"""What stands before every route: the token, and a check of where the request comes from."""

import hmac
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from loopwright.server.errors import error_response

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1", "testserver"})
OPEN_PATHS = frozenset({"/healthz"})
READING = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

_HOST = re.compile(r"(?P<name>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?")


class Authentication:
    """Asks for the token where one is set, and keeps other sites' scripts out.

    Without a token only requests addressed to a loopback name are served, so that a foreign page whose name resolves
    to this machine gets nothing. A request that a browser sends from another origin is refused in any case, and one
    that hides its origin may read only. Below the open paths no token is needed: the routes there check a signature
    of their own.
    """

    def __init__(self, app: ASGIApp, token: str | None, loopback: bool, open_paths: Sequence[str] = ()) -> None:
        """Guard the app."""
        self._app = app
        self._token = token
        self._loopback = loopback
        self._open_paths = tuple(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or say why not."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = host_name(host)
        if name is None:
            return error_response(400, "bad_host", "The Host header names no host.")
        if scope["path"] in OPEN_PATHS:
            return None
        if is_foreign(headers, host, scope["method"]):
            return error_response(403, "foreign_origin", "Requests from other sites are not taken.")
        is_signed = scope["path"].startswith(self._open_paths)
        if self._token is not None and not is_signed and not self._has_token(headers):
            refusal = error_response(401, "unauthorized", "A token is needed.", "Send Authorization: Bearer TOKEN.")
            refusal.headers["WWW-Authenticate"] = "Bearer"
            return refusal
        if self._token is None and self._loopback and name not in LOOPBACK_NAMES:
            return error_response(421, "wrong_host", f"This server does not answer for {name}.")
        return None

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.encode(), (self._token or "").encode())


def host_name(host: str) -> str | None:
    """The name or address in a Host header, or None if it has none."""
    found = _HOST.fullmatch(host)
    if found is None or int(found["port"] or 0) > 65_535:
        return None
    return found["name"].strip("[]").lower()


def is_foreign(headers: Headers, host: str, method: str) -> bool:
    """Whether a browser says that another site sends the request, or hides which one sends a change.

    Browsers name the origin of every request that may change something, with or without a body; what is no browser
    sends neither header.
    """
    origin = headers.get("origin")
    if origin not in (None, "null"):
        try:
            return urlsplit(origin).netloc != host
        except ValueError:
            return True
    if method in READING:
        return False
    return origin == "null" or headers.get("sec-fetch-site", "none") not in ("none", "same-origin")

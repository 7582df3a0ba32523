"""What stands before every route: a limit on bodies, the token, and a check of where the request comes from."""

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loopwright.app.preview_links import SIGNED_PREVIEWS
from loopwright.server.errors import error_response

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1", "testserver"})
OPEN_PATHS = frozenset({"/healthz"})


class BodyTooLarge(Exception):
    """The body went past the limit while it was read."""


class BodyLimit:
    """Refuses bodies over the limit: by their declared length, and by what really comes."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        """Guard the app."""
        self._app = app
        self._max = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the body's bytes on their way in."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdigit() and int(declared) > self._max:
            await self._refuse(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max:
                raise BodyTooLarge
            return message

        try:
            await self._app(scope, counted, send)
        except BodyTooLarge:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = error_response(413, "too_large", f"The body is larger than {self._max:,} bytes.")
        await response(scope, receive, send)


class Doorkeeper:
    """Asks for the token where one is set, and keeps other sites' scripts out.

    Without a token only requests addressed to a loopback name are served, so that a foreign page whose name resolves
    to this machine gets nothing. A request that a browser sends from another origin is refused in any case. Signed
    previews need no token: their own routes ask for the signature in their path.
    """

    def __init__(self, app: ASGIApp, token: str | None, loopback: bool) -> None:
        """Guard the app."""
        self._app = app
        self._token = token
        self._loopback = loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or say why not."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_signed = scope["path"].startswith(SIGNED_PREVIEWS)
        host = headers.get("host", "")
        origin = headers.get("origin")
        if origin not in (None, "null") and urlsplit(origin).netloc != host:
            refusal = error_response(403, "foreign_origin", f"Requests from {origin} are not taken.")
        elif self._token is not None and not is_signed and not self._has_token(headers):
            refusal = error_response(401, "unauthorized", "A token is needed.", "Send Authorization: Bearer TOKEN.")
            refusal.headers["WWW-Authenticate"] = "Bearer"
        elif self._token is None and self._loopback and (urlsplit(f"//{host}").hostname or "") not in LOOPBACK_NAMES:
            refusal = error_response(421, "wrong_host", f"This server does not answer for {host}.")
        else:
            await self._app(scope, receive, send)
            return
        await refusal(scope, receive, send)

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.encode(), (self._token or "").encode())

"""Bodies are read whole before a route sees them, within limits for each and for all together."""

import asyncio

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loopwright.server.errors import busy_response, error_response
from loopwright.server.json_bodies import UnusableBody, check_json

FREE_BYTES = 65_536
"""What a body may hold without being counted with the others: small requests are served whatever else is going on."""


class BodyTooLarge(Exception):
    """The body went past its limit."""


class NoRoom(Exception):
    """The bodies that are being read take all the memory that they may."""


class Bodies:
    """Refuses bodies that are too large, by declared length and by what really comes, and JSON that nobody can hold."""

    def __init__(self, app: ASGIApp, max_bytes: int, max_bytes_together: int) -> None:
        """Guard the app."""
        self._app = app
        self._max = max_bytes
        self._max_together = max_bytes_together
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, and hand it on in one piece."""
        headers = Headers(scope=scope) if scope["type"] == "http" else None
        if headers is None or not _has_body(headers):
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(headers, receive)
            if "json" in headers.get("content-type", "json").lower():
                await _check(body)
        except BodyTooLarge:
            await error_response(413, "too_large", f"The body is larger than {self._max:,} bytes.")(
                scope, receive, send
            )
        except NoRoom:
            await busy_response("Too many large requests are being read.")(scope, receive, send)
        except UnusableBody as error:
            await error_response(400, error.code, error.message, error.hint)(scope, receive, send)
        except ClientDisconnect:
            return  # nobody is left to be answered
        else:
            await self._app(scope, _replayed(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "0")
        if not declared.isdecimal() or int(declared) > self._max:
            raise BodyTooLarge
        body, counted = bytearray(), 0
        try:
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > self._max:
                    raise BodyTooLarge
                if len(body) - counted > FREE_BYTES:
                    self._held += len(body) - counted
                    counted = len(body)
                if self._held > self._max_together:
                    raise NoRoom
        finally:
            self._held -= counted
        return bytes(body)


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


async def _check(body: bytes) -> None:
    """Check small bodies at once; large ones would keep everybody else waiting."""
    if len(body) <= FREE_BYTES:
        check_json(body)
    else:
        await asyncio.to_thread(check_json, body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body once, and then what else comes from the client."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay

"""Before every route and in its place: errors as JSON, the token, where a request comes from, and limits for bodies."""

import asyncio
import hmac
import json
import logging
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loopwright.kernel import errors
from loopwright.kernel.errors import InvalidInput
from loopwright.stores.errors import StoreUnavailable

log = logging.getLogger(__name__)

STATUS: dict[type[errors.LoopwrightError], int] = {
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.InvalidInput: 400,
    errors.Refused: 422,
    errors.ModelError: 502,
    errors.JournalUnavailable: 503,
    StoreUnavailable: 503,
    errors.Forbidden: 403,
}

RETRY_SECONDS = 5
"""After which a client may ask again when something is away or too much is going on."""


def error_response(status: int, code: str, message: str, hint: str = "", **extra: Any) -> JSONResponse:
    """The one shape of an error: `{"error": {"code", "message", "hint"}}`."""
    return JSONResponse({"error": {"code": code, "message": message, "hint": hint, **extra}}, status_code=status)


def busy_response(message: str, code: str = "busy", hint: str = "Try again in some seconds.") -> JSONResponse:
    """A 503 that says when to ask again."""
    response = error_response(503, code, message, hint)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def status_of(error: errors.LoopwrightError) -> int:
    """The HTTP status of an error, by its nearest class in the table."""
    return next((STATUS[cls] for cls in type(error).__mro__ if cls in STATUS), 500)


def store_is_away() -> JSONResponse:
    """The database cannot be asked now. What it said is for the log: it may name hosts and files."""
    return busy_response("The database cannot be used now.", StoreUnavailable.code)


def add_error_handlers(app: FastAPI) -> None:
    """Answer every error in the one shape."""

    @app.exception_handler(errors.LoopwrightError)
    async def expected(request: Request, error: errors.LoopwrightError) -> JSONResponse:
        if status_of(error) == 503:
            log.error("%s %s: %s", request.method, request.scope["path"], error.message)
            return store_is_away()
        return error_response(status_of(error), error.code, error.message, error.hint)

    @app.exception_handler(PoolTimeout)
    async def no_connection(request: Request, error: PoolTimeout) -> JSONResponse:
        log.error("%s %s: %s", request.method, request.scope["path"], error)
        return store_is_away()

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        problems = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:10]]
        return error_response(422, "invalid_input", "; ".join(problems), "See /docs for the request's fields.")

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "error")
        message = f"There is no {request.method} {request.scope['path']}." if code != "error" else str(error.detail)
        return error_response(error.status_code, code, message, "See /docs." if code != "error" else "")

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        log.error("%s %s broke", request.method, request.scope["path"], exc_info=error)
        return error_response(500, "internal", f"The server broke on {type(error).__name__}.", "The log has more.")


# What stands before every route: the token, a check of where the request comes from, and limits for bodies.

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


# Bodies are read whole before a route sees them, within limits for each and for all together.
#
# What a JSON body may be made of, checked before anything else reads it.

MAX_DEPTH = 64
"""Objects and arrays inside each other; the deepest legitimate body has about ten."""

MAX_VALUES = 1_000_000
"""Commas, colons and opening brackets: a parsed value takes up to a hundred times its text."""

_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


class UnusableBody(InvalidInput):
    """The body is JSON that nothing here can hold."""

    code = "unusable_body"


def check_json(body: bytes) -> None:
    """Let a body pass that the routes may read. What is no JSON at all passes too: they say so themselves.

    Raises:
        UnusableBody: it is nested too deep, has too many values, or values that no store can hold.
    """
    if sum(body.count(mark) for mark in (b",", b":", b"[", b"{")) > MAX_VALUES:
        raise UnusableBody(f"The body has more than {MAX_VALUES:,} values.")
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH:
        _check_depth(body)
    try:
        parsed = json.loads(body)
    except json.JSONDecodeError:
        return
    except UnicodeDecodeError as error:
        raise UnusableBody("The body is no UTF-8 text.") from error
    except ValueError as error:
        raise UnusableBody("The body has a number with thousands of digits.") from error
    for value in _leaves(parsed):
        _check_leaf(value)


def _check_depth(body: bytes) -> None:
    """Count brackets outside of texts, before a parser that calls itself for each of them sees the body."""
    depth = 0
    for bracket in _BRACKET.finditer(_TEXT.sub(b"", body)):
        depth += 1 if bracket.group() in b"[{" else -1
        if depth > MAX_DEPTH:
            raise UnusableBody(f"The body is nested deeper than {MAX_DEPTH} levels.")


def _leaves(parsed: Any) -> Iterator[Any]:
    """Every text, number and key; the stack is a list, so that no depth overflows it."""
    stack = [parsed]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield from value
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
        else:
            yield value


def _check_leaf(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise UnusableBody("The body has a number that is none: NaN or an infinity.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise UnusableBody("The body has an integer of more than 64 bits.")
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UnusableBody("A text in the body has half a surrogate pair.") from error


FREE_BYTES = 65_536
"""What a body may hold without being counted with the others: small requests are served whatever else is going on."""


class BodyTooLarge(Exception):
    """The body went past its limit."""


class TooMuchAtOnce(Exception):
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
        except TooMuchAtOnce:
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
                    raise TooMuchAtOnce
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

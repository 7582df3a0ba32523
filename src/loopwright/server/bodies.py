"""Bodies are read whole before a route sees them, within limits for each and for all together."""

import asyncio
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loopwright.kernel.errors import InvalidInput
from loopwright.server.errors import busy_response, error_response

# --------------------------------------------------------------------------------------------------------------------
# What a JSON body may be made of, checked before anything else reads it.
# --------------------------------------------------------------------------------------------------------------------

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

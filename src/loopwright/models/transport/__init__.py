"""How bytes get to an endpoint and back."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping
from typing import Any, Protocol
from urllib.parse import urlsplit

from loopwright.models.retry import AttemptFailed

# Any transport.


class Reply(Protocol):
    """An HTTP answer whose body is still on its way."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        ...

    async def next_chunk(self) -> bytes:
        """The next piece of the body, as soon as there is one; empty at its end.

        Raises:
            AttemptFailed: the connection broke before the body was whole.
        """
        ...

    async def close(self) -> None:
        """Done with it: a body that was read to its end leaves the connection to others, any other one drops it."""
        ...


class Transport(Protocol):
    """Sends one POST. Waiting, trying again and reading the answer are other people's business."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        """The answer, which the caller closes.

        Raises:
            AttemptFailed: no connection, or one that broke.
            ModelRejected: the address or its certificate can never work.
            Misconfigured: there is no way to that address.
        """
        ...

    async def aclose(self) -> None:
        """Close what is open; the transport may be used again afterwards."""
        ...


class ReadingTransport(Transport, Protocol):
    """A transport that also reads what an endpoint tells of itself."""

    async def get(self, url: str, headers: Mapping[str, str]) -> Reply:
        """The answer, which the caller closes; raises as `post`."""
        ...


# An application in this very process as an endpoint; what it sends is passed on piece by piece.

Scope = MutableMapping[str, Any]
ASGIMessage = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[ASGIMessage]]
Send = Callable[[ASGIMessage], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]


class AsgiTransport:
    """Calls an ASGI application (https://asgi.readthedocs.io, HTTP 2.3) instead of the network."""

    def __init__(self, app: ASGIApp) -> None:
        """Take the application."""
        self._app = app

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> "AsgiReply":
        """Call the application and wait for its status and headers; see `Transport.post`."""
        reply = AsgiReply(self._app, _scope(url, headers), body)
        try:
            await reply.started()
        except BaseException:
            await reply.close()
            raise
        return reply

    async def aclose(self) -> None:
        """Nothing stays open."""


class AsgiReply:
    """The application's side and ours of one exchange."""

    def __init__(self, app: ASGIApp, scope: Scope, body: bytes) -> None:
        """Hold the request's body ready, and set the application to work."""
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self._body: bytes | None = body
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._begun = asyncio.Event()
        self._whole = False
        self._error: BaseException | None = None
        self._never = asyncio.Event()
        self._task = asyncio.create_task(app(scope, self.receive, self.send))
        self._task.add_done_callback(self.ended)

    async def receive(self) -> ASGIMessage:
        """Give the application the request, then wait for ever: we never hang up but by cancelling it."""
        if self._body is None:
            await self._never.wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: ASGIMessage) -> None:
        """Take what the application sends."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in message.get("headers", ())}
            self._begun.set()
        elif message["type"] == "http.response.body":
            if message.get("body"):
                self._pieces.put_nowait(message["body"])
            if not message.get("more_body", False):
                self._whole = True

    def ended(self, task: "asyncio.Task[None]") -> None:
        """The application has returned, well or not."""
        if not task.cancelled():
            self._error = task.exception()
        self._begun.set()
        self._pieces.put_nowait(None)

    async def started(self) -> None:
        """Wait for status and headers.

        Raises:
            AttemptFailed: the application ended without them.
        """
        await self._begun.wait()
        if not self.status:
            raise AttemptFailed(f"The application ended without an answer: {self._error!r}") from self._error

    async def next_chunk(self) -> bytes:
        """The next piece of the body."""
        piece = await self._pieces.get()
        if piece is not None:
            return piece
        if not self._whole:
            raise AttemptFailed(f"The application broke off in the middle: {self._error!r}") from self._error
        return b""

    async def close(self) -> None:
        """Stop the application, as a dropped connection would."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def _scope(url: str, headers: Mapping[str, str]) -> Scope:
    parts = urlsplit(url)
    fields = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": parts.scheme,
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(b"host", parts.netloc.encode()), *fields],
        "server": (parts.hostname or "", parts.port or 80),
        "client": ("127.0.0.1", 0),
    }

"""A model server on a loopback port that plays a script: right answers, and the misbehaviours seen in the wild.

    async with ModelServer([calls(("lookup", {"key": "a"})), rate_limited("1"), text("done")]) as server:
        client = OpenAIClient(ModelSettings(base_url=server.base_url))

One reply per request, in order. It answers streamed where the request asks for it. A request beyond the script is
refused with 400, and `assert_done` fails when replies are left over or requests came too many.
"""

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

REASONS = {200: "OK", 307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 429: "Too Many Requests"}
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 10},
}


@dataclass
class Request:
    """A request as it came. `headers` have lower-case names."""

    path: str
    headers: dict[str, str]
    raw: bytes
    method: str = "POST"

    @property
    def body(self) -> dict[str, Any]:
        """The body as JSON."""
        return json.loads(self.raw)


@dataclass
class Connection:
    """What a reply may do with its connection."""

    writer: asyncio.StreamWriter

    async def respond(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        """Send a whole answer."""
        fields = {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}
        self.writer.write(head(status, fields) + body)
        await self.writer.drain()

    async def start_stream(self) -> None:
        """Begin an answer of unknown length."""
        fields = {"Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked"}
        self.writer.write(head(200, fields))
        await self.writer.drain()

    async def chunk(self, data: bytes) -> None:
        """Send a piece of it; an empty one ends it."""
        self.writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self.writer.drain()

    def drop(self) -> None:
        """Reset the connection, as a crashing server does."""
        raw: socket.socket = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Reply = Callable[[Request, Connection], Awaitable[None]]


def head(status: int, fields: dict[str, str]) -> bytes:
    """The head of an HTTP answer."""
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}", *(f"{k}: {v}" for k, v in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def completion(message: dict[str, Any], reason: str, **fields: Any) -> bytes:
    """A `chat.completion` object."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    whole = {"id": "c", "object": "chat.completion", "model": "scripted", "choices": [choice], "usage": USAGE, **fields}
    return json.dumps(whole).encode()


def events(message: dict[str, Any], reason: str, piece: int = 7, model: str = "scripted") -> list[bytes]:
    """The same answer as server-sent events, cut into small pieces, without `[DONE]`."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    content = message.get("content") or ""
    deltas += [{"content": content[start : start + piece]} for start in range(0, len(content), piece)]
    for index, call in enumerate(message.get("tool_calls") or ()):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        opening = {"index": index, "id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [opening]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": arguments[start : start + piece]}}]}
            for start in range(0, len(arguments), piece)
        ]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    chunks.append({"choices": [], "usage": USAGE})
    return [b"data: " + json.dumps({"model": model, **chunk}).encode() + b"\n\n" for chunk in chunks]


def answer(
    message: dict[str, Any], reason: str, *, piece: int = 7, pause: float = 0.0, model: str = "scripted"
) -> Reply:
    """A proper answer of this model, streamed where that is asked for; `pause` seconds before each piece."""

    async def play(request: Request, connection: Connection) -> None:
        if not request.body.get("stream"):
            await asyncio.sleep(pause)
            await connection.respond(200, completion(message, reason, model=model))
            return
        await connection.start_stream()
        for event in [*events(message, reason, piece, model), b"data: [DONE]\n\n"]:
            await asyncio.sleep(pause)
            await connection.chunk(event)
        await connection.chunk(b"")

    return play


def text(content: str, reason: str = "stop", *, piece: int = 7, model: str = "scripted") -> Reply:
    """A text."""
    return answer({"content": content}, reason, piece=piece, model=model)


def calls(*wanted: tuple[str, dict[str, Any] | str], content: str = "", model: str = "scripted") -> Reply:
    """Tool calls as (name, arguments); arguments given as text are sent as they are, broken or not."""
    made = [
        {
            "id": f"call_{index}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for index, (name, given) in enumerate(wanted, 1)
    ]
    return answer({"content": content, "tool_calls": made}, "tool_calls", model=model)


def slow_drip(content: str, pause: float) -> Reply:
    """A text that comes a few characters at a time."""
    return answer({"content": content}, "stop", pause=pause)


def status(number: int, message: str = "it went wrong", headers: dict[str, str] | None = None, **error: Any) -> Reply:
    """An error in OpenAI's format."""

    async def play(_: Request, connection: Connection) -> None:
        await connection.respond(number, json.dumps({"error": {"message": message, **error}}).encode(), headers)

    return play


def rate_limited(retry_after: str | None = None) -> Reply:
    """429, with or without a wish."""
    return status(429, "Rate limit reached", {"Retry-After": retry_after} if retry_after is not None else None)


def body(data: bytes, headers: dict[str, str] | None = None) -> Reply:
    """Status 200 and these bytes, whatever they are."""

    async def play(_: Request, connection: Connection) -> None:
        await connection.respond(200, data, headers)

    return play


def empty_choices() -> Reply:
    """An answer without an answer."""
    return body(json.dumps({"object": "chat.completion", "choices": []}).encode())


def broken_json() -> Reply:
    """A body that stops in the middle, with a length that says it is whole."""
    return body(completion({"content": "hello"}, "stop")[:60])


def hang() -> Reply:
    """Nothing, for ever."""

    async def play(_: Request, __: Connection) -> None:
        await asyncio.Event().wait()

    return play


def reset() -> Reply:
    """The connection is reset before a word is said."""

    async def play(_: Request, connection: Connection) -> None:
        connection.drop()

    return play


def truncated(content: str, *, abruptly: bool = False) -> Reply:
    """An answer that breaks off half-way: the stream is ended as if all were well, or (`abruptly`) reset."""

    async def play(request: Request, connection: Connection) -> None:
        if not request.body.get("stream"):
            whole = completion({"content": content}, "stop")
            fields = {"Content-Type": "application/json", "Content-Length": str(len(whole))}
            connection.writer.write(head(200, fields) + whole[: len(whole) // 2])
            await connection.writer.drain()
            connection.writer.close()
            return
        await connection.start_stream()
        pieces = events({"content": content}, "stop")[:-2]
        for event in pieces[: max(2, len(pieces) // 2)]:
            await connection.chunk(event)
        if abruptly:
            await asyncio.sleep(0.01)  # what was sent shall arrive before the reset
            connection.drop()
        else:
            await connection.chunk(b"")

    return play


@dataclass
class ModelServer:
    """Plays the script, one reply per request."""

    script: Sequence[Reply] = ()
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by the first request."""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def base_url(self) -> str:
        """What goes into OPENAI_BASE_URL."""
        assert self._server is not None, "the server has not been started"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def assert_done(self) -> None:
        """Fail unless there were exactly as many requests as replies."""
        asked, scripted = len(self.requests), len(self.script)
        assert asked == scripted, f"{asked} requests came for {scripted} scripted replies"

    def reply_to(self, request: Request) -> Reply:
        """What is answered to the request that has just come: the next reply of the script."""
        index = len(self.requests) - 1
        return self.script[index] if index < len(self.script) else status(400, "the script is at its end")

    async def tell(self, request: Request, connection: Connection) -> None:
        """Answer a question about itself: it serves no models by name."""
        await connection.respond(404, b'{"error": "not found"}')

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while not writer.is_closing():
                request = await _read(reader)
                # What it is asked about itself is no part of the script.
                if request.method == "GET" or request.path == "/api/show":
                    await self.tell(request, Connection(writer))
                    continue
                self.requests.append(request)
                self.came.set()
                await self.reply_to(request)(request, Connection(writer))
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client has gone, as it may, or the test is over
        finally:
            self._tasks.discard(task)
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    method, path = first.split(" ")[:2]
    return Request(path, headers, await reader.readexactly(int(headers.get("content-length", "0"))), method)

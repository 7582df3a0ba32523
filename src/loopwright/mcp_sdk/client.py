"""Connections to MCP servers: opened when they are needed, kept while this process lives, opened anew after a death."""

import asyncio
import logging
import os
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Self

import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import (
    CONNECTION_CLOSED,
    HEADER_MISMATCH,
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    Implementation,
    InputRequiredResult,
    InputResponses,
    Tool,
)

from loopwright import __version__
from loopwright.kernel.errors import LoopwrightError, Misconfigured
from loopwright.kernel.programs import find_program
from loopwright.kernel.tool_servers import ToolServer

log = logging.getLogger(__name__)

START_SECONDS = 60.0
"""How long a server may take to answer the first time; `npx` may have to fetch it."""
LIST_SECONDS = 30.0
CLOSE_SECONDS = 10.0
HTTP_SECONDS = 30.0
"""How long connecting to an address, or sending to it, may take; how long a call may take is each server's own."""
LAST_WORDS = 5
"""Lines of a server's stderr that are told when it dies."""
LONGEST_LINE = 2_000
"""Characters of such a line."""
SESSION_LOST = "Session terminated"
"""What the SDK calls a server's refusal of a session that it does not know (any more): nothing was done."""
MAX_PAGES = 50
"""Pages of a server's list of tools."""

Elicit = Callable[[ElicitRequestParams], Awaitable[ElicitResult | ErrorData]]
"""Answers a form that a server sends in the middle of a call, while the call waits."""


class ServerGone(LoopwrightError):
    """The server does not start, or its connection has ended; the next call opens a new one.

    Args:
        message: which server, and what is known of its end.
        sent: whether a call was under way, of which nobody knows what has become.
    """

    code = "tool_server_gone"

    def __init__(self, message: str, *, sent: bool = False) -> None:
        """Keep whether anything may have been done."""
        super().__init__(message, hint="`loopwright mcp tools` tries to reach it again.")
        self.sent = sent


class ServerRefused(LoopwrightError):
    """The server has answered a request with a protocol error."""

    code = "tool_server_refused"


class SignInNeeded(LoopwrightError):
    """The server wants a user who has signed in."""

    code = "tool_server_sign_in"

    def __init__(self, server: str) -> None:
        """Name the server."""
        super().__init__(
            f"MCP server {server} wants you to sign in: `loopwright mcp login {server}`.",
            hint="Or give it a token in `headers`, in mcp.json.",
        )


class Connection:
    """One server. Its connection lives in a task of its own, since it must be closed by the task that opened it.

    Calls may come from any task, and side by side.
    """

    def __init__(
        self,
        server: ToolServer,
        *,
        elicit: Elicit | None = None,
        auth: httpx2.Auth | None = None,
        mode: str = "auto",
        start_seconds: float = START_SECONDS,
    ) -> None:
        """Nothing is opened before the first call.

        Args:
            server: how it is reached.
            elicit: answers forms; without it they are declined, and `declined` tells of them.
            auth: signs requests to an address, by OAuth for example.
            mode: `auto`, `legacy` (the handshake of 2025-11-25 and before) or a revision without a handshake.
            start_seconds: how long the server may take to answer the first time.
        """
        self.server = server
        self.declined: deque[str] = deque(maxlen=20)
        """What servers of earlier revisions have asked in the middle of calls, newest last."""
        self._elicit = elicit or self._decline
        self._auth = auth
        self._mode = mode
        self._start_seconds = start_seconds
        self.refused = False
        """Whether it wanted somebody who has signed in; what was signed in to since is for a new connection."""
        self._unauthorized = False
        self._opening = asyncio.Lock()
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()
        self._ended = False
        self._last_words: deque[str] = deque(maxlen=LAST_WORDS)

    async def tools(self) -> list[Tool]:
        """All of the server's tools, in its order.

        Raises:
            ServerGone: it cannot be reached.
            ServerRefused: it does not list them.
            Misconfigured: its program is not there.
        """
        client, found, cursor = await self._opened(), list[Tool](), None
        try:
            async with asyncio.timeout(LIST_SECONDS):
                for _ in range(MAX_PAGES):
                    page = await client.list_tools(cursor=cursor)
                    found += page.tools
                    cursor = page.next_cursor
                    if cursor is None:
                        break
        except TimeoutError as error:
            raise ServerGone(f"{self.server.name} did not list its tools within {LIST_SECONDS:g} seconds.") from error
        except Exception as error:
            raise await self._failure(client, error) from error
        return found

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        progress: ProgressFnT | None = None,
        responses: InputResponses | None = None,
        state: str | None = None,
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool, once; where the server needs to know something first, its questions are the result.

        Args:
            tool: the server's name of it.
            arguments: as the tool's schema wants them.
            progress: hears how far the call is.
            responses: answers to the questions of the call before.
            state: what the server gave with these questions, as it was.

        Raises:
            ServerGone: the server could not be reached, or its connection has ended meanwhile (`sent`).
            ServerRefused: the server has refused the call.
            Misconfigured: the server's program is not there.
        """
        client = await self._opened()

        async def once() -> CallToolResult | InputRequiredResult:
            return await client.session.call_tool(
                tool,
                dict(arguments),
                progress_callback=progress,
                input_responses=responses,
                request_state=state,
                allow_input_required=True,
            )

        try:
            try:
                return await once()
            except MCPError as error:
                if error.code != HEADER_MISMATCH:
                    raise
            await self.tools()  # headers are made by the tool's schema, which this connection has not seen yet
            return await once()
        except Exception as error:
            raise await self._failure(client, error, sent=True) from error

    async def close(self) -> None:
        """Close the connection; a started program is ended."""
        task, self._task, self._client = self._task, None, None
        if task is None:
            return
        self._ending.set()
        if (await asyncio.wait({task}, timeout=CLOSE_SECONDS))[1]:
            log.warning("MCP server %s did not end within %g seconds", self.server.name, CLOSE_SECONDS)
            task.cancel()

    async def connected(self) -> Client:
        """The SDK's client, connected: for what is not about tools.

        Raises:
            ServerGone: the server cannot be reached.
            Misconfigured: its program is not there.
        """
        return await self._opened()

    async def _opened(self) -> Client:
        async with self._opening:
            if self._client is not None and self._task is not None and not (self._task.done() or self._ended):
                return self._client
            await self.close()
            self._ending, self._ended, self._last_words = asyncio.Event(), False, deque(maxlen=LAST_WORDS)
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._live(ready, self._ending), name=f"mcp-{self.server.name}")
            try:
                async with asyncio.timeout(self._start_seconds):
                    self._client = await ready
            except TimeoutError as error:
                self._task.cancel()
                raise self._gone(f"did not answer within {self._start_seconds:g} seconds") from error
            return self._client

    async def _live(self, ready: asyncio.Future[Client], ending: asyncio.Event) -> None:
        """Open the connection, hand it out, and keep it until it is to end."""
        try:
            async with AsyncExitStack() as stack:
                client = await stack.enter_async_context(await self._new_client(stack))
                if not ready.done():
                    ready.set_result(client)
                await ending.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(self._unreachable(error))
            elif not isinstance(error, Exception):
                raise
            else:
                log.warning("the connection to MCP server %s broke: %s", self.server.name, root_of(error))

    async def _new_client(self, stack: AsyncExitStack) -> Client:
        async def elicit(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult | ErrorData:
            return await self._elicit(params)

        transport: Any
        if self.server.url is not None:
            timeout = httpx2.Timeout(HTTP_SECONDS, read=max(self.server.timeout, HTTP_SECONDS))
            session = httpx2.AsyncClient(headers=self.server.headers, timeout=timeout, auth=self._auth)
            session.event_hooks["response"].append(self._note_status)
            transport = streamable_http_client(self.server.url, http_client=await stack.enter_async_context(session))
        else:
            errors = await stack.enter_async_context(self._heard_errors())
            transport = stdio_client(self._program(), errlog=errors)
        return Client(
            self._watched(transport),
            mode=self._mode,
            elicitation_callback=elicit,
            client_info=Implementation(name="loopwright", version=__version__),
        )

    def _program(self) -> StdioServerParameters:
        command = self.server.command or ""
        program = find_program(command, outside=None)
        if program is None:
            raise Misconfigured(
                f"MCP server {self.server.name}: there is no program {command!r} on the PATH that only you can change.",
                hint="Install it, or give its absolute path.",
            )
        return StdioServerParameters(
            command=str(program), args=list(self.server.args), env=dict(self.server.env), cwd=self.server.cwd
        )

    @asynccontextmanager
    async def _watched(self, transport: Any) -> AsyncGenerator[Any, None]:
        """The transport, whose end is noticed even while nobody calls: the call after it opens a new one."""
        async with transport as (read, write):
            yield ReadToEnd(read, self._note_end), write

    def _note_end(self) -> None:
        self._ended = True

    @asynccontextmanager
    async def _heard_errors(self) -> AsyncGenerator[Any, None]:
        """A place for the server's stderr: its last lines are kept, all of them go to the log at level DEBUG."""
        reading, writing = os.pipe()
        stream = asyncio.StreamReader(limit=LONGEST_LINE)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb", buffering=0)
        )
        listening = asyncio.create_task(self._listen(stream))
        try:
            with os.fdopen(writing, "w") as errors:
                yield errors
        finally:
            transport.close()
            listening.cancel()

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        rest = b""
        while piece := await stream.read(LONGEST_LINE):
            *lines, rest = (rest + piece)[-2 * LONGEST_LINE :].split(b"\n")
            for line in lines:
                text = line.decode(errors="replace").rstrip()[:LONGEST_LINE]
                log.debug("%s: %s", self.server.name, text)
                if text:
                    self._last_words.append(text)

    async def _decline(self, params: ElicitRequestParams) -> ElicitResult:
        self.declined.append(params.message[:500])
        return ElicitResult(action="decline")

    async def _failure(self, client: Client, error: Exception, *, sent: bool = False) -> LoopwrightError:
        """What an exception of the SDK means for a caller; a connection that has ended is let go."""
        cause = self._refusal() or root_of(error)
        if isinstance(cause, LoopwrightError):
            return cause
        session_lost = isinstance(cause, MCPError) and cause.message == SESSION_LOST
        if isinstance(cause, MCPError) and cause.code != CONNECTION_CLOSED and not session_lost:
            return ServerRefused(f"{self.server.name} refused: {cause.message}"[:2_000])
        if isinstance(cause, ValueError):  # a message that is none of this protocol, or a result that breaks its schema
            return ServerRefused(f"{self.server.name} answered what cannot be used: {cause}"[:2_000])
        if self._client is client:
            await self.close()
        return self._gone(f"has gone: {type(cause).__name__}: {cause}"[:500], sent=sent and not session_lost)

    def _unreachable(self, error: BaseException) -> LoopwrightError:
        cause = self._refusal() or root_of(error)
        if isinstance(cause, LoopwrightError):
            return cause
        return self._gone(f"cannot be reached: {type(cause).__name__}: {cause}"[:500])

    def _refusal(self) -> LoopwrightError | None:
        """Why the server's answer was that nobody has signed in, which the SDK's transport loses on the way."""
        trouble = getattr(self._auth, "trouble", None)
        self.refused = self._unauthorized or trouble is not None
        if isinstance(trouble, LoopwrightError):
            return trouble
        return SignInNeeded(self.server.name) if self._unauthorized else None

    async def _note_status(self, response: httpx2.Response) -> None:
        self._unauthorized = response.status_code == httpx2.codes.UNAUTHORIZED

    def _gone(self, what: str, *, sent: bool = False) -> ServerGone:
        words = "; it said: " + " | ".join(self._last_words) if self._last_words else ""
        return ServerGone(f"MCP server {self.server.name} {what}{words}", sent=sent)


class ReadToEnd:
    """A transport's read stream that tells of its end."""

    def __init__(self, stream: Any, on_end: Callable[[], None]) -> None:
        """Read from this stream."""
        self._stream = stream
        self._on_end = on_end

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._stream.__anext__()
        except BaseException:
            self._on_end()
            raise

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._stream.__aexit__(*raised)


class Connections:
    """The servers of an installation and of its agents, by name; each is opened once it is needed."""

    def __init__(
        self,
        servers: Mapping[str, ToolServer],
        sign_in: Callable[[ToolServer], httpx2.Auth | None] = lambda _server: None,
    ) -> None:
        """Take the servers that the user has configured, and what signs the requests to one at an address."""
        self.configured = dict(servers)
        self._sign_in = sign_in
        self._users = frozenset(servers)
        self._open: dict[str, Connection] = {}

    def add(self, server: ToolServer) -> None:
        """Know a server that an agent's definition names; one of this name that the user has configured comes first.

        Raises:
            Misconfigured: another agent has named another server so, with the same name.
        """
        known = self.configured.setdefault(server.name, server)
        if known != server and server.name not in self._users:
            raise Misconfigured(
                f"Two agents have different MCP servers named {server.name!r}.", hint="Rename one: mcp(…, name='…')."
            )

    def get(self, name: str) -> Connection | None:
        """The server's connection; None where no server of this name is configured, or it is switched off."""
        server = self.configured.get(name)
        if server is None or server.disabled:
            return None
        if name not in self._open or self._open[name].refused:
            self._open[name] = Connection(server, auth=self._sign_in(server) if server.url is not None else None)
        return self._open[name]

    async def close(self) -> None:
        """Close them all."""
        await asyncio.gather(*(connection.close() for connection in self._open.values()))


def root_of(error: BaseException) -> BaseException:
    """The first error inside of groups: a broken connection ends a group of tasks."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error

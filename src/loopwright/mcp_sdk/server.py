"""An MCP server of tools that may ask the client's user something, over either era of the protocol.

Until 2025-11-25 a server asks while the call waits. From 2026-07-28 on it answers the call with its questions, and the
client makes the call again with the answers and with the state that it was given: nothing waits, here or there.
`Caller.ask` is both: a tool asks, and goes on behind that line in whichever way.
"""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import mcp_types as mcp
from jsonschema.exceptions import best_match
from jsonschema.validators import Draft202012Validator
from mcp import MCPError
from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from referencing import Registry
from starlette.types import ASGIApp

from loopwright import __version__
from loopwright.kernel.errors import LoopwrightError
from loopwright.kernel.tools import ToolResult
from loopwright.mcp_sdk.client import ReadToEnd

log = logging.getLogger(__name__)

STATE_SECONDS = 7 * 24 * 3_600.0
"""How long a question may wait for its answer before the call's state is not taken any more."""
LIST_MILLISECONDS = 60_000
"""How long clients may keep the list of tools."""

Asking = Literal["elicitation", "sampling", "roots"]
_ASKING: dict[type, Asking] = {
    mcp.ElicitRequest: "elicitation",
    mcp.CreateMessageRequest: "sampling",
    mcp.ListRootsRequest: "roots",
}
Content = ToolResult | mcp.CallToolResult


class AskFirst(Exception):
    """The call needs answers before it can go on, and this client makes it again with them."""

    def __init__(self, requests: Mapping[str, mcp.InputRequest], state: str | None) -> None:
        """Keep the questions, and what the client is to send back with the answers."""
        super().__init__("the client's user is asked first")
        self.result = mcp.InputRequiredResult(input_requests=dict(requests) or None, request_state=state)


class Caller:
    """The client that makes a call, and what it has said so far.

    `state` and `answers` are there when the call is made again: what `ask` was given, and what the user has answered.
    """

    def __init__(self, context: ServerRequestContext[Any, Any], params: mcp.InputResponseRequestParams) -> None:
        """Speak for this request."""
        self._context = context
        self._steps = 0.0
        self.state = params.request_state
        self.answers = dict(params.input_responses or {})

    @property
    def context(self) -> ServerRequestContext[Any, Any]:
        """The SDK's own view of the request."""
        return self._context

    @property
    def calls_again(self) -> bool:
        """Whether this client makes a call again with the answers, rather than answering while the call waits."""
        return self._context.protocol_version in MODERN_PROTOCOL_VERSIONS

    def can(self, asking: Asking) -> bool:
        """Whether the client has said that it can be asked in this way."""
        offered = self._context.session.client_capabilities
        return offered is not None and getattr(offered, asking) is not None

    async def progress(self, message: str, done: float | None = None, total: float | None = None) -> None:
        """Tell how far the call is; without `done` it is counted, since progress must grow."""
        self._steps = self._steps + 1 if done is None else max(self._steps, done)
        await self._context.session.report_progress(self._steps, total, message)

    async def ask(self, requests: Mapping[str, mcp.InputRequest], state: str | None = None) -> dict[str, Any]:
        """The client's answers, by the keys of the requests.

        Args:
            requests: what is asked, under names of the tool's own.
            state: what the tool needs to find its place again.

        Raises:
            AskFirst: this client makes the call again; let it pass.
            MCPError: the client has not said that it can be asked this.
        """
        for request in requests.values():
            self._require(_ASKING[type(request)])
        if self.calls_again:
            given = {key: _of_kind(request, self.answers.get(key)) for key, request in requests.items()}
            if all(answer is not None for answer in given.values()):
                return given
            raise AskFirst(requests, state)
        return {key: await self._ask_now(request) for key, request in requests.items()}

    def _require(self, asking: Asking) -> None:
        if not self.can(asking):
            raise MCPError(
                mcp.MISSING_REQUIRED_CLIENT_CAPABILITY,
                f"This call needs a client with {asking}.",
                {"requiredCapabilities": {asking: {}}},
            )

    async def _ask_now(self, request: mcp.InputRequest) -> Any:
        related = self._context.request_id
        session = self._context.session
        if isinstance(request, mcp.ElicitRequest):
            if isinstance(request.params, mcp.ElicitRequestURLParams):
                raise TypeError("only forms are asked")
            return await session.elicit_form(request.params.message, request.params.requested_schema, related)
        kind = mcp.CreateMessageResult if isinstance(request, mcp.CreateMessageRequest) else mcp.ListRootsResult
        return await session.send_request(request, kind)


def _of_kind(request: mcp.InputRequest, answer: Any) -> Any:
    """The answer, if it is one to this request: a form as it was asked for, a message, a list of roots."""
    if isinstance(request, mcp.CreateMessageRequest):
        return answer if isinstance(answer, mcp.CreateMessageResult | mcp.CreateMessageResultWithTools) else None
    if isinstance(request, mcp.ListRootsRequest):
        return answer if isinstance(answer, mcp.ListRootsResult) else None
    if not isinstance(answer, mcp.ElicitResult) or answer.action != "accept":
        return answer if isinstance(answer, mcp.ElicitResult) else None
    form = request.params if isinstance(request.params, mcp.ElicitRequestFormParams) else None
    return answer if form is None or _fits(form.requested_schema, answer.content) else None


def _fits(schema: Mapping[str, Any], content: Any) -> bool:
    return bool(Draft202012Validator(dict(schema), registry=Registry()).is_valid(content or {}))


@dataclass(frozen=True)
class ServedTool:
    """A tool for clients: arguments are checked against `parameters` before `call` gets them."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[[Mapping[str, Any], Caller], Awaitable[Content]]
    read_only: bool = False
    repeatable: bool = False
    checker: Draft202012Validator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Prepare the check; a broken schema is found here."""
        Draft202012Validator.check_schema(self.parameters)
        object.__setattr__(self, "checker", Draft202012Validator(dict(self.parameters), registry=Registry()))

    def listed(self) -> mcp.Tool:
        """The tool as clients see it."""
        return mcp.Tool(
            name=self.name,
            description=self.description,
            input_schema=dict(self.parameters),
            annotations=mcp.ToolAnnotations(
                read_only_hint=self.read_only, idempotent_hint=self.repeatable or self.read_only, open_world_hint=False
            ),
        )

    async def called(
        self, arguments: Mapping[str, Any], caller: Caller
    ) -> mcp.CallToolResult | mcp.InputRequiredResult:
        """Check and call it. What goes wrong is a result; only a protocol error is raised.

        Raises:
            MCPError: the tool says that the request itself cannot be served.
        """
        wrong = best_match(self.checker.iter_errors(dict(arguments)))
        if wrong is not None:
            place = ".".join(map(str, wrong.absolute_path))
            return _failed(f"Invalid arguments for {self.name}: {place + ': ' if place else ''}{wrong.message[:500]}")
        try:
            return as_mcp(await self.call(arguments, caller))
        except AskFirst as asked:
            return asked.result
        except LoopwrightError as error:
            return _failed(f"{error.message}\n{error.hint}".strip())
        except MCPError:
            raise
        except Exception as error:
            log.exception("tool %s failed", self.name)
            return _failed(f"{self.name} failed unexpectedly: {type(error).__name__}.")


def as_mcp(content: Content) -> mcp.CallToolResult:
    """A result as clients see it: the text, and the artifacts as structured content."""
    if isinstance(content, mcp.CallToolResult):
        return content
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=content.output)],
        structured_content=content.artifacts,
        is_error=not content.success,
    )


def _failed(text: str) -> mcp.CallToolResult:
    return mcp.CallToolResult(content=[mcp.TextContent(type="text", text=text)], is_error=True)


def tool_server(
    name: str, tools: Iterable[ServedTool], *, instructions: str | None = None, **handlers: Any
) -> Server[Any]:
    """A server of these tools.

    Args:
        name: what the server calls itself.
        tools: in the order in which clients see them, which stays the same.
        instructions: what a client tells its model of the server.
        handlers: of the SDK's `Server`, for what is not about tools: `on_list_resources` and the like.
    """
    by_name = {tool.name: tool for tool in tools}
    listed = [tool.listed() for tool in by_name.values()]

    async def list_tools(context: ServerRequestContext[Any, Any], params: Any) -> mcp.ListToolsResult:
        return mcp.ListToolsResult(tools=listed)

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: mcp.CallToolRequestParams
    ) -> mcp.CallToolResult | mcp.InputRequiredResult:
        tool = by_name.get(params.name)
        if tool is None:
            raise MCPError(mcp.INVALID_PARAMS, f"Unknown tool: {params.name[:100]}")
        return await tool.called(params.arguments or {}, Caller(context, params))

    def schema_of(tool: str) -> Mapping[str, Any] | None:
        return by_name[tool].parameters if tool in by_name else None

    hints = dict.fromkeys(("tools/list", "server/discover"), CacheHint(ttl_ms=LIST_MILLISECONDS, scope="private"))
    server: Server[Any] = Server(
        name,
        version=__version__,
        instructions=instructions,
        cache_hints=handlers.pop("cache_hints", hints),
        get_tool_input_schema=schema_of,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **handlers,
    )
    seal = RequestStateSecurity.ephemeral(ttl=STATE_SECONDS)
    server.middleware.append(RequestStateBoundary(seal, default_audience=name))
    return server


async def serve_stdio(server: Server[Any], on_end: Callable[[], None] = lambda: None) -> None:
    """Serve one client over stdin and stdout until it closes its end; what else is printed goes to stderr.

    Args:
        server: what is served.
        on_end: called when the client has closed its end, before calls under way are cancelled.
    """
    async with stdio_server() as (reading, writing):
        await server.run(ReadToEnd(reading, on_end), writing, server.create_initialization_options())
    sys.stdout.flush()


class HttpEndpoint:
    """A server at one address of an ASGI application, over streamable HTTP of either era.

    Who may come in is for the application around it to decide: this asks for no token and looks at no `Host`.
    """

    def __init__(self, server: Server[Any], *, max_body_bytes: int) -> None:
        """Take the server; nothing is answered before `running`."""
        self._manager = StreamableHTTPSessionManager(server, max_request_body_size=max_body_bytes)

    @property
    def app(self) -> ASGIApp:
        """What answers requests."""
        return self._manager.asgi_app

    @asynccontextmanager
    async def running(self, on_end: Callable[[], None] = lambda: None) -> AsyncIterator[None]:
        """Answer requests; at the end `on_end` is called, and calls under way are cancelled.

        The sessions live in a task of their own, since the task that opens them must close them.
        """
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ending = asyncio.Event()

        async def live() -> None:
            async with self._manager.run():
                ready.set_result(None)
                await ending.wait()

        living = asyncio.create_task(live(), name="mcp-sessions")
        await asyncio.wait({living, ready}, return_when=asyncio.FIRST_COMPLETED)
        try:
            if ready.done():
                yield
        finally:
            on_end()
            ending.set()
            await living

"""The FastAPI application: routes, those of agents too, limits, errors, and the application behind them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from loopwright import __version__
from loopwright.app.agents import BrokenPackage, all_packages
from loopwright.app.client_tools import watching_client_calls
from loopwright.app.isolated import isolation
from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.kernel.package import AgentPackage
from loopwright.server.guards import Authentication, Bodies, add_error_handlers, error_response
from loopwright.server.routes import gates_router, health_router, runs_router, sessions_router

# `/mcp`: the agents as tools for MCP clients, over streamable HTTP, behind the same guards as every other route.

PATH = "/mcp"
EXTRA = frozenset({"httpx2", "jsonschema", "mcp", "mcp_types", "referencing"})
"""Modules that come with the extra `mcp`."""


class McpRoute:
    """Opens the MCP server at its first request: it loads every agent, which most processes need not do."""

    def __init__(self, max_body_bytes: int) -> None:
        """Nothing is served yet."""
        self._max_body_bytes = max_body_bytes
        self._opening = asyncio.Lock()
        self._app: Loopwright | None = None
        self._endpoint: ASGIApp | None = None
        self._open = AsyncExitStack()

    @asynccontextmanager
    async def serving(self, app: Loopwright) -> AsyncIterator[None]:
        """Serve this installation's agents while the application is open."""
        self._app = app
        async with self._open:
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; without the extra, say what to install."""
        endpoint = await self._opened()
        await endpoint(scope, receive, send)

    async def _opened(self) -> ASGIApp:
        async with self._opening:
            if self._endpoint is None:
                self._endpoint = await self._new_endpoint()
            return self._endpoint

    async def _new_endpoint(self) -> ASGIApp:
        try:
            from loopwright.app.mcp_agents import AgentServing
            from loopwright.mcp_sdk.server import HttpEndpoint
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] not in EXTRA:
                raise
            return error_response(501, "not_installed", "MCP is not installed here.", "pip install 'loopwright[mcp]'")
        assert self._app is not None, "requests come while the application is open"  # noqa: S101
        agents = AgentServing(self._app)
        endpoint = HttpEndpoint(agents.server(), max_body_bytes=self._max_body_bytes)
        await self._open.enter_async_context(endpoint.running(agents.close))
        return endpoint.app


def add_mcp(app: FastAPI, max_body_bytes: int) -> McpRoute:
    """Put the route into the application."""
    route = McpRoute(max_body_bytes)
    app.router.routes.append(Route(PATH, endpoint=route))
    return route


# The application.

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 45_000_000
"""Three images of 10 MB as base64, and some slack."""

MAX_BODY_BYTES_TOGETHER = 6 * MAX_BODY_BYTES
"""Of all requests whose bodies are being read."""


def create_app(settings: Settings) -> FastAPI:
    """The FastAPI application; Loopwright is opened when it starts, and runs of dead processes are taken over."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with (
            Loopwright.open(settings, recover=True, isolate=isolation(settings)) as application,
            watching_client_calls(application),
            mcp.serving(application),
        ):
            app.state.application = application
            yield

    app = FastAPI(
        title="Loopwright",
        version=__version__,
        summary="LLM agents that you can leave alone.",
        lifespan=lifespan,
    )
    for own in (health_router, runs_router, gates_router, sessions_router):
        app.include_router(own)
    mcp = add_mcp(app, MAX_BODY_BYTES)
    brought = list(_with_routes())
    for router in (each.load(path) for each in brought for path in each.routers):
        app.include_router(router)
    add_error_handlers(app)
    app.add_middleware(Bodies, max_bytes=MAX_BODY_BYTES, max_bytes_together=MAX_BODY_BYTES_TOGETHER)
    app.add_middleware(
        Authentication,
        token=settings.token.get_secret_value() if settings.token else None,
        loopback=is_loopback(settings.host),
        open_paths=[path for each in brought for path in each.open_paths],
    )
    return app


def is_loopback(host: str) -> bool:
    """Whether the address is reachable from this machine only."""
    return host in ("127.0.0.1", "::1", "localhost")


def _with_routes() -> Iterator[AgentPackage]:
    """The agents whose routes are served; one that lacks something is left out, and the log says what it lacks."""
    for each in all_packages():
        if isinstance(each, BrokenPackage):
            log.error("the agent %s is left out: %s", each.name, each.error.message)
        elif missing := each.missing():
            log.warning("the agent %s is left out: it needs %s", each.name, ", ".join(missing))
        else:
            yield each

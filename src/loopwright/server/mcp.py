"""`/mcp`: the agents as tools for MCP clients, over streamable HTTP, behind the same guards as every other route."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from loopwright.app.loopwright import Loopwright
from loopwright.server.errors import error_response

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

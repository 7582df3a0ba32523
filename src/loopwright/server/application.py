"""The FastAPI application: routes, those of agents too, limits, errors, and the application behind them."""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from loopwright import __version__
from loopwright.app.agents import BrokenPackage, all_packages
from loopwright.app.client_tools import watching_client_calls
from loopwright.app.isolated import isolation
from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.kernel.package import AgentPackage
from loopwright.server.bodies import Bodies
from loopwright.server.errors import add_error_handlers
from loopwright.server.guards import Authentication
from loopwright.server.mcp import add_mcp
from loopwright.server.routes import gates, health, runs, sessions

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
    for module in (health, runs, gates, sessions):
        app.include_router(module.router)
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

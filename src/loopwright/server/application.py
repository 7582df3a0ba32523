"""The FastAPI application: routes, limits, errors, and the house behind them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from loopwright import __version__
from loopwright.app.isolated import isolation
from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.server.bodies import Bodies
from loopwright.server.errors import add_error_handlers
from loopwright.server.guards import Doorkeeper
from loopwright.server.routes import (
    chat,
    design,
    designspec,
    exports,
    gates,
    health,
    ide,
    ide_projects,
    interview,
    jobs,
    page_checks,
    page_history,
    pages,
    plans,
    preview_links,
    previews,
    product_docs,
    promises,
    runs,
    sessions,
)

MAX_BODY_BYTES = 45_000_000
"""Three images of 10 MB as base64, and some room."""

MAX_BODY_BYTES_TOGETHER = 6 * MAX_BODY_BYTES
"""Of all requests whose bodies are being read."""


def create_app(settings: Settings) -> FastAPI:
    """The application; the house is opened when it starts, and runs of dead processes are taken over."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Loopwright.open(settings, recover=True, isolate=isolation(settings)) as house:
            app.state.house = house
            yield

    app = FastAPI(
        title="Loopwright",
        version=__version__,
        summary="LLM agents that you can leave alone.",
        lifespan=lifespan,
    )
    modules = (
        health,
        chat,
        runs,
        gates,
        sessions,
        pages,
        page_history,
        page_checks,
        exports,
        previews,
        preview_links,
        interview,
        product_docs,
        promises,
        design,
        designspec,
        plans,
        jobs,
        ide,
        ide_projects,
    )
    for module in modules:
        app.include_router(module.router)
    add_error_handlers(app)
    app.add_middleware(Bodies, max_bytes=MAX_BODY_BYTES, max_bytes_together=MAX_BODY_BYTES_TOGETHER)
    app.add_middleware(
        Doorkeeper,
        token=settings.token.get_secret_value() if settings.token else None,
        loopback=is_loopback(settings.host),
    )
    return app


def is_loopback(host: str) -> bool:
    """Whether the address is reachable from this machine only."""
    return host in ("127.0.0.1", "::1", "localhost")

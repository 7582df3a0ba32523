"""Serves the application with uvicorn."""

import uvicorn

from loopwright.app.process import settle_garbage_collector
from loopwright.app.settings import Settings
from loopwright.kernel.errors import Misconfigured
from loopwright.server.application import create_app, is_loopback


def run_server(settings: Settings) -> None:
    """Serve until stopped.

    Raises:
        Misconfigured: the address is reachable from outside and no token is set.
    """
    if not is_loopback(settings.host) and settings.token is None:
        raise Misconfigured(
            f"Binding to {settings.host} lets others in, and LOOPWRIGHT_TOKEN is not set.",
            hint="Set LOOPWRIGHT_TOKEN to a long random string, or bind to 127.0.0.1.",
        )
    settle_garbage_collector()
    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="info",
        timeout_graceful_shutdown=5,
        server_header=False,
    )

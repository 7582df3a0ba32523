"""Serves the application with uvicorn."""

import asyncio
import logging
import socket
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI

from loopwright.app.settings import Settings, settle_garbage_collector
from loopwright.kernel.errors import Misconfigured
from loopwright.server.application import create_app, is_loopback
from loopwright.server.protocol import Census, EdgeConfig, limits_here
from loopwright.server.streams import end_streams

# --------------------------------------------------------------------------------------------------------------------
# Logs that a client cannot fill: what repeats is counted instead of written.
# --------------------------------------------------------------------------------------------------------------------

WINDOW_SECONDS = 10.0
MOST_PATH = 200


@dataclass
class _Window:
    began: float
    written: int = 0
    dropped: int = 0


class Sparing(logging.Filter):
    """Lets a number of records of the same template through in each window, and says how many it kept back."""

    def __init__(self, most: int) -> None:
        """`most` records of one template in ten seconds are written."""
        super().__init__()
        self._most = most
        self._windows: dict[str, _Window] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; the first of a new window tells what the last one left out."""
        now, template = time.monotonic(), str(record.msg)
        window = self._windows.get(template)
        if window is None or now - window.began > WINDOW_SECONDS:
            dropped = window.dropped if window else 0
            window = self._windows[template] = _Window(now)
            if dropped:
                record.msg = f"{template} [{dropped} more like it were not written]"
        if window.written >= self._most:
            window.dropped += 1
            return False
        window.written += 1
        return True


class Short(logging.Filter):
    """Cuts the texts of access records, whose paths come from anybody."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record passes."""
        if isinstance(record.args, tuple):
            record.args = tuple(
                f"{each[:MOST_PATH]}…" if isinstance(each, str) and len(each) > MOST_PATH else each
                for each in record.args
            )
        return True


def keep_logs_small() -> None:
    """Spare the logs of uvicorn; call it after uvicorn has set them up."""
    for name, most in (("uvicorn.error", 20), ("uvicorn.access", 500)):
        logger = logging.getLogger(name)
        for former in [each for each in logger.filters if isinstance(each, Sparing | Short)]:
            logger.removeFilter(former)
        logger.addFilter(Sparing(most))
        logger.addFilter(Short())


ACCEPT_AT_ONCE = 64
"""Connections that asyncio accepts before any of them is looked at; it accepts as many as its backlog is long."""

KERNEL_BACKLOG = 1_024
"""Connections that the system holds until they are accepted; in a flood a shorter queue would lose everybody's."""

SWEEP_TICKS = 10
"""uvicorn's ticks (of a tenth of a second) from one look at slow connections to the next."""

log = logging.getLogger(__name__)


class EdgeServer(uvicorn.Server):
    """uvicorn's server, which opens Loopwright itself, sweeps slow connections, and survives a lack of descriptors.

    uvicorn would log a traceback for an application that does not open; here its error reaches the caller.
    """

    def __init__(self, config: EdgeConfig, app: FastAPI) -> None:
        """Serve `app` as `config` says."""
        super().__init__(config)
        self._census = config.census
        self._app = app
        self._application = AsyncExitStack()
        self._told_at = float("-inf")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the application, then the port."""
        asyncio.get_running_loop().set_exception_handler(self._loop_failed)
        await self._application.enter_async_context(self._app.router.lifespan_context(self._app))
        try:
            await super().startup(sockets)
        except BaseException:
            await self._application.aclose()
            raise
        for server in self.servers:
            for listening in server.sockets:
                with listening.dup() as twin:
                    twin.listen(KERNEL_BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Sweep now and then."""
        if counter % SWEEP_TICKS == 0:
            self._census.sweep(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the port, then the application."""
        end_streams()
        try:
            await super().shutdown(sockets)
        finally:
            await self._application.aclose()

    def _loop_failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Without descriptors asyncio tries again after a second, and would log each of many failures until then."""
        if "socket.accept()" not in str(context.get("message")):
            loop.default_exception_handler(context)
            return
        if loop.time() - self._told_at > WINDOW_SECONDS:
            self._told_at = loop.time()
            log.error("No connection can be accepted: %s", context.get("exception"))
            self._census.shed(ACCEPT_AT_ONCE)


def run_server(settings: Settings) -> None:
    """Serve until stopped.

    Raises:
        Misconfigured: the address is reachable from outside and no token is set, or the application cannot be opened.
    """
    if not is_loopback(settings.host) and settings.token is None:
        raise Misconfigured(
            f"Binding to {settings.host} lets others in, and LOOPWRIGHT_TOKEN is not set.",
            hint="Set LOOPWRIGHT_TOKEN to a long random string, or bind to 127.0.0.1.",
        )
    settle_garbage_collector()
    app = create_app(settings)
    config = EdgeConfig(
        app,
        Census(limits_here()),
        host=settings.host,
        port=settings.port,
        lifespan="off",
        backlog=ACCEPT_AT_ONCE,
        log_level="info",
        timeout_graceful_shutdown=5,
        server_header=False,
    )
    keep_logs_small()
    with suppress(KeyboardInterrupt):  # how a server is stopped; it has shut down by then
        EdgeServer(config, app).run()

"""A host on loopback for tests of the client."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def on_loopback(address: str) -> bool:
    """The rule of a test's client: loopback instead of the open Internet."""
    return address in ("127.0.0.1", "::1")


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[int]:
    """Serve on 127.0.0.1 and give the port."""
    application = web.Application()
    application.router.add_route("*", "/{tail:.*}", handler)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()

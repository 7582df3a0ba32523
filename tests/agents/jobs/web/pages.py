"""A host on loopback that serves pages, for tests of what fetches them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def serving(pages: Mapping[str, web.Response | str]) -> AsyncIterator[tuple[str, list[str]]]:
    """Serve these pages; gives the host's address, and the list in which requested paths appear."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        page = pages.get(request.path)
        if page is None:
            raise web.HTTPNotFound
        if isinstance(page, str):
            return web.Response(text=page, content_type="text/html")
        body = page.body
        assert isinstance(body, bytes)
        headers = {name: value for name, value in page.headers.items() if name != "Content-Length"}
        return web.Response(body=body, status=page.status, headers=headers)

    application = web.Application()
    application.router.add_route("*", "/{tail:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", asked
    finally:
        await runner.cleanup()


def only_loopback(address: str) -> bool:
    """The address rule of these tests."""
    return address in ("127.0.0.1", "::1")

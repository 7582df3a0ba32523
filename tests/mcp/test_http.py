"""Servers at an address: headers go along, lost sessions are opened anew, refusals are told."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import util
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from loopwright.kernel.tool_servers import ToolServer
from loopwright.mcp_sdk.client import Connection, ServerGone, SignInNeeded
from tests.mcp.support import SHOP, app_with, finished, results

ERAS = pytest.mark.parametrize("mode", ["auto", "legacy"])


def new_shop(folder: Path) -> Any:
    """The shop as a module of its own, so that each test has one."""
    found = util.spec_from_file_location("shop_for_http", SHOP)
    assert found is not None
    assert found.loader is not None
    module = util.module_from_spec(found)
    sys.modules[found.name] = module  # the SDK looks types up by their module
    found.loader.exec_module(module)
    module.book = folder / "book"
    return module.shop


class Guard:
    """Lets in who brings the token, and notes what came."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self.seen: list[str] = []
        self.forget_sessions = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            self.seen.append(headers.get(b"authorization", b"").decode())
            lost = self.forget_sessions and b"mcp-session-id" in headers
            if lost or self.seen[-1] != "Bearer tea":
                self.forget_sessions = self.forget_sessions and not lost
                await send({"type": "http.response.start", "status": 404 if lost else 401, "headers": []})
                await send({"type": "http.response.body"})
                return
        await self.app(scope, receive, send)


@asynccontextmanager
async def shop_at_an_address(folder: Path) -> AsyncIterator[tuple[str, Guard]]:
    guard = Guard(new_shop(folder).streamable_http_app())
    server = uvicorn.Server(uvicorn.Config(guard, host="127.0.0.1", port=0, log_level="error", ws="none"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn tells it in no other way
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp", guard
    finally:
        server.should_exit = True
        await serving


async def test_an_agent_uses_a_server_at_an_address(tmp_path: Path) -> None:
    script = [[("shop__look", {"thing": "tea"})], [("shop__count", {})], "Done."]
    async with shop_at_an_address(tmp_path) as (url, guard):
        entry = {"url": url, "headers": {"Authorization": "Bearer tea"}}
        async with app_with(tmp_path, {"shop": entry}, script) as (app, _):
            looked, counted = await results(app, await finished(app))
    assert "tea: 3 €" in looked["output"]
    assert "three" in counted["output"]
    assert set(guard.seen) == {"Bearer tea"}


@ERAS
async def test_a_refusal_is_told(tmp_path: Path, mode: str) -> None:
    async with shop_at_an_address(tmp_path) as (url, _):
        connection = Connection(ToolServer(name="shop", url=url), mode=mode)
        with pytest.raises(SignInNeeded, match="shop"):
            await connection.tools()
        await connection.close()


async def test_a_session_that_the_server_has_lost_is_opened_anew(tmp_path: Path) -> None:
    """Even for a call that must not be repeated: a refused session has done nothing."""
    async with shop_at_an_address(tmp_path) as (url, guard):
        server = ToolServer(name="shop", url=url, headers={"Authorization": "Bearer tea"}, trust=True)
        connection = Connection(server, mode="legacy")
        try:
            await connection.tools()
            guard.forget_sessions = True
            with pytest.raises(ServerGone) as gone:
                await connection.call("send", {"thing": "tea"})
            assert not gone.value.sent
            assert not guard.forget_sessions
            await connection.call("send", {"thing": "tea"})
        finally:
            await connection.close()
    assert await asyncio.to_thread((tmp_path / "book").read_text, "utf-8") == "send tea\n"


@ERAS
async def test_calls_go_side_by_side(tmp_path: Path, mode: str) -> None:
    async with shop_at_an_address(tmp_path) as (url, _):
        server = ToolServer(name="shop", url=url, headers={"Authorization": "Bearer tea"})
        connection = Connection(server, mode=mode)
        try:
            await asyncio.gather(*(connection.call("much", {"characters": n}) for n in range(20)))
        finally:
            await connection.close()

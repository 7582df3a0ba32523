"""Signing in to a server at an address: against an authorization server on this machine that checks what it gets."""

import asyncio
import base64
import hashlib
import json
import secrets
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode

import click
import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from loopwright.kernel.errors import LoopwrightError, Misconfigured
from loopwright.kernel.tool_servers import ToolServer
from loopwright.mcp_sdk.client import Connection
from loopwright.mcp_sdk.signing_in import FOLDER, SignInNeeded, sign_in, stored_sign_in
from tests.mcp.support import app_with, finished, results
from tests.mcp.test_http import new_shop
from tests.support.application import journal_of
from tests.support.command_line import CommandLine


@dataclass
class Authorities:
    """The authorization server and, behind its tokens, the shop."""

    shop: Any
    base: str = ""
    clients: dict[str, dict[str, Any]] = field(default_factory=dict)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    valid: set[str] = field(default_factory=set)
    refresh: set[str] = field(default_factory=set)
    lives: int = 3_600
    refuses: bool = False
    granted: list[str] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"] == "/mcp":
            token = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
            if token not in self.valid:
                about = f'Bearer resource_metadata="{self.base}/.well-known/oauth-protected-resource/mcp"'
                await Response(status_code=401, headers={"WWW-Authenticate": about})(scope, receive, send)
                return
        if scope["type"] == "lifespan" or scope["path"] == "/mcp":
            await self.shop(scope, receive, send)
            return
        await self.routes(scope, receive, send)

    @property
    def routes(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/oauth-protected-resource/mcp", self.resource),
                Route("/.well-known/oauth-authorization-server", self.about),
                Route("/elsewhere/register", self.register, methods=["POST"]),
                Route("/elsewhere/authorize", self.authorize),
                Route("/elsewhere/token", self.token, methods=["POST"]),
            ]
        )

    async def resource(self, _request: Request) -> Response:
        return JSONResponse({"resource": f"{self.base}/mcp", "authorization_servers": [self.base]})

    async def about(self, _request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.base,
                "authorization_endpoint": f"{self.base}/elsewhere/authorize",
                "token_endpoint": f"{self.base}/elsewhere/token",
                "registration_endpoint": f"{self.base}/elsewhere/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
            }
        )

    async def register(self, request: Request) -> Response:
        client = {**await request.json(), "client_id": secrets.token_hex(4)}
        self.clients[client["client_id"]] = client
        return JSONResponse(client, status_code=201)

    async def authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        if asked["redirect_uri"] not in self.clients[asked["client_id"]]["redirect_uris"]:
            return Response(status_code=400)
        code = secrets.token_hex(4)
        self.codes[code] = asked
        brought = {"error": "access_denied"} if self.refuses else {"code": code}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode({**brought, 'state': asked['state']})}")

    async def token(self, request: Request) -> Response:
        asked = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        self.granted.append(asked["grant_type"])
        if asked["grant_type"] == "refresh_token":
            if asked["refresh_token"] not in self.refresh:
                return JSONResponse({"error": "invalid_grant"}, status_code=400)
        else:
            before = self.codes.pop(asked["code"])
            digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != before["code_challenge"]:
                return JSONResponse({"error": "invalid_grant"}, status_code=400)
        access, again = secrets.token_hex(8), secrets.token_hex(8)
        self.valid, self.refresh = {access}, {again}
        return JSONResponse(
            {"access_token": access, "token_type": "Bearer", "expires_in": self.lives, "refresh_token": again}
        )


@asynccontextmanager
async def authorities(folder: Path) -> AsyncIterator[Authorities]:
    found = Authorities(new_shop(folder).streamable_http_app())
    server = uvicorn.Server(uvicorn.Config(found, host="127.0.0.1", port=0, log_level="error", ws="none"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn tells it in no other way
        await asyncio.sleep(0.01)
    found.base = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield found
    finally:
        server.should_exit = True
        await serving


class Browser:
    """A user who opens what is shown, and what it leads to."""

    def __init__(self) -> None:
        self.said = ""
        self._opening: asyncio.Task[None] | None = None

    def open(self, url: str) -> None:
        self._opening = asyncio.create_task(self._open(url))

    async def _open(self, url: str) -> None:
        async with httpx.AsyncClient(follow_redirects=True) as client:
            self.said = (await client.get(url)).text

    async def closed(self) -> str:
        assert self._opening is not None
        await self._opening
        return self.said


async def test_a_run_has_the_token_of_a_sign_in(tmp_path: Path) -> None:
    home, browser = tmp_path / "home", Browser()
    async with authorities(tmp_path) as server:
        shop = ToolServer(name="shop", url=f"{server.base}/mcp")
        assert await sign_in(shop, home, browser.open) > 3
        assert await browser.closed() == "You are signed in. You can close this page."
        script = [[("shop__look", {"thing": "tea"})], "Done."]
        async with app_with(tmp_path, {"shop": {"url": shop.url}}, script) as (app, _):
            (looked,) = await results(app, await finished(app))
    assert "tea: 3 €" in looked["output"]
    assert server.granted == ["authorization_code"]
    file = home / FOLDER / "shop.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


async def test_a_token_that_has_ended_is_renewed_in_a_later_process(tmp_path: Path) -> None:
    """At the endpoint that the authorization server has named at the sign-in, without the user."""
    async with authorities(tmp_path) as server:
        shop = ToolServer(name="shop", url=f"{server.base}/mcp")
        file = tmp_path / FOLDER / "shop.json"
        await sign_in(shop, tmp_path, Browser().open)
        stored = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps({**stored, "expires_at": 1}), encoding="utf-8")
        server.valid = set()
        connection = Connection(shop, auth=stored_sign_in(shop, tmp_path))
        try:
            await connection.tools()
        finally:
            await connection.close()
        stored = json.loads(file.read_text(encoding="utf-8"))
    assert server.granted == ["authorization_code", "refresh_token"]
    assert stored["tokens"]["access_token"] in server.valid


async def test_a_run_never_opens_a_browser(tmp_path: Path) -> None:
    """A sign-in that was withdrawn is told, with the command that helps."""
    async with authorities(tmp_path) as server:
        shop = ToolServer(name="shop", url=f"{server.base}/mcp")
        await sign_in(shop, tmp_path, Browser().open)
        server.valid, server.refresh = set(), set()
        connection = Connection(shop, auth=stored_sign_in(shop, tmp_path))
        try:
            with pytest.raises(SignInNeeded) as needed:
                await connection.tools()
        finally:
            await connection.close()
    assert "loopwright mcp login shop" in needed.value.message


async def test_a_run_after_the_sign_in_has_the_tools_without_a_new_start(tmp_path: Path) -> None:
    """Before it the server is left out of the run, whose journal says why."""
    async with authorities(tmp_path) as server:
        shop = ToolServer(name="shop", url=f"{server.base}/mcp")
        script = ["Without.", [("shop__look", {"thing": "tea"})], "Done."]
        async with app_with(tmp_path, {"shop": {"url": shop.url}}, script) as (app, _):
            before = await finished(app)
            (listed,) = await journal_of(app, before.run_id, "server_tools_listed")
            await sign_in(shop, tmp_path / "home", Browser().open)
            (looked,) = await results(app, await finished(app))
    assert "loopwright mcp login shop" in json.dumps(listed.payload["left_out"])
    assert "tea: 3 €" in looked["output"]


async def test_a_sign_in_that_the_user_refuses_is_told_and_stores_no_token(tmp_path: Path) -> None:
    async with authorities(tmp_path) as server:
        server.refuses = True
        shop = ToolServer(name="shop", url=f"{server.base}/mcp")
        with pytest.raises(LoopwrightError, match="access_denied"):
            await sign_in(shop, tmp_path, Browser().open)
        assert stored_sign_in(shop, tmp_path) is None


async def test_a_token_is_not_sent_to_another_address(tmp_path: Path) -> None:
    async with authorities(tmp_path) as server:
        await sign_in(ToolServer(name="shop", url=f"{server.base}/mcp"), tmp_path, Browser().open)
        moved = ToolServer(name="shop", url=f"{server.base}/other")
        assert stored_sign_in(moved, tmp_path) is None
        with pytest.raises(Misconfigured, match="program"):
            await sign_in(ToolServer(name="time", command="time"), tmp_path, Browser().open)


def opened_beside(url: str) -> None:
    """A browser that is a program of its own: it opens the address while the command waits."""
    Thread(target=lambda: httpx.get(url, follow_redirects=True), daemon=True).start()


async def test_the_commands_sign_in_and_forget_it(
    tmp_path: Path, loopwright_command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the server named as in `mcp.json`; what was given is there for runs after it, and gone after `logout`."""
    monkeypatch.setattr(click, "launch", opened_beside)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    async with authorities(tmp_path) as server:
        entry = {"shop": {"url": f"{server.base}/mcp"}}
        (home / "mcp.json").write_text(json.dumps({"mcpServers": entry}), encoding="utf-8")
        shop = ToolServer(name="shop", url=f"{server.base}/mcp")
        shut = await asyncio.to_thread(loopwright_command, "mcp", "tools", code=4)
        assert "loopwright mcp login shop" in shut.out
        told = await asyncio.to_thread(loopwright_command, "mcp", "login", "shop")
        assert f"Open this address to agree:\n  {server.base}/elsewhere/authorize?" in told.out
        assert "Signed in to shop: " in told.out
        assert stored_sign_in(shop, home) is not None
        listed = await asyncio.to_thread(loopwright_command, "mcp", "tools")
        assert "shop__look" in listed.out
        forgotten = await asyncio.to_thread(loopwright_command, "mcp", "logout", "shop")
        assert forgotten.out == "The sign-in to shop is forgotten.\n"
        assert stored_sign_in(shop, home) is None
        assert await asyncio.to_thread(loopwright_command, "mcp", "tools", code=4)


async def test_without_a_browser_the_address_is_only_shown(
    tmp_path: Path, loopwright_command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who opens it by hand, with whatever browser, is signed in as well."""
    launched: list[str] = []
    monkeypatch.setattr(click, "launch", launched.append)
    monkeypatch.setattr("loopwright.cli.serve.printable", lambda url: opened_beside(url) or url)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    async with authorities(tmp_path) as server:
        entry = {"shop": {"url": f"{server.base}/mcp"}}
        (home / "mcp.json").write_text(json.dumps({"mcpServers": entry}), encoding="utf-8")
        told = await asyncio.to_thread(loopwright_command, "mcp", "login", "shop", "--no-browser")
        assert "Signed in to shop: " in told.out
        assert not launched
        unknown = await asyncio.to_thread(loopwright_command, "mcp", "login", "nowhere", code=2)
        assert "nowhere" in unknown.err

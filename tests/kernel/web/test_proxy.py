"""Programs with a client of their own reach allowed addresses only, through a proxy that asks the same rule."""

import asyncio
import socket
from base64 import b64encode
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from loopwright.kernel.web.addresses import AddressRule, is_public
from loopwright.kernel.web.proxy import guarded_proxy
from tests.kernel.web.hosts import on_loopback, serving


async def ask(proxy: str, request: bytes, *, password: str | None = None) -> tuple[bytes, bytes]:
    """The proxy's status line, and what comes after its head."""
    parts = urlsplit(proxy)
    secret = b64encode(f"{parts.username}:{password or parts.password}".encode())
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    head, _, rest = request.partition(b"\r\n\r\n")
    writer.write(head + b"\r\nProxy-Authorization: Basic " + secret + b"\r\n\r\n")
    try:
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        writer.write(rest)
        body = await asyncio.wait_for(reader.read(), 5) if b" 200 " in answer else b""
    finally:
        writer.close()
        await writer.wait_closed()
    return answer.split(b"\r\n")[0], body


async def hello(request: web.Request) -> web.StreamResponse:
    return web.Response(text="hello", headers={"Connection": "close"})


async def test_an_allowed_host_is_connected_to() -> None:
    async with serving(hello) as port, guarded_proxy(on_loopback) as proxy:
        tunnel = f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\n\r\n".encode()
        status, body = await ask(proxy, tunnel)
    assert status.split()[1] == b"200"
    assert body.endswith(b"hello")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "127.1", "a@127.0.0.1", "10.0.0.1"])
async def test_nothing_else_is(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.setblocking(False)
        async with guarded_proxy(is_public) as proxy:
            status, _ = await ask(proxy, f"CONNECT {host}:{trap.getsockname()[1]} HTTP/1.1\r\n\r\n".encode())
        assert status.split()[1] == b"403"
        with pytest.raises(BlockingIOError):
            trap.accept()


@pytest.mark.parametrize("line", [b"GET http://example.org/ HTTP/1.1", b"", b"CONNECT", b"\xff\xff \xff \xff"])
async def test_it_does_nothing_but_tunnels(line: bytes) -> None:
    async with guarded_proxy(on_loopback) as proxy:
        assert (await ask(proxy, line + b"\r\n\r\n"))[0].split()[1] == b"405"


async def test_it_serves_nobody_else() -> None:
    """Another program of this machine does not know the password."""
    async with serving(hello) as port, guarded_proxy(on_loopback) as proxy:
        request = f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode()
        assert (await ask(proxy, request, password="guess"))[0].split()[1] == b"407"


async def test_it_ends_with_its_block() -> None:
    async with guarded_proxy(on_loopback) as proxy:
        port = urlsplit(proxy).port
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        await asyncio.open_connection("127.0.0.1", port)


@pytest.mark.parametrize(("rule", "hosts"), [(is_public, 0), (on_loopback, 1)])
async def test_the_search_library_goes_through_it(
    rule: AddressRule, hosts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its client is native code: what it does can only be seen from outside, whatever the environment says."""
    client: Any = pytest.importorskip("ddgs.http_client")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "*")
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.settimeout(0.5)
        port = trap.getsockname()[1]
        async with guarded_proxy(rule) as proxy:
            one = client.HttpClient(proxy=proxy, timeout=1)
            with pytest.raises(client.DDGSException):
                await asyncio.to_thread(one.get, f"https://127.0.0.1:{port}/")
            assert (await asyncio.to_thread(one.get, f"http://127.0.0.1:{port}/")).status_code == 405
        heard = 0
        while True:
            try:
                trap.accept()[0].close()
            except TimeoutError:
                break
            heard += 1
        assert heard == hosts, "only the tunnel that the rule allows"

"""Images come from uploads, data URLs and public hosts; everything else is refused with the reason."""

import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from loopwright.agents.pages.style import tokens as sources
from loopwright.agents.pages.tools.design import ExtractStyle
from loopwright.kernel.tools import ToolRegistry
from loopwright.kernel.web import fetching
from tests.agents.pages.studio import Studio
from tests.agents.pages.style.pictures import data_url, flat, poster

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LOOPBACK_ALLOWED = ToolRegistry([ExtractStyle(lambda address: address in ("127.0.0.1", "::1"))])


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """A host on loopback; gives its address with the port."""
    application = web.Application()
    application.router.add_route("*", "/{tail:.*}", handler)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await runner.cleanup()


async def test_a_data_url(studio: Studio) -> None:
    result = await studio.call("extract_style", {"image_url": data_url(poster())})
    assert result.success
    assert result.artifacts == json.loads(result.output)
    assert (result.artifacts or {})["style_tokens"]["mode"] == "dark"


async def test_an_upload(studio: Studio) -> None:
    (studio.folder / "uploads").mkdir()
    (studio.folder / "uploads" / "look.png").write_bytes(poster())
    result = await studio.call("extract_style", {"image_url": "uploads/look.png"})
    assert result.success


@pytest.mark.parametrize(
    "name",
    [
        "uploads/none.png",
        "uploads/a\0.png",
        "uploads/" + "x" * 300,
        "uploads/../secret.png",
        "../secret.png",
        "/etc/passwd",
        "secret.png",
    ],
)
async def test_nothing_outside_the_uploads(studio: Studio, name: str) -> None:
    (studio.folder / "uploads").mkdir()
    (studio.folder / "secret.png").write_bytes(poster())
    (studio.folder.parent / "secret.png").write_bytes(poster())
    result = await studio.call("extract_style", {"image_url": name})
    assert "There is no image" in (result.error or "")


async def test_a_link_in_the_uploads_leads_nowhere(studio: Studio) -> None:
    (studio.folder / "uploads").mkdir()
    (studio.folder / "secret.png").write_bytes(poster())
    (studio.folder / "uploads" / "link.png").symlink_to(studio.folder / "secret.png")
    result = await studio.call("extract_style", {"image_url": "uploads/link.png"})
    assert not result.success


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("data:text/html,<p>", "not one of an image"),
        ("data:image/png;base64,@@@", "base64"),
        ("data:image/png;base64,bm8gaW1hZ2U=", "not an image that can be opened"),
        ("ftp://example.org/a.png", "There is no image"),
        ("file:///etc/passwd", "There is no image"),
        ("http://", "no web address"),
    ],
)
async def test_what_is_no_image(studio: Studio, url: str, said: str) -> None:
    result = await studio.call("extract_style", {"image_url": url})
    assert not result.success
    assert said in (result.error or "")


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "10.0.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "[::ffff:127.0.0.1]",
        "192.168.0.1:8080",
    ],
)
async def test_private_hosts_are_never_called(studio: Studio, host: str) -> None:
    result = await studio.call("extract_style", {"image_url": f"http://{host}/a.png"})
    assert "not a public host" in (result.error or "")


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1"]])
async def test_a_name_is_judged_by_what_it_resolves_to(
    studio: Studio, monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    def resolve(host: str, port: int, *more: Any, **options: Any) -> list[Any]:
        kind = [socket.AF_INET6 if ":" in address else socket.AF_INET for address in addresses]
        return [(k, socket.SOCK_STREAM, 6, "", (address, port)) for k, address in zip(kind, addresses, strict=True)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    result = await studio.call("extract_style", {"image_url": "http://images.example.org/a.png"})
    assert "images.example.org is not a public host" in (result.error or "")


@pytest.mark.parametrize("host", ["0x7f.1", "2130706433", "１２７.0.0.1"])
async def test_a_number_is_judged_however_it_is_written(studio: Studio, host: str) -> None:
    result = await studio.call("extract_style", {"image_url": f"http://{host}/a.png"})
    assert "127.0.0.1 is not a public host" in (result.error or "")


async def _poster(request: web.Request) -> web.StreamResponse:
    return web.Response(body=poster(), content_type="image/png")


async def test_an_image_over_http(studio: Studio) -> None:
    async with serving(_poster) as host:
        result = await studio.call("extract_style", {"image_url": f"http://{host}/a.png"}, registry=LOOPBACK_ALLOWED)
    assert result.success, result.error


async def test_redirects_are_followed_as_far_as_they_are_allowed(studio: Studio) -> None:
    async def redirect(request: web.Request) -> web.StreamResponse:
        steps = int(request.path.strip("/"))
        if steps:
            raise web.HTTPFound(f"/{steps - 1}")
        return await _poster(request)

    async with serving(redirect) as host:
        near = await studio.call("extract_style", {"image_url": f"http://{host}/3"}, registry=LOOPBACK_ALLOWED)
        far = await studio.call("extract_style", {"image_url": f"http://{host}/4"}, registry=LOOPBACK_ALLOWED)
    assert near.success, near.error
    assert "more than 3 redirects" in (far.error or "")


@pytest.mark.parametrize(
    "target", ["http://10.0.0.1/a.png", "http://[::ffff:10.0.0.1]/", "file:///etc/passwd", "ftp://a/b"]
)
async def test_a_redirect_leads_to_no_private_host(studio: Studio, target: str) -> None:
    async def redirect(request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": target})

    async with serving(redirect) as host:
        result = await studio.call("extract_style", {"image_url": f"http://{host}/"}, registry=LOOPBACK_ALLOWED)
    assert not result.success
    assert "not a public host" in (result.error or "") or "http and https only" in (result.error or "")


async def test_answers_that_are_no_image(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 5_000)

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/gone":
            raise web.HTTPNotFound
        if request.path == "/html":
            return web.Response(text="<p>", content_type="text/html")
        if request.path == "/broken":
            return web.Response(body=b"x" * 100, content_type="image/png")
        return web.Response(body=b"x" * 6_000, content_type="image/png")

    said = {
        "gone": "answered 404",
        "html": "answered with text/html",
        "broken": "cannot|can be opened",
        "big": "larger than",
    }
    async with serving(answer) as host:
        for path, words in said.items():
            result = await studio.call(
                "extract_style", {"image_url": f"http://{host}/{path}"}, registry=LOOPBACK_ALLOWED
            )
            assert any(word in (result.error or "") for word in words.split("|")), result.error


async def test_a_host_that_never_answers(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.setattr(fetching, "FETCH_SECONDS", 0.2)
    released = asyncio.Event()

    async def hang(request: web.Request) -> web.StreamResponse:
        await released.wait()
        return web.Response()

    async with serving(hang) as host:
        result = await studio.call("extract_style", {"image_url": f"http://{host}/"}, registry=LOOPBACK_ALLOWED)
        released.set()
    assert "within 0.2 seconds" in (result.error or "")


async def test_nobody_listens(studio: Studio) -> None:
    async with serving(_poster) as host:
        pass
    result = await studio.call("extract_style", {"image_url": f"http://{host}/"}, registry=LOOPBACK_ALLOWED)
    assert "could not be fetched" in (result.error or "")


async def test_large_files_are_refused_before_they_are_opened(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 50)
    (studio.folder / "uploads").mkdir()
    (studio.folder / "uploads" / "a.png").write_bytes(flat("red"))
    for source in ("uploads/a.png", data_url(flat("red"))):
        assert "larger than" in ((await studio.call("extract_style", {"image_url": source})).error or "")

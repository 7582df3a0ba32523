"""The client connects to judged addresses only, however a host is written, and after every redirect."""

import asyncio
import gzip
import socket
import time
import zlib
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.web import fetching
from loopwright.kernel.web.addresses import is_public
from loopwright.kernel.web.fetching import Wanted, fetch
from tests.kernel.web.hosts import on_loopback, serving

TEXT = Wanted("page", ("text/",), 100_000)

LOOPBACK_HOSTS = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST.",
    "１２７.0.0.1",
    "①②⑦.⓪.⓪.①",
    "127。0．0｡1",
    "127.1",
    "127.0.1",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "0x7F000001",
    "2130706433",
    "017700000001",
    "127.0.0.1.",
    "0",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::80ff:fffe]",
    "[fe80::1%25lo]",
    "[fec0::1]",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "user@127.0.0.1",
    "example.org:80@127.0.0.1",
    "example.org\\@127.0.0.1",
    "%31%32%37.0.0.1",
    "127.0.0.1\x00.example.org",
    "127.0.0.1\t",
    "169.254.169.254",
    "168.63.129.16",
]


class Watched:
    """Every address that the event loop is asked to connect to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.connected: list[Any] = []
        loop = asyncio.get_running_loop()

        async def sock_connect(sock: socket.socket, address: Any) -> None:
            self.connected.append(address)
            raise OSError("no connection leaves a test")

        monkeypatch.setattr(loop, "sock_connect", sock_connect)


@pytest.mark.parametrize("host", LOOPBACK_HOSTS)
@pytest.mark.parametrize("port", ["", ":8080"])
async def test_nothing_connects_inwards(host: str, port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    with pytest.raises(InvalidInput):
        await fetch(f"http://{host}{port}/", TEXT, is_public)
    assert watched.connected == []


@pytest.mark.parametrize("target", [host for host in LOOPBACK_HOSTS if host.isprintable()])
async def test_nor_after_a_redirect(target: str) -> None:
    """The first host may be asked; the one that it names is judged anew, and nobody knocks there."""
    asked = 0

    async def answer(request: web.Request) -> web.StreamResponse:
        nonlocal asked
        asked += 1
        return web.Response(status=302, headers={"Location": f"http://{target}:{trap.getsockname()[1]}/"})

    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.setblocking(False)
        async with serving(answer) as port:
            with pytest.raises(InvalidInput):
                await fetch(f"http://127.0.0.1:{port}/", TEXT, lambda address: asked == 0 and on_loopback(address))
        assert asked == 1
        with pytest.raises(BlockingIOError):
            trap.accept()


async def test_a_name_that_changes_its_mind_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the second answer would be loopback, and is never used."""
    answers = iter(["93.184.215.14", "127.0.0.1", "127.0.0.1"])
    watched = Watched(monkeypatch)

    def resolve(host: str, port: int, *more: Any, **options: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(InvalidInput, match="could not be fetched"):
        await fetch("http://rebinding.example.org/", TEXT, is_public)
    assert watched.connected == [("93.184.215.14", 80)]


async def test_the_address_is_judged_again_where_it_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were judging before broken, the last step would still refuse: both ask the same rule about the same address."""
    watched = Watched(monkeypatch)
    monkeypatch.setattr(fetching, "check_address", lambda *_: None)
    with pytest.raises(InvalidInput):
        await fetch("http://127.0.0.1/", TEXT, is_public)
    assert watched.connected == []


async def test_numbers_are_connected_to_as_they_were_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    for host in ("8.8.8.8", "８.8。8.8", "134744072", "0x8.8.2056", "010.8.8.8"):
        with pytest.raises(InvalidInput, match="could not be fetched"):
            await fetch(f"http://{host}/", TEXT, is_public)
    assert watched.connected == [("8.8.8.8", 80)] * 5


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with pytest.raises(InvalidInput):
        await fetch("http://8.8.8.8/", TEXT, is_public)
    assert watched.connected == [("8.8.8.8", 80)]


@given(st.text(max_size=40), st.sampled_from(["http://{}/", "http://8.8.8.8@{}", "https://{}:80/", "http://{}.1/"]))
@settings(max_examples=300, deadline=None)
def test_any_text_is_an_address_or_refused(text: str, form: str) -> None:
    """Nothing but InvalidInput comes out, and nothing private is resolved to."""
    try:
        target = fetching.parse_target(form.format(text))
    except InvalidInput:
        return
    assert target.host.isascii()
    assert target.url.count("@", 0, target.url.index("/", 8)) == 0
    assert fetching.parse_target(target.url) == target, "parsing again changes nothing"


@pytest.mark.parametrize(
    "url",
    [
        "http://exa mple.org/",
        "http://example.org:99999/",
        "http://example.org:0/",
        "http://example.org:22/",
        "http://example.org:６６/",
        "http://example.org:-1/",
        "http://exam\u200dple..org/",
        "http:///path",
        "http://[::1/",
        "http://[::1]x/",
        "http://[8.8.8.8]/",
        "http://" + "a" * 300 + "/",
        "http://1.2.3.4.5/",
        "http://256.1.1.1/",
        "http://1.2.3.08/",
        "http://a.b.0x/",
        "http://example.org/" + "a" * 9_000,
        "http://example.org/\ud800",
        "gopher://example.org/",
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(InvalidInput):
        fetching.parse_target(url)


def test_what_is_one() -> None:
    assert fetching.parse_target("HTTPS://Bücher.Example:443/a b?q=ü#x").url == (
        "https://xn--bcher-kva.example/a%20b?q=%C3%BC"
    )
    assert fetching.parse_target("http://[2606:4700:0::1111]:8080").url == "http://[2606:4700::1111]:8080/"


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_packed_answers_are_unpacked_up_to_the_limit(name: str, pack: Any) -> None:
    bodies = {"/good": b"hello " * 100, "/bomb": b"\0" * 50_000_000}

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(
            body=pack(bodies[request.path]), content_type="text/plain", headers={"Content-Encoding": name}
        )

    async with serving(answer) as port:
        assert (await fetch(f"http://127.0.0.1:{port}/good", TEXT, on_loopback)).data == bodies["/good"]
        with pytest.raises(InvalidInput, match="larger than"):
            await fetch(f"http://127.0.0.1:{port}/bomb", TEXT, on_loopback)


@pytest.mark.parametrize("name", ["br", "zstd", "gzip, gzip", "nonsense"])
async def test_other_packings_are_refused(name: str) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"x", content_type="text/plain", headers={"Content-Encoding": name})

    async with serving(answer) as port:
        with pytest.raises(InvalidInput, match="packed"):
            await fetch(f"http://127.0.0.1:{port}/", TEXT, on_loopback)


@pytest.mark.parametrize("body", [b"not gzip at all", gzip.compress(b"x" * 1000, mtime=0)[:-12]])
async def test_a_broken_packing_is_told(body: bytes) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(body=body, content_type="text/plain", headers={"Content-Encoding": "gzip"})

    async with serving(answer) as port:
        with pytest.raises(InvalidInput, match="packed"):
            await fetch(f"http://127.0.0.1:{port}/", TEXT, on_loopback)


async def test_the_time_limit_is_of_the_whole_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each redirect comes just in time; together they do not."""
    monkeypatch.setattr(fetching, "FETCH_SECONDS", 0.5)

    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.3)
        return web.Response(status=302, headers={"Location": request.path + "x"})

    began = time.monotonic()
    async with serving(answer) as port:
        with pytest.raises(InvalidInput, match=r"within 0\.5 seconds"):
            await fetch(f"http://127.0.0.1:{port}/", TEXT, on_loopback)
        assert time.monotonic() - began < 0.9

"""The network and its substitutes: proxies, certificates, pools, and an application in place of a server."""

import asyncio
import gc
import re
import shutil
import ssl
import subprocess
from base64 import b64encode
from contextlib import asynccontextmanager, suppress

import pytest

from loopwright.kernel.errors import Misconfigured, ModelRejected, ModelUnavailable
from loopwright.models.client import OpenAIClient
from loopwright.models.retry import AttemptFailed, redact
from loopwright.models.settings import ModelSettings
from loopwright.models.transport import AsgiTransport
from loopwright.models.transport.http import HttpTransport, proxy_for
from tests.models.conftest import KEY, PatientClock
from tests.support import model_server as server
from tests.support.model_server import ModelServer

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture
def proxies(monkeypatch):
    """Sets the proxy variables, after clearing those of the machine."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return lambda **given: [monkeypatch.setenv(name, value) for name, value in given.items()]


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({}, None),
        ({"https_proxy": "http://proxy.example:3128"}, "http://proxy.example:3128"),
        ({"HTTPS_PROXY": "proxy.example:3128"}, "http://proxy.example:3128"),
        ({"http_proxy": "http://proxy.example:3128"}, None),
        ({"all_proxy": "http://proxy.example:3128"}, "http://proxy.example:3128"),
        ({"https_proxy": "http://proxy.example:3128", "no_proxy": "api.openai.com"}, None),
        ({"https_proxy": "http://proxy.example:3128", "no_proxy": ".openai.com,other"}, None),
        ({"https_proxy": "http://proxy.example:3128", "no_proxy": "other.com"}, "http://proxy.example:3128"),
        ({"https_proxy": "http://proxy.example:3128", "no_proxy": "*"}, None),
    ],
)
def test_the_usual_variables_are_obeyed(proxies, given, url):
    proxies(**given)
    proxy = proxy_for("https://api.openai.com/v1/chat/completions")
    assert (proxy.url if proxy else None) == url


def test_a_proxys_password_travels_in_a_header(proxies):
    proxies(https_proxy="http://user:p%40ss@proxy.example:3128")
    proxy = proxy_for("https://api.openai.com/v1")
    assert proxy is not None
    assert proxy.url == "http://proxy.example:3128"
    assert proxy.headers == {"Proxy-Authorization": f"Basic {b64encode(b'user:p@ss').decode()}"}
    assert "p@ss" not in repr(proxy)


def test_a_proxy_of_another_kind_is_told(proxies):
    proxies(all_proxy="socks5://proxy.example:1080")
    with pytest.raises(Misconfigured, match="socks5"):
        proxy_for("https://api.openai.com/v1")


async def test_requests_go_through_the_proxy(proxies, request_):
    async with ModelServer([server.text("through the proxy")]) as proxy:
        proxies(http_proxy=proxy.base_url.removesuffix("/v1").replace("http://", "http://me:secret@"))
        async with OpenAIClient(ModelSettings(base_url="http://model.example/v1", api_key=KEY)) as client:
            assert (await client.complete(request_)).text == "through the proxy"
    (sent,) = proxy.requests
    assert sent.path == "http://model.example/v1/chat/completions"
    assert sent.headers["host"] == "model.example"
    assert sent.headers["proxy-authorization"] == f"Basic {b64encode(b'me:secret').decode()}"


async def test_proxies_can_be_left_alone(proxies, request_):
    proxies(http_proxy="http://127.0.0.1:9")
    async with (
        ModelServer([server.text("direct")]) as direct,
        OpenAIClient(ModelSettings(base_url=direct.base_url, proxies=False)) as client,
    ):
        assert (await client.complete(request_)).text == "direct"


@pytest.mark.parametrize(("code", "error"), [(407, ModelRejected), (502, ModelUnavailable)])
async def test_https_goes_through_a_tunnel(proxies, request_, code, error):
    async with ModelServer([server.status(code)] * 3) as proxy:
        proxies(https_proxy=proxy.base_url.removesuffix("/v1").replace("http://", "http://me:secret@"))
        settings = ModelSettings(base_url="https://model.example/v1", api_key=KEY, attempts=2)
        async with OpenAIClient(settings, clock=PatientClock().clock()) as client:
            with pytest.raises(error, match=f"proxy answered {code}"):
                await client.complete(request_)
    assert proxy.requests[0].path == "model.example:443"
    assert proxy.requests[0].headers["proxy-authorization"] == f"Basic {b64encode(b'me:secret').decode()}"
    assert "authorization" not in proxy.requests[0].headers


@pytest.fixture
def unsigned(tmp_path):
    """The TLS context of a server whose certificate nobody signed."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    key, cert = str(tmp_path / "key.pem"), str(tmp_path / "cert.pem")
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-keyout", key, "-out", cert]
    subprocess.run([*new, *subject], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context


async def test_a_certificate_that_nobody_signed_is_refused(unsigned, request_):
    async def never(reader, writer):
        writer.close()

    tls = await asyncio.start_server(never, "127.0.0.1", 0, ssl=unsigned)
    settings = ModelSettings(base_url=f"https://localhost:{tls.sockets[0].getsockname()[1]}/v1", api_key=KEY)
    async with OpenAIClient(settings, clock=PatientClock().clock()) as client:
        with pytest.raises(ModelRejected, match="certificate of localhost is not trusted") as caught:
            await client.complete(request_)
    assert "SSL_CERT_FILE" in caught.value.hint
    tls.close()


async def test_a_tunnel_carries_tls_to_the_endpoint(proxies, unsigned, tmp_path, monkeypatch, request_):
    """The proxy sees the host alone; the connection is kept, and an authority of the user's own is believed."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    asked, serving = [], []

    async def endpoint(reader, writer):
        serving.append(asyncio.current_task())
        for _ in range(2):
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(re.search(rb"content-length: (\d+)", head.lower())[1]))
            asked.append(head.split(b"\r\n")[0])
            body = server.completion({"content": "through the tunnel"}, "stop")
            writer.write(server.head(200, {"Content-Length": str(len(body)), "X": "1"}) + body)
        await reader.read()
        writer.transport.abort()

    async def proxy(reader, writer):
        serving.append(asyncio.current_task())
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        there = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")

        async def pump(source, target):
            while piece := await source.read(65_536):
                target.write(piece)
            target.transport.abort()

        await asyncio.gather(pump(reader, there[1]), pump(there[0], writer), return_exceptions=True)
        there[1].transport.abort()
        writer.transport.abort()

    async with (
        await asyncio.start_server(endpoint, "127.0.0.1", 0, ssl=unsigned) as tls,
        await asyncio.start_server(proxy, "127.0.0.1", 0) as tunnel,
    ):
        port = tls.sockets[0].getsockname()[1]
        proxies(https_proxy=f"http://127.0.0.1:{tunnel.sockets[0].getsockname()[1]}")
        async with OpenAIClient(ModelSettings(base_url=f"https://localhost:{port}/v1", api_key=KEY)) as client:
            for _ in range(2):
                assert (await client.complete(request_)).text == "through the tunnel"
        await asyncio.wait(serving, timeout=10)
    assert asked == [f"CONNECT localhost:{port} HTTP/1.1".encode(), *[b"POST /v1/chat/completions HTTP/1.1"] * 2]


async def test_an_answer_that_comes_before_a_large_body_was_read_is_heard(request_):
    """As a server does that refuses what is too large: it reads a little, answers, and reads on."""
    serving = []

    async def refuse(reader, writer):
        serving.append(asyncio.current_task())
        await reader.readuntil(b"\r\n\r\n")
        writer.write(server.head(413, {"Content-Length": "0"}))
        await writer.drain()
        with suppress(ConnectionResetError):
            await reader.read()
        writer.transport.abort()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as there:
        transport = HttpTransport(proxies=False)
        url = f"http://127.0.0.1:{there.sockets[0].getsockname()[1]}/"
        reply = await transport.post(url, b"x" * 16_000_000, {})
        assert (reply.status, await reply.next_chunk()) == (413, b"")
        await reply.close()
        await transport.aclose()
        await asyncio.wait(serving, timeout=10)


async def test_a_key_that_no_header_can_carry_is_told(request_):
    async with (
        ModelServer([]) as there,
        OpenAIClient(ModelSettings(base_url=there.base_url, api_key="two\nlines")) as client,
    ):
        with pytest.raises(ModelRejected, match="cannot be sent"):
            await client.complete(request_)


@pytest.mark.parametrize("url", ["not a url", "http://", "http://[::1/v1", "ftp://x/v1", "http://a:b:c"])
def test_an_address_that_is_none_is_told(url):
    with pytest.raises(Misconfigured, match="not the address of an endpoint"):
        OpenAIClient(ModelSettings(base_url=url))


async def test_closing_leaves_nothing_open_and_the_client_usable(request_):
    async with ModelServer([server.text("a"), server.text("b")]) as there:
        client = OpenAIClient(ModelSettings(base_url=there.base_url))
        await client.complete(request_)
        await client.aclose()
        await client.complete(request_)
        await client.aclose()
        await client.aclose()
        gc.collect()  # an open session would warn here, and a warning fails the test
        assert there.connections == 2


async def test_cancelling_at_any_moment_leaves_no_socket_open(request_):
    async with ModelServer([server.text("a")] * 20) as there:
        for moments in range(20):
            client = OpenAIClient(ModelSettings(base_url=there.base_url))
            asking = asyncio.create_task(client.complete(request_))
            for _ in range(moments):
                await asyncio.sleep(0)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            await client.aclose()
        await asyncio.sleep(0.01)
        del asking
        gc.collect()  # an open socket would warn here, and a warning fails the test


def test_each_event_loop_has_its_own_pool(request_):
    transport = HttpTransport()

    async def ask():
        async with ModelServer([server.text("a")]) as there:
            client = OpenAIClient(ModelSettings(base_url=there.base_url), transport)
            assert (await client.complete(request_)).text == "a"
            await client.aclose()

    for _ in range(2):
        asyncio.run(ask())


def test_keys_are_not_repeated():
    assert redact(f"no: {KEY}", KEY) == "no: ***"
    assert redact("Incorrect API key provided: sk-proj-ab*****xyz.", None) == "Incorrect API key provided: ***"
    assert redact("Authorization: Bearer abc.def", None) == "Authorization: Bearer ***"
    assert redact("a task-related ask", None) == "a task-related ask"
    assert KEY not in repr(ModelSettings(api_key=KEY, headers={"x": KEY}))


@asynccontextmanager
async def reached(app):
    reply = await AsgiTransport(app).post("http://here/v1/chat/completions?x=1", b"{}", {"A": "b"})
    yield reply
    await reply.close()


async def read(reply):
    pieces = []
    while piece := await reply.next_chunk():
        pieces.append(piece)
    return pieces


async def test_an_application_is_read_piece_by_piece():
    go_on = asyncio.Event()

    async def app(scope, receive, send):
        assert scope["path"] == "/v1/chat/completions"
        assert scope["query_string"] == b"x=1"
        assert (b"a", b"b") in scope["headers"]
        assert (await receive())["body"] == b"{}"
        await send({"type": "http.response.start", "status": 201, "headers": [(b"X-One", b"1")]})
        await send({"type": "http.response.body", "body": b"first", "more_body": True})
        await go_on.wait()
        await send({"type": "http.response.body", "body": b"second"})

    async with reached(app) as reply:
        assert (reply.status, reply.headers) == (201, {"x-one": "1"})
        assert await reply.next_chunk() == b"first"
        go_on.set()
        assert await read(reply) == [b"second"]


async def test_an_application_is_stopped_when_nobody_listens():
    stopped = asyncio.Event()

    async def app(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            await receive()
        finally:
            stopped.set()

    async with reached(app):
        await asyncio.sleep(0)
    assert stopped.is_set()


@pytest.mark.parametrize("begun", [False, True])
async def test_an_application_that_breaks_is_a_broken_connection(begun):
    async def app(scope, receive, send):
        if begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"first", "more_body": True})
        raise ZeroDivisionError("oh")

    with pytest.raises(AttemptFailed, match="oh"):
        async with reached(app) as reply:
            await read(reply)

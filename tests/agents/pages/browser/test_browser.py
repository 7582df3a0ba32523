"""The browser: pages from memory, used as a person would, and nothing reached beyond them."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from loopwright.agents.pages.browser import (
    ActionFailed,
    Browser,
    BrowserFailed,
    BrowserUnavailable,
    open_browser,
    project_files,
)
from loopwright.agents.pages.browser import browser as executable
from loopwright.agents.pages.browser.rendering import RENDERED_RULES, findings_of, render_pages
from tests.support.browser import find_chromium
from tests.support.shared_browser import shared_browser

HEAD = (
    '<!doctype html><html lang="en"><title>T</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<style>html{scrollbar-width:none}body{margin:0 auto;max-width:430px}button,a{display:block;min-height:44px}"
    "</style><h1>A shop of the town</h1><p>Enough words to be no blank page.</p>"
)
SHOP = """<button id="add" onclick="const n = 1 + Number(localStorage.cart || 0); localStorage.cart = n;
document.querySelector('#count').textContent = n">Add</button> <b id="count">0</b>
<input id="name" aria-label="Name" oninput="document.querySelector('#hello').textContent = 'Hello ' + this.value">
<select id="size" aria-label="Size" onchange="this.title = this.value"><option>S</option><option>L</option></select>
<i id="hello"></i><a id="cart" href="cart.html?from=shop">Cart</a>"""
CART = "<output></output><script>document.querySelector('output').value = localStorage.cart + ' in the cart'</script>"
FILES = project_files({"index": HEAD + SHOP, "cart": HEAD + CART}, "b { color: rgb(1, 2, 3) }")

BAR = """<div style="height:2000px"></div><a href="#">Terms</a>
<nav style="position:fixed;inset:auto 0 0;height:90px;background:tan">bar</nav>"""
WIDE = """<style>body{max-width:none}h1{width:900px}@media(max-width:430px){h1{width:auto}}</style>
<p style="text-align:right">far right</p>"""

pytestmark = pytest.mark.browser


async def problems(body: str, head: str = HEAD) -> list[str]:
    measured = await shared_browser().measure({"index.html": head + body}, "index.html")
    return [issue.rule for issue in findings_of(measured)]


async def test_the_browser_is_told_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-the-browser")
    before = set(_environments_of_browsers())
    async with open_browser() as browser, browser.page(FILES, "pages/index.html"):
        told = [said for process, said in _environments_of_browsers().items() if process not in before]
    assert told
    assert not [said for said in told if b"sk-not-for-the-browser" in said]


def _environments_of_browsers() -> dict[str, bytes]:
    """The environment of each browser that runs, by the number of its process."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it may end meanwhile
            if b"--headless" in (process / "cmdline").read_bytes():
                found[process.name] = (process / "environ").read_bytes()
    return found


async def test_a_page_is_used_as_a_person_would() -> None:
    async with shared_browser().page(FILES, "pages/index.html") as page:
        await page.click("#add")
        await page.click("#add")
        assert (await page.text("#count"), await page.storage("cart")) == ("2", "2")
        await page.fill("#name", "Ada")
        await page.select("#size", "L")
        assert (await page.text("#hello"), await page.attribute("#size", "title")) == ("Hello Ada", "L")
        await page.click("#cart")
        assert page.url() == "pages/cart.html?from=shop"
        assert await page.evaluate("() => document.querySelector('output').value") == "2 in the cart"
        assert await page.exists("output")
        assert not await page.exists("#add")
        assert (await page.screenshot()).startswith(b"\x89PNG")
    async with shared_browser().page(FILES, "pages/index.html") as page:
        assert await page.storage_keys() == [], "each page begins with empty storage"


@pytest.mark.parametrize(("selector", "said"), [("#nothing", "Timeout"), ("[[", "selector")])
async def test_what_cannot_be_clicked_is_an_answer(selector: str, said: str) -> None:
    async with shared_browser().page(FILES, "pages/index.html") as page:
        with pytest.raises(ActionFailed, match=said):
            await page.click(selector)
        assert await page.text("#count") == "0", "the page can be used afterwards"


async def test_nothing_is_reached_beyond_the_files() -> None:
    """A server on this very machine hears nothing, whichever way a page tries."""
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(100))
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    host = f"127.0.0.1:{port}"
    html = (
        f"{HEAD}<img alt='' src='http://{host}/a'><iframe src='http://localhost:{port}/b'></iframe>"
        f"<link rel=preconnect href='http://{host}'><link rel=dns-prefetch href='//{host}'>"
        f"<script>fetch('http://{host}/c').catch(() => 0); new WebSocket('ws://{host}/d');"
        f"navigator.sendBeacon('http://{host}/e', 'x'); new EventSource('http://{host}/f');"
        f"window.open('http://{host}/g'); fetch('file:///etc/passwd').catch(() => 0);"
        "new Worker(URL.createObjectURL(new Blob([`fetch('http://" + host + "/h')`])))</script>"
    )
    async with server, shared_browser().page({"index.html": html}, "index.html") as page:
        await asyncio.sleep(1.0)
        refused = page.refused
    assert heard == []
    assert {f"http://{host}/{name}" for name in "ace"} <= set(refused)


class Datagrams(asyncio.DatagramProtocol):
    """Whatever comes by UDP."""

    def __init__(self, heard: list[bytes]) -> None:
        self._heard = heard

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._heard.append(data)


BEYOND_HTTP = """
const ice = [{urls: 'stun:127.0.0.1:@UDP@'}, {urls: ['turn:127.0.0.1:@UDP@', 'turn:127.0.0.1:@TCP@?transport=tcp'],
              username: 'u', credential: 'p'}];
const offering = new RTCPeerConnection({iceServers: ice}), answering = new RTCPeerConnection({iceServers: ice});
offering.createDataChannel('out');
(async () => {
  await offering.setLocalDescription(await offering.createOffer());
  await answering.setRemoteDescription(offering.localDescription);
  await answering.setLocalDescription(await answering.createAnswer());
  await offering.setRemoteDescription(answering.localDescription);
  for (const [kind, port] of [['udp', @UDP@], ['tcp', @TCP@]])
    await offering.addIceCandidate({sdpMid: '0', candidate:
      `candidate:1 1 ${kind} 2122260223 127.0.0.1 ${port} typ host` + (kind === 'tcp' ? ' tcptype passive' : '')});
})();
try { new WebTransport('https://127.0.0.1:@UDP@/').ready.catch(() => 0); } catch (error) { }
navigator.serviceWorker?.register('sw.js').catch(() => 0);
const worker = (text, Kind) => new Kind(URL.createObjectURL(new Blob([text])));
for (const Kind of [Worker, SharedWorker])
  worker("new WebSocket('ws://127.0.0.1:@TCP@/w'); fetch('http://127.0.0.1:@TCP@/x').catch(() => 0)", Kind);
const form = Object.assign(document.createElement('form'), {action: 'http://127.0.0.1:@TCP@/y', method: 'post',
                           target: '_blank'});
document.body.append(form); form.submit();
"""


async def test_nothing_is_reached_by_other_protocols() -> None:
    """WebRTC, WebTransport, prefetching, prerendering, workers, forms and fonts reach no port of this machine."""
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(100))
        writer.close()

    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: Datagrams(heard), ("127.0.0.1", 0))
    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    udp, tcp = transport.get_extra_info("sockname")[1], server.sockets[0].getsockname()[1]
    script = BEYOND_HTTP.replace("@UDP@", str(udp)).replace("@TCP@", str(tcp))
    far = f"http://127.0.0.1:{tcp}"
    rules = '{"prefetch": [{"urls": ["FAR/p"]}], "prerender": [{"urls": ["FAR/q"]}]}'.replace("FAR", far)
    html = (
        f"{HEAD}<link rel=prefetch href='{far}/1'><link rel=prerender href='{far}/2'>"
        f"<link rel=modulepreload href='{far}/3'><link rel=preload as=font crossorigin href='{far}/4'>"
        f"<link rel=manifest href='{far}/5'><style>@import '{far}/6'; body{{background:url({far}/7)}}</style>"
        f"<script type=speculationrules>{rules}</script><object data='{far}/8'></object><embed src='{far}/9'>"
        f"<video src='{far}/10'></video><a ping='{far}/11' href='#'>ping</a>"
        f"<svg><image href='{far}/12'/></svg><body><script>{script}</script>"
    )
    try:
        async with server, shared_browser().page({"index.html": html, "sw.js": "//"}, "index.html") as page:
            await asyncio.sleep(4.0)
            said = page.console_errors
    finally:
        transport.close()
    assert [text for text in said if "net::" not in text and "WebSocket" not in text] == [], "the script ran"
    assert heard == []


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("<div style='width:600px'>wide</div>", "rendered-overflow"),
        ("<button style='min-height:20px;height:20px'>low</button>", "rendered-target"),
        ("<p style='font-size:9px'>small</p>", "rendered-text-size"),
        ("<p style='color:white'>white on white</p>", "rendered-text-colour"),
        ("<script>nothing.at.all()</script>", "rendered-script"),
        ("<img alt='' src='none.png'>", "rendered-image"),
        ("<script src='none.js'></script>", "rendered-request"),
        ("<script>location = 'https://example.com/'</script>", "rendered-load"),
        (BAR, "rendered-covered"),
        (WIDE, "rendered-max-width"),
        ("<div style='height:3000px'></div><style>html{scrollbar-width:auto}</style>", "rendered-scrollbar"),
        ("<style>h1,p{display:none}</style>", "rendered-blank"),
    ],
)
async def test_each_thing_that_is_looked_at_is_seen(body: str, rule: str) -> None:
    assert rule in RENDERED_RULES
    assert rule in await problems(body)


async def test_a_good_page_has_nothing_against_it() -> None:
    assert (
        await problems(
            SHOP.replace("<input", "<input style='font-size:16px;min-height:44px'")
            .replace("<select", "<select style='font-size:16px;min-height:44px;min-width:44px'")
            .replace("<button", "<button style='min-width:44px'")
        )
        == []
    )


async def test_a_page_that_never_answers_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopwright.agents.pages.browser.page.LOAD_SECONDS", 2.0)
    rendering = await render_pages(shared_browser(), {"index": HEAD + "<script>while (true);</script>"}, "")
    assert [issue.rule for issue in rendering.findings["index"]] == ["rendered-load"]
    assert rendering.failure is None


async def test_a_browser_that_is_gone_is_replaced() -> None:
    async with open_browser(find_chromium()) as browser:
        async with browser.page(FILES, "pages/index.html") as page:
            await browser._process.close()  # type: ignore[union-attr]  # as when it crashes: nobody has asked for it
            with pytest.raises(BrowserFailed, match="went away"):
                await page.text("#count")
        async with browser.page(FILES, "pages/index.html") as page:
            assert await page.text("#count") == "0"


async def test_without_a_browser_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executable, "find_browser", lambda: None)
    browser = Browser()
    assert browser.why_not() == (
        "There is no Chromium on the PATH. Install Chromium, or name one: LOOPWRIGHT_CHROMIUM=/path/to/chromium."
    )
    rendering = await render_pages(browser, {"index": HEAD}, "")
    assert rendering.failure is not None
    assert rendering.failure.startswith("not rendered: no browser (There is no Chromium")
    with pytest.raises(BrowserUnavailable):
        await browser.measure(FILES, "pages/index.html")


async def test_a_program_that_is_no_browser_is_told(tmp_path: Path) -> None:
    impostor = tmp_path / "chromium"
    impostor.write_text("#!/bin/sh\nexit 3\n")
    impostor.chmod(0o755)
    async with open_browser(str(impostor)) as browser:
        with pytest.raises(BrowserUnavailable, match="does not start"):
            await browser.measure(FILES, "pages/index.html")


async def test_a_page_that_starts_over_is_as_one_just_opened() -> None:
    told = """() => [Object.keys(localStorage), sessionStorage.length, document.cookie, history.length,
        innerWidth, document.querySelector("#count").textContent]"""
    async with shared_browser().page(FILES, "pages/index.html") as page:
        first = await page.evaluate(told)
        await page.click("#add")
        await page.evaluate("() => { sessionStorage.seen = 1; document.cookie = 'seen=1; path=/' }")
        await page.click("#cart")
        await page.become_window(1280, 800)
        await page.start_over("pages/index.html")
        assert await page.evaluate(told) == first


async def test_pages_that_are_looked_at_together_are_judged_as_each_alone() -> None:
    unruly = {
        "fits": HEAD,
        "no-viewport": HEAD.replace("viewport", "nothing") + SHOP,
        "stuck": HEAD + "<script>setTimeout(() => { for (;;); }, 0)</script>",
        "stores": HEAD + "<script>localStorage.cart = 3; missing()</script>",
        "cart": HEAD + CART,
    }
    together = await render_pages(shared_browser(), unruly, "")
    for slug in unruly:
        alone = await render_pages(shared_browser(), unruly, "", [slug])
        assert [each.rule for each in together.findings[slug]] == [each.rule for each in alone.findings[slug]], slug
    assert [bool(together.findings[slug]) for slug in unruly] == [False, True, True, True, False]

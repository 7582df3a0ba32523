"""Exports of a real app, opened in Chromium: from disk, from a web server, and without a network."""

import asyncio
import functools
import http.server
import io
import json
import threading
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from tests.support.browser import find_chromium, shared_chromium
from tests.support.commands import Finished, Installation

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

BRIEF = "A coffee shop app called Bean There with 5 pages, green accent"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    place = Installation(tmp_path_factory.mktemp("export"))
    done = place.run("pages", BRIEF, "--yes", "--json")
    assert done.code == 0, done.err
    place.settings["SESSION"] = done.last["session_id"]
    return place


def exported(place: Installation, form: str, out: Path) -> Finished:
    done = place.run("pages", "export", place.settings["SESSION"], "--as", form, "--out", str(out), "--json")
    assert done.code == 0, done.err
    return done


async def in_chromium(work: "Callable[[BrowserContext, Page, list[str]], Awaitable[Any]]") -> Any:
    """Do the work in a fresh context of a phone's size; the list gathers errors and requests that failed."""
    chromium = shared_chromium(find_chromium())

    async def run() -> Any:
        browser = await chromium.started()
        context = await browser.new_context(viewport={"width": 430, "height": 932})
        troubles: list[str] = []
        try:
            page = await context.new_page()
            page.on("pageerror", lambda error: troubles.append(str(error)))
            page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
            page.on("requestfailed", lambda request: troubles.append(request.url))
            return await work(context, page, troubles)
        finally:
            await context.close()

    return await asyncio.wrap_future(chromium.submit(run()))


async def shop(page: "Page") -> None:
    """Go from the menu to an item by clicks, put two of it into the order, and look at the order."""
    await page.click(".bottom-nav a:has-text('Menu')")
    await page.click("main a.card-link, main a[href*='item']")
    await page.click("#quantity [data-step='1']")
    await page.click("#add-to-order")
    await page.wait_for_function("document.querySelector('[data-cart-count]').textContent === '2'")
    await page.click("a.cart-button")
    await page.wait_for_selector("#cart-lines li")
    assert await page.inner_text("h1") == "Order"


async def reaches_nothing(page: "Page") -> None:
    """A script that calls out is stopped by the policy of the page."""
    await page.evaluate(
        "document.addEventListener('securitypolicyviolation', (e) => { document.title = e.effectiveDirective });"
        "fetch('https://example.com/').catch(() => 0)"
    )
    await page.wait_for_function("document.title === 'connect-src'")


async def test_the_zip_opens_from_disk(built: Installation, tmp_path: Path) -> None:
    told = exported(built, "zip", tmp_path / "app.zip").last
    with zipfile.ZipFile(tmp_path / "app.zip") as archive:
        assert archive.namelist()[0] == "index.html"
        archive.extractall(tmp_path / "site")
    assert sorted(f"{slug}.html" for slug in told["pages"]) == sorted(
        p.name for p in (tmp_path / "site").glob("*.html")
    )

    async def work(context: Any, page: Any, troubles: list[str]) -> None:
        await page.goto((tmp_path / "site" / "index.html").as_uri())
        assert await page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgba(0, 0, 0, 0)"
        await shop(page)
        await reaches_nothing(page)
        assert [t for t in troubles if "example.com" not in t] == []

    await in_chromium(work)


async def test_the_same_app_gives_the_same_bytes(built: Installation, tmp_path: Path) -> None:
    for form in ("zip", "pwa", "html"):
        for name in ("one", "two"):
            exported(built, form, tmp_path / f"{name}.{form}")
        assert (tmp_path / f"one.{form}").read_bytes() == (tmp_path / f"two.{form}").read_bytes()


async def test_one_file_holds_the_whole_app(built: Installation, tmp_path: Path) -> None:
    exported(built, "html", tmp_path / "app.html")

    async def work(context: Any, page: Any, troubles: list[str]) -> None:
        await page.goto((tmp_path / "app.html").as_uri())
        assert "Bean There" in await page.title()
        assert await page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgba(0, 0, 0, 0)"
        await shop(page)
        assert page.url.endswith("app.html?page=cart")
        await page.go_back()
        assert "page=item" in page.url
        await page.goto((tmp_path / "app.html").as_uri() + "?page=nowhere")
        assert await page.evaluate("document.querySelector('[data-cart-count]').textContent") == "2"
        await reaches_nothing(page)
        assert [t for t in troubles if "example.com" not in t] == []

    await in_chromium(work)


@contextmanager
def web_server(folder: Path) -> Iterator[str]:
    """A plain web server, as any host of static files is."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


async def test_the_web_app_can_be_installed_and_opens_without_its_server(built: Installation, tmp_path: Path) -> None:
    exported(built, "pwa", tmp_path / "app.zip")
    with zipfile.ZipFile(tmp_path / "app.zip") as archive:
        archive.extractall(tmp_path / "site")
    manifest = json.loads((tmp_path / "site" / "manifest.webmanifest").read_text(encoding="utf-8"))
    assert manifest["name"] == "Bean There"
    for icon in manifest["icons"]:
        with Image.open(io.BytesIO((tmp_path / "site" / icon["src"]).read_bytes())) as picture:
            assert f"{picture.width}x{picture.height}" == icon["sizes"]

    async def work(context: Any, page: Any, troubles: list[str]) -> None:
        with web_server(tmp_path / "site") as url:
            await page.goto(f"{url}/")
            await page.evaluate("navigator.serviceWorker.ready.then(() => true)")
            await page.wait_for_function("navigator.serviceWorker.controller !== null")
            session = await context.new_cdp_session(page)
            errors = (await session.send("Page.getInstallabilityErrors"))["installabilityErrors"]
            assert [error["errorId"] for error in errors if error["errorId"] != "in-incognito"] == []
            told = await session.send("Page.getAppManifest")
            assert told["errors"] == []
        await page.goto(f"{url}/")  # the server is gone
        await shop(page)
        assert [t for t in troubles if "favicon" not in t] == []

    await in_chromium(work)


def test_what_cannot_be_exported_is_said(built: Installation, tmp_path: Path) -> None:
    assert built.run("pages", "export", "nobody").code == 2
    target = tmp_path / "app.html"
    target.write_text("mine", encoding="utf-8")
    refused = built.run("pages", "export", built.settings["SESSION"], "--as", "html", "--out", str(target))
    assert refused.code == 2
    assert "--force" in refused.err
    assert target.read_text(encoding="utf-8") == "mine"
    missing = built.run("pages", "export", built.settings["SESSION"], "--out", str(tmp_path / "no" / "app.zip"))
    assert missing.code == 2
    assert "no/app.zip" in missing.err

"""A phone in somebody's hand: the pages of an app, served from a folder, tapped and filled in one browser context.

The pages have an address of their own (`http://app.test`), answered from the folder without a network, so that storage
is shared between them as it is on a web server; every request to anywhere else is refused and kept as a finding.
"""

import asyncio
import mimetypes
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from tests.support.browser import (
    MINIMUM_TARGET,
    TARGETS,
    VIEWPORT_HEIGHT,
    VIEWPORT_WIDTH,
    find_chromium,
    probe_source,
    shared_chromium,
)
from tests.support.clock import NOW, ZONE

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Locator, Page, Route

ORIGIN = "http://app.test"
PATIENCE = 4000
"""Milliseconds to wait for what a tap should bring about."""

Result = TypeVar("Result")


@dataclass
class Phone:
    """An app on a screen of 430 by 932 pixels; `problems` are errors of scripts and requests to elsewhere."""

    page: "Page"
    folder: Path
    problems: list[str] = field(default_factory=list)

    async def open(self, slug: str) -> None:
        """Load a page by its address."""
        await self.page.goto(f"{ORIGIN}/pages/{slug}.html", wait_until="load")

    @property
    def slug(self) -> str:
        """The page that is shown."""
        return Path(urlsplit(self.page.url).path).stem

    def visible(self, selector: str) -> "Locator":
        """The first element that can be seen."""
        return self.page.locator(selector).locator("visible=true").first

    async def tap(self, selector: str) -> None:
        """Tap what a selector of Playwright names first among the visible."""
        await self.visible(selector).click(timeout=PATIENCE)

    async def follow(self, slug: str) -> None:
        """Tap a visible link to a page, rather one to nothing particular on it, and wait until it is there."""
        plain, any_link = self.visible(f'a[href="{slug}.html"]'), self.visible(f'a[href^="{slug}.html"]')
        await (plain if await plain.count() else any_link).click(timeout=PATIENCE)
        await self.page.wait_for_url(f"**/{slug}.html*", timeout=PATIENCE)

    async def probe(self) -> dict[str, Any]:
        """What `page_probe.js` measures of the page."""
        found: dict[str, Any] = await self.page.evaluate(
            probe_source(), {"targets": TARGETS, "minimum": MINIMUM_TARGET}
        )
        return found


async def on_phone(
    folder: Path, use: Callable[[Phone], Awaitable[Result]], *, is_mobile: bool = True, now: datetime = NOW
) -> Result:
    """Hand the app in a folder (`design-system.css`, `pages/`) to `use`, on the loop of the shared browser.

    With `is_mobile=False` the screen is a plain window of the same size, where no viewport meta hides an overflow.
    `now` is what the pages take for the present when the first one is opened; from there their time goes on.
    """
    chromium = shared_chromium(find_chromium())

    async def held() -> Result:
        context = await (await chromium.started()).new_context(
            viewport={"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT},
            is_mobile=is_mobile,
            has_touch=is_mobile,
            reduced_motion="reduce",
            accept_downloads=True,
            timezone_id=ZONE,
        )
        await context.clock.install(time=now)
        async with _phone(context, folder) as phone:
            return await use(phone)

    return await asyncio.wrap_future(chromium.submit(held()))


@asynccontextmanager
async def _phone(context: "BrowserContext", folder: Path) -> AsyncIterator[Phone]:
    try:
        page = await context.new_page()
        phone = Phone(page, folder)
        page.on(
            "console", lambda said: phone.problems.append(f"console: {said.text}") if said.type == "error" else None
        )
        page.on("pageerror", lambda error: phone.problems.append(f"script: {error}"))

        async def serve(route: "Route") -> None:
            await _serve(route, folder, phone.problems)

        await context.route("**/*", serve)
        yield phone
    finally:
        await context.close()


async def _serve(route: "Route", folder: Path, problems: list[str]) -> None:
    """Answer from the folder; whatever lies elsewhere is refused."""
    address = urlsplit(route.request.url)
    if address.scheme in ("data", "blob", "about"):
        await route.continue_()
        return
    path = folder / unquote(address.path).lstrip("/")
    here = f"{address.scheme}://{address.netloc}" == ORIGIN and ".." not in path.parts
    if here and os.path.isfile(path):  # noqa: ASYNC240 - a local file of a test, there at once
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        await route.fulfill(body=path.read_bytes(), content_type=f"{kind}; charset=utf-8")
        return
    if address.path != "/favicon.ico":  # browsers ask for it by themselves
        problems.append(f"asked for {route.request.url}")
    await route.fulfill(status=404, body="")

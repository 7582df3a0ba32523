"""What headless Chromium sees of a page on a phone 430 pixels wide.

One browser process serves all checks of a test session.  It lives on an event loop of its own, in a thread of its own,
because each test has a loop that ends with the test.
"""

import asyncio
import atexit
import os
import shutil
import threading
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import pytest

from loopwright.kernel.programs import CHROMIUM
from tests.support.clock import NOW, ZONE

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Request, Response, Route

VIEWPORT_WIDTH = 430
VIEWPORT_HEIGHT = 932
MINIMUM_TARGET = 44
TARGETS = (
    "a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=tab], [role=switch], "
    "[role=checkbox], [role=radio], [role=menuitem]"
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", None})

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SmallTarget:
    """A target that a thumb misses; sizes in CSS pixels."""

    selector: str
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class BrowserReport:
    """What was found on one page, in a mobile context and in a plain window of the same size."""

    url: str
    title: str
    inner_width: int
    """Width of the layout viewport in the mobile context: 430 only if the page's viewport meta is right."""
    mobile_overflow: int
    """Pixels by which the page is wider than the screen, in the mobile context."""
    window_overflow: int
    """The same in a plain window, where no viewport meta can hide it."""
    target_count: int
    small_targets: tuple[SmallTarget, ...]
    console_errors: tuple[str, ...]
    """Errors on the console and exceptions that no script caught."""
    failed_requests: tuple[str, ...]
    """Requests that failed or were answered with 400 or more; requests to other hosts are never let out."""
    links: tuple[str, ...]
    """Absolute addresses of all links."""

    def problems(self) -> list[str]:
        """What is wrong, one sentence each; empty for a page that is fit for a phone."""
        found = []
        if self.inner_width != VIEWPORT_WIDTH:
            found.append(f"innerWidth is {self.inner_width}, not {VIEWPORT_WIDTH}: the viewport meta is wrong")
        if self.mobile_overflow > 0 or self.window_overflow > 0:
            found.append(f"scrolls sideways by {max(self.mobile_overflow, self.window_overflow)}px")
        found += [f"{small.selector} is only {small.width:.1f} by {small.height:.1f}px" for small in self.small_targets]
        found += [f"console: {text}" for text in self.console_errors]
        found += [f"request failed: {text}" for text in self.failed_requests]
        return found


async def check_page_in_chromium(page: Path | str, *, seconds: float = 20.0) -> BrowserReport:
    """Open a file or an address and report.

    Parameters: `page` is an absolute path, or an address on this machine; `seconds` is the patience with each of two
    loads.  The test is skipped when there is no browser, and fails where the environment says `CI=true`.
    """
    url = page.as_uri() if isinstance(page, Path) else page
    chromium = shared_chromium(find_chromium())
    return await asyncio.wrap_future(chromium.submit(chromium.check(url, seconds)))


async def evaluate_in_chromium(page: Path | str, script: str, *, seconds: float = 20.0) -> Any:
    """Open a page in the mobile context and return what the JavaScript expression or function gives.

    Parameters as for `check_page_in_chromium`.
    """
    url = page.as_uri() if isinstance(page, Path) else page
    chromium = shared_chromium(find_chromium())
    return await asyncio.wrap_future(chromium.submit(chromium.evaluate(url, script, seconds)))


def find_chromium() -> str:
    """The path of the browser; skips the test without one, or fails it where CI demands one."""
    names = (os.environ.get("LOOPWRIGHT_TEST_CHROMIUM"), *CHROMIUM)
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if found is not None:
        return found
    reason = f"no browser on the PATH (looked for {', '.join(CHROMIUM)})"
    if os.environ.get("CI", "").lower() == "true" or os.environ.get("LOOPWRIGHT_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@lru_cache(maxsize=1)
def shared_chromium(executable: str) -> "Chromium":
    """The one browser of this process, started at first use and closed at exit."""
    chromium = Chromium(executable)
    atexit.register(chromium.close)
    return chromium


class Chromium:
    """A browser process together with the thread and the event loop that drive it."""

    def __init__(self, executable: str) -> None:
        self.executable = executable
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="chromium", daemon=True)
        self.thread.start()
        self._starting: asyncio.Task[Browser] | None = None

    def submit(self, work: Coroutine[Any, Any, Result]) -> "Future[Result]":
        """Run a coroutine on the browser's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    async def check(self, url: str, seconds: float) -> BrowserReport:
        """Load a page in both contexts."""
        browser = await self.started()
        errors: list[str] = []
        failures: list[str] = []
        mobile = await _probe(browser, url, seconds, errors, failures, is_mobile=True)
        window = await _probe(browser, url, seconds, errors, failures, is_mobile=False)
        return BrowserReport(
            url=url,
            title=mobile["title"],
            inner_width=mobile["innerWidth"],
            mobile_overflow=mobile["overflow"],
            window_overflow=window["overflow"],
            target_count=mobile["targetCount"],
            small_targets=tuple(SmallTarget(**target) for target in mobile["smallTargets"]),
            console_errors=tuple(dict.fromkeys(errors)),
            failed_requests=tuple(dict.fromkeys(failures)),
            links=tuple(mobile["links"]),
        )

    async def evaluate(self, url: str, script: str, seconds: float) -> Any:
        """Load a page in the mobile context and run a script in it."""
        async with _open(await self.started(), url, seconds, [], [], is_mobile=True) as page:
            return await page.evaluate(script)

    def close(self) -> None:
        """End the browser and its thread."""
        self.submit(self._stop()).result(timeout=20)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(timeout=20)
        self.loop.close()

    async def started(self) -> "Browser":
        """The browser process, started at first use."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        return await self._starting

    async def _start(self) -> "Browser":
        from playwright.async_api import async_playwright

        self._playwright = await async_playwright().start()
        return await self._playwright.chromium.launch(executable_path=self.executable, args=list(ARGUMENTS))

    async def _stop(self) -> None:
        if self._starting is not None and not self._starting.exception():
            await self._starting.result().close()
            await self._playwright.stop()


async def _probe(
    browser: "Browser", url: str, seconds: float, errors: list[str], failures: list[str], *, is_mobile: bool
) -> dict[str, Any]:
    async with _open(browser, url, seconds, errors, failures, is_mobile=is_mobile) as page:
        found: dict[str, Any] = await page.evaluate(probe_source(), {"targets": TARGETS, "minimum": MINIMUM_TARGET})
        return found


@asynccontextmanager
async def _open(
    browser: "Browser", url: str, seconds: float, errors: list[str], failures: list[str], *, is_mobile: bool
) -> AsyncIterator["Page"]:
    """A loaded page in a context of its own; what goes wrong while it is open is added to the two lists."""
    context = await browser.new_context(
        viewport={"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT},
        is_mobile=is_mobile,
        has_touch=is_mobile,
        reduced_motion="reduce",
        timezone_id=ZONE,
    )
    await context.clock.install(time=NOW)
    try:
        await context.route("**/*", _keep_local)
        page = await context.new_page()
        _listen(page, errors, failures)
        await page.goto(url, wait_until="load", timeout=seconds * 1000)
        # Scripts that draw on load get their frame before anything is measured.
        await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")
        yield page
    finally:
        await context.close()


def _listen(page: "Page", errors: list[str], failures: list[str]) -> None:
    def failed(request: "Request") -> None:
        failures.append(f"{request.url}: {request.failure}")

    def answered(response: "Response") -> None:
        # Browsers ask for the icon by themselves; no page is to blame for it.
        if response.status >= 400 and not response.url.endswith("/favicon.ico"):
            failures.append(f"{response.url}: {response.status}")

    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("requestfailed", failed)
    page.on("response", answered)


async def _keep_local(route: "Route") -> None:
    """Let through what stays on this machine."""
    address = urlsplit(route.request.url)
    if address.scheme in ("file", "data", "blob", "about") or address.hostname in LOOPBACK:
        await route.continue_()
    else:
        await route.abort("internetdisconnected")


@lru_cache(maxsize=1)
def probe_source() -> str:
    """The function that runs inside the page."""
    return Path(__file__).with_name("page_probe.js").read_text(encoding="utf-8")

"""One browser process, started when the first page is opened and closed with the house."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from loopwright.agents.pages.browser.errors import BrowserFailed, BrowserUnavailable
from loopwright.agents.pages.browser.executable import SWITCHES, can_use_sandbox, find_chromium
from loopwright.agents.pages.browser.files import PageFiles
from loopwright.agents.pages.browser.measurement import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, PageMeasurement
from loopwright.agents.pages.browser.measuring import measure
from loopwright.agents.pages.browser.page import BrowserPage

if TYPE_CHECKING:
    from playwright.async_api import Browser as Process
    from playwright.async_api import BrowserContext, Playwright

START_SECONDS = 30.0
CLOSE_SECONDS = 10.0
PAGES_AT_ONCE = 3
"""Pages open side by side; each is a process of its own."""

log = logging.getLogger(__name__)


class Browser:
    """Opens pages from memory. The process is shared; each page has storage, cookies and cache of its own."""

    def __init__(self, executable: str | None = None) -> None:
        """`executable` is a name or path; None takes the Chromium on the PATH. Nothing is started yet."""
        self._configured = executable
        self._starting = asyncio.Lock()
        self._room = asyncio.Semaphore(PAGES_AT_ONCE)
        self._driver: Playwright | None = None
        self._process: Process | None = None

    def why_not(self) -> str | None:
        """What is missing for a browser on this machine, or None; nothing is started to find out."""
        try:
            find_chromium(self._configured)
        except BrowserUnavailable as error:
            return f"{error.message} {error.hint}".strip()
        return None

    @asynccontextmanager
    async def page(
        self, files: Mapping[str, str | bytes], start: str, *, phone: bool = True, dark: bool = False
    ) -> AsyncIterator[BrowserPage]:
        """A page of these files, opened and forgotten again.

        Args:
            files: by path, such as `pages/index.html` and `design-system.css`; nothing else can be loaded.
            start: path of the file to open; query and fragment may follow.
            phone: a touch screen that obeys the viewport meta, or else a plain window of the same size.
            dark: whether the user prefers a dark scheme.

        Raises:
            BrowserUnavailable: no browser can be started here.
            BrowserFailed: it crashed.
            ActionFailed: the page does not load.
        """
        async with self._room:
            context = await self._context(phone=phone, dark=dark)
            try:
                served = PageFiles(files)
                await context.route("**/*", served.serve)
                await context.route_web_socket("**/*", lambda socket: _refuse_socket(socket, served))
                page = BrowserPage(context, await context.new_page(), served)
                await page.open(start)
                yield page
            finally:
                await self._forget(context)

    async def measure(self, files: Mapping[str, str | bytes], start: str) -> PageMeasurement:
        """Figures of one page on a phone and in plain windows; arguments and errors are those of `page`."""
        return await measure(self, files, start)

    async def close(self) -> None:
        """End the process; what is open ends with it."""
        process, driver = self._process, self._driver
        self._process = self._driver = None
        if driver is None:
            return
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                if process is not None:
                    await process.close()
                await driver.stop()
        except (Error, TimeoutError, ConnectionError) as error:
            # After Ctrl-C the driver, being of the same process group, may be gone before it is told to go.
            log.info("the browser had gone before it was closed: %s", error)

    async def _context(self, *, phone: bool, dark: bool) -> "BrowserContext":
        from playwright.async_api import Error

        options: dict[str, Any] = {
            "viewport": {"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT},
            "is_mobile": phone,
            "has_touch": phone,
            "color_scheme": "dark" if dark else "light",
            "reduced_motion": "reduce",
            "service_workers": "block",
            "accept_downloads": False,
            "locale": "en-US",
        }
        for is_last in (False, True):
            process = await self._running()
            try:
                return await process.new_context(**options)
            except Error as error:
                await self.close()  # it crashed since it was used last: the next attempt has a new one
                if is_last:
                    raise BrowserFailed(f"The browser opens no page: {error.message[:300]}") from error
        raise AssertionError("unreachable")

    async def _running(self) -> "Process":
        async with self._starting:
            if self._process is None or not self._process.is_connected():
                self._process = await self._launch()
            return self._process

    async def _launch(self) -> "Process":
        executable = find_chromium(self._configured)
        from playwright.async_api import Error, async_playwright

        if self._driver is None:
            self._driver = await async_playwright().start()
        try:
            # The house closes the browser itself, also on a signal; the driver would not tell the runs.
            return await self._driver.chromium.launch(
                executable_path=executable,
                args=list(SWITCHES),
                ignore_default_args=["--hide-scrollbars"],
                chromium_sandbox=can_use_sandbox(),
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                timeout=START_SECONDS * 1000,
            )
        except Error as error:
            said = " ".join(error.message.split())[:300]
            hint = "See whether it starts by itself: chromium --headless --dump-dom about:blank"
            raise BrowserUnavailable(f"{executable} does not start: {said}", hint=hint) from error

    async def _forget(self, context: "BrowserContext") -> None:
        """Close a context; a browser that does not even do that is ended."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await context.close()
        except (Error, TimeoutError) as error:
            log.warning("the browser is ended, it does not close a page: %s", error)
            await self.close()


async def _refuse_socket(socket: Any, served: PageFiles) -> None:
    served.refused.append(socket.url)
    await socket.close(code=1008, reason="no network")


@asynccontextmanager
async def open_browser(executable: str | None = None) -> AsyncIterator[Browser]:
    """A browser for as long as the block lasts; it starts when the first page is opened."""
    browser = Browser(executable)
    try:
        yield browser
    finally:
        await browser.close()

"""One browser process, started when the first page is opened and closed with the application."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.browser.errors import BrowserFailed, BrowserUnavailable
from loopwright.agents.pages.browser.page import BrowserPage, PageFiles
from loopwright.kernel.programs import find_browser, find_program, program_environment

if TYPE_CHECKING:
    from playwright.async_api import Browser as Process
    from playwright.async_api import BrowserContext, Playwright


# What a page turned out to be like in the browser.

VIEWPORT_WIDTH = 430
VIEWPORT_HEIGHT = 932
"""CSS pixels of the phone that pages are made for."""
MINIMUM_TARGET = 44
MINIMUM_TEXT = 12
MINIMUM_FIELD_TEXT = 16
MINIMUM_LETTERS = 20
"""Visible letters below which a page counts as blank."""


class Measured(BaseModel):
    """A frozen record of figures."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SmallTarget(Measured):
    """A target that a thumb misses; sizes in CSS pixels."""

    selector: str
    width: float
    height: float


class SmallText(Measured):
    """Text too small to read, or a field at which phones zoom in; sizes in CSS pixels."""

    selector: str
    size: float
    required: float


class Overlap(Measured):
    """Something that cannot be reached or read because something fixed lies over it."""

    selector: str
    covered_by: str


class PageMeasurement(Measured):
    """Figures of one page in a phone's window, and what went wrong since it was opened."""

    url: str
    title: str
    inner_width: int
    """Width of the layout viewport on a phone: 430 only where the viewport meta is right."""
    overflow: int
    """Pixels by which the page is wider than the screen, the greater of the phone's and a plain window's."""
    overflowing: tuple[str, ...]
    """The innermost elements that stick out."""
    letters: int
    """Visible characters of text."""
    target_count: int
    small_targets: tuple[SmallTarget, ...]
    small_text: tuple[SmallText, ...]
    invisible_text: tuple[str, ...]
    """Elements whose own text has the colour of its ground."""
    covered: tuple[Overlap, ...]
    """Targets under a fixed bar at the end of the page, and fixed bars that lie over each other."""
    broken_images: tuple[str, ...]
    scrollbar_width: int
    """Pixels that a visible scrollbar takes in a plain window; 0 where it is hidden."""
    content_width: int
    """Width of the widest box of the content in a desktop window."""
    console_errors: tuple[str, ...]
    """Errors on the console and exceptions that no script caught."""
    failed_requests: tuple[str, ...]
    """Addresses that are none of the given files; nothing was sent there."""
    links: tuple[str, ...]
    """Addresses of all links."""


@cache
def measuring_script() -> str:
    """The function that runs inside the page."""
    return resources.files(__package__ or "").joinpath("measure.js").read_text(encoding="utf-8")


def measuring_arguments() -> dict[str, int]:
    """What the script compares with."""
    return {"minimumTarget": MINIMUM_TARGET, "minimumText": MINIMUM_TEXT, "minimumFieldText": MINIMUM_FIELD_TEXT}


# Measuring a page: on a phone, then in a plain window of the same size, of a small tablet and of a desktop.

TABLET_WIDTH, TABLET_HEIGHT = 600, 300
"""Wider than a phone and narrower than a layout of several columns: a phone's layout may not be stretched to it.
Low, so that a page of any length scrolls, and a scrollbar that is not hidden shows."""
DESKTOP_WIDTH, DESKTOP_HEIGHT = 1280, 800
WINDOW_FIGURES = (
    """() => Math.max(document.documentElement.scrollWidth, document.body?.scrollWidth ?? 0) - innerWidth"""
)
TABLET_FIGURES = """() => {
  // What shows of an element's own text: boxes that scroll or clip cut it off.
  const shown = (element) => {
    const range = document.createRange();
    const boxes = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())
      .map((node) => (range.selectNode(node), range.getBoundingClientRect()));
    let left = Math.max(0, Math.min(...boxes.map((box) => box.left)));
    let right = Math.min(innerWidth, Math.max(...boxes.map((box) => box.right)));
    for (let step = element; step && step !== document.body; step = step.parentElement) {
      const style = getComputedStyle(step);
      if (style.overflowX === "visible" && style.clipPath === "none" && style.clip === "auto") continue;
      const box = step.getBoundingClientRect();
      left = Math.max(left, box.left);
      right = Math.min(right, box.right);
    }
    return { left, right };
  };
  const spans = [...document.querySelectorAll("body, body *:not(script, style, template, option)")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()))
    .filter((element) => element.getBoundingClientRect().bottom + scrollY > 0)
    .map(shown)
    .filter(({ left, right }) => right - left > 1);
  const content = Math.max(...spans.map((span) => span.right)) - Math.min(...spans.map((span) => span.left));
  const scrollbar = innerWidth - document.documentElement.clientWidth;
  return { content: spans.length ? Math.round(content) : 0, scrollbar };
}"""
"""The width is that of the text that shows, from the leftmost letter to the rightmost."""


async def measure(browser: "Browser", files: Mapping[str, str | bytes], start: str) -> PageMeasurement:
    """Figures of one page; that it leaves for elsewhere is one of them.

    With a phone's emulation a page without viewport meta is laid out 980 pixels wide and does not overflow: a plain
    window of the phone's size does not hide it, and a small tablet's shows whether a phone's layout is stretched.

    Raises:
        BrowserUnavailable: no browser can be started here.
        BrowserFailed: it crashed.
        ActionFailed: the page does not load, or a script keeps it busy.
    """
    async with browser.page(files, start) as page:
        return await figures_of_page(page)


async def figures_of_page(page: "BrowserPage") -> PageMeasurement:
    """Figures of an open page, which is a plain window afterwards."""
    phone = await phone_figures(page)
    return assemble(phone, await window_figures(page))


async def phone_figures(page: "BrowserPage") -> dict[str, Any]:
    """What a person with a phone meets, and what went wrong since the page was opened."""
    seen: dict[str, Any] = await page.evaluate(measuring_script(), measuring_arguments())
    return {**seen, **_said(page), "url": page.url()}


async def window_figures(page: "BrowserPage") -> dict[str, int]:
    """How the page behaves in plain windows; the page is no phone any more afterwards."""
    await page.become_window(VIEWPORT_WIDTH, VIEWPORT_HEIGHT)
    overflow = int(await page.evaluate(WINDOW_FIGURES))
    await page.become_window(TABLET_WIDTH, TABLET_HEIGHT)
    tablet: dict[str, int] = await page.evaluate(TABLET_FIGURES)
    await page.become_window(DESKTOP_WIDTH, DESKTOP_HEIGHT)
    overflow = max(overflow, int(await page.evaluate(WINDOW_FIGURES)))
    return {"overflow": overflow, "content_width": tablet["content"], "scrollbar_width": tablet["scrollbar"]}


def assemble(phone: Mapping[str, Any], window: Mapping[str, int]) -> PageMeasurement:
    """The measurement out of both."""
    overflow = max(int(phone["overflow"]), window["overflow"])
    return PageMeasurement.model_validate({**phone, **window, "overflow": overflow})


def _said(page: "BrowserPage") -> dict[str, tuple[str, ...]]:
    """What the page complained of, each once; a refused request is told by its address, not by the console too."""
    errors = [text for text in page.console_errors if not text.startswith("Failed to load resource")]
    return {
        "console_errors": tuple(dict.fromkeys(errors)),
        "failed_requests": tuple(dict.fromkeys([*page.refused, *page.popups])),
    }


# Which browser of this machine is used, and with which switches.

NO_CHROMIUM = "There is no Chromium on the PATH."
NO_PLAYWRIGHT = "Playwright is not installed."

SWITCHES = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    # Whatever is not answered by the given files meets a proxy that nobody runs, loopback included, and names are not
    # resolved: a page cannot reach anything, whichever interface it tries.
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # WebRTC heeds no proxy unless it is told to; Chromium has renamed the switch, and ignores what it does not know.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


def find_chromium(configured: str | None = None) -> str:
    """The path of the browser.

    Args:
        configured: name or path that the user has set; None looks for the usual names on the PATH.

    Raises:
        BrowserUnavailable: there is none, or Playwright, which drives it, is not installed.
    """
    if not playwright_is_installed():
        raise BrowserUnavailable(NO_PLAYWRIGHT, hint="Install it: pip install 'loopwright[browser]'.")
    found = find_program(configured, outside=None) if configured else find_browser()
    if found is None:
        message = f"{configured!r} is no program." if configured else NO_CHROMIUM
        raise BrowserUnavailable(message, hint="Install Chromium, or name one: LOOPWRIGHT_CHROMIUM=/path/to/chromium.")
    return str(found)


@cache
def playwright_is_installed() -> bool:
    """Whether the driver can be imported; it is not imported to find out."""
    return find_spec("playwright") is not None


def can_use_sandbox() -> bool:
    """Whether Chromium may be asked for its own sandbox: it refuses to make one for root."""
    return os.geteuid() != 0


START_SECONDS = 30.0
CLOSE_SECONDS = 10.0
PAGES_AT_ONCE = 3
"""Pages open side by side; each is a process of its own."""

log = logging.getLogger(__name__)


class Browser:
    """Opens pages from memory. The process is shared; each page has storage, cookies and cache of its own."""

    def __init__(self, executable: str | None = None, time_zone: str | None = None) -> None:
        """Nothing is started yet.

        Args:
            executable: a name or path; None takes the Chromium on the PATH.
            time_zone: as in the variable TZ; None is that of the machine.
        """
        self._configured = executable
        # No key of this process, and no library that it was told to load first.
        self._environment = {"HOME": os.path.expanduser("~"), **({"TZ": time_zone} if time_zone else {})}
        self._starting = asyncio.Lock()
        self._free = asyncio.Semaphore(PAGES_AT_ONCE)
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
        async with self._free:
            context = await self._context(phone=phone, dark=dark)
            try:
                served = PageFiles(files)
                await context.route("**/*", served.serve)
                await context.route_web_socket("**/*", lambda socket: _refuse_socket(socket, served))
                page = BrowserPage(context, await context.new_page(), served, mobile=phone)
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
            # The application closes the browser itself, also on a signal; the driver would not tell the runs.
            return await self._driver.chromium.launch(
                executable_path=executable,
                args=list(SWITCHES),
                ignore_default_args=["--hide-scrollbars"],
                chromium_sandbox=can_use_sandbox(),
                env={**program_environment(None), **self._environment},
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
async def open_browser(executable: str | None = None, time_zone: str | None = None) -> AsyncIterator[Browser]:
    """A browser for as long as the block lasts; it starts when the first page is opened."""
    browser = Browser(executable, time_zone)
    try:
        yield browser
    finally:
        await browser.close()

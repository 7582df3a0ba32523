"""One page in the browser, used as a person would: by selectors, with patience that ends."""

import asyncio
import mimetypes
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from posixpath import normpath
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from loopwright.agents.pages.browser.errors import ActionFailed, BrowserFailed
from loopwright.agents.pages.runtime import FOLDER, runtime_file

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Dialog, Page, Route


# The files that a page is made of, served to the browser from memory; everything else is refused.

HOST = "prototype.invalid"
ORIGIN = f"https://{HOST}"
"""Where the files seem to lie. `.invalid` is nobody's (RFC 6761), and https gives scripts what a file on disk has."""

_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".webmanifest": "application/manifest+json"}
ICON = "favicon.ico"
"""Browsers ask for it by themselves; no page is to blame that there is none."""


@dataclass
class PageFiles:
    """Files by their path relative to the session's folder, such as `pages/index.html`."""

    files: Mapping[str, str | bytes]
    refused: list[str] = field(default_factory=list)
    """Addresses that were asked for and are none of the files, in the order of the requests."""

    async def serve(self, route: "Route") -> None:
        """Answer one request of the browser."""
        url = route.request.url
        path = self.path_of(url)
        content = None if path is None else self._content(path)
        if content is not None and path is not None:
            body = content.encode() if isinstance(content, str) else content
            await route.fulfill(status=200, headers={"content-type": content_type(path)}, body=body)
        elif path is not None and path.endswith(ICON):
            await route.fulfill(status=204)
        elif path is not None:
            self.refused.append(url)
            await route.fulfill(status=404, headers={"content-type": "text/plain"}, body="There is no such file.")
        else:
            self.refused.append(url)
            await route.abort("blockedbyclient")

    def _content(self, path: str) -> str | bytes | None:
        """One of the files, or one that the pages of every app share."""
        folder, _, shared = path.partition("/")
        return self.files.get(path) or (runtime_file(shared) if folder == FOLDER else None)

    def path_of(self, url: str) -> str | None:
        """The path of a file that the address means, or None for an address elsewhere."""
        parts = urlsplit(url)
        if parts.hostname != HOST or parts.scheme != "https":
            return None
        path = normpath(unquote(parts.path)).lstrip("/")
        return "index.html" if path in (".", "") else path


def address_of(path: str) -> str:
    """The address under which a file is served; query and fragment may follow the path."""
    return f"{ORIGIN}/{path.lstrip('/')}"


def content_type(path: str) -> str:
    """The media type by the name; text is UTF-8."""
    suffix = path[path.rfind(".") :].lower() if "." in path else ""
    found = _TYPES.get(suffix) or mimetypes.guess_type(path, strict=True)[0] or "application/octet-stream"
    return f"{found}; charset=utf-8" if found.startswith("text/") else found


def project_files(pages: Mapping[str, str], css: str) -> dict[str, str]:
    """The files of a session: `pages` are the HTML by slug, `css` the design system."""
    return {"design-system.css": css, **{f"pages/{slug}.html": html for slug, html in pages.items()}}


Answer = TypeVar("Answer")

ACTION_SECONDS = 3.0
"""Patience with one action; nothing is loaded from anywhere, so what takes longer does not happen."""
LOAD_SECONDS = 10.0
SETTLE = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))"
"""Scripts that draw on load get their frame before anything is looked at."""
MESSAGES_AT_MOST = 50


class BrowserPage:
    """A page of a prototype; its neighbours can be reached, and share its storage.

    Every method raises `ActionFailed` when the page does not do as asked, and `BrowserFailed` when the browser is gone.
    """

    def __init__(self, context: "BrowserContext", page: "Page", files: PageFiles, *, mobile: bool) -> None:
        """Listen to what the page says from now on; `mobile` says whether it obeys the viewport meta."""
        self._context = context
        self._mobile = mobile
        self._resized = False
        self._session: CDPSession | None = None
        self._page = page
        self._files = files
        self.console_errors: list[str] = []
        self.popups: list[str] = []
        page.on("console", lambda message: self._note(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self._note(str(error)))
        page.on("dialog", self._answer_dialog)
        page.on("popup", self._close_popup)
        self._dialogs: list[str] = []

    @property
    def refused(self) -> list[str]:
        """Addresses that the page asked for and that are none of its files."""
        return self._files.refused

    @property
    def dialogs(self) -> list[str]:
        """What the page has said in alerts and questions; they are dismissed."""
        return self._dialogs

    async def open(self, path: str) -> None:
        """Load one of the files; query and fragment may follow the path."""
        await self._done(self._page.goto(address_of(path), wait_until="load"), LOAD_SECONDS, f"open {path}")
        await self._settle()

    async def start_over(self, path: str) -> None:
        """Load one of the files as if this page had just been opened: nothing is stored, and it has its first size.

        Another page would be a process of its own, which costs more than what is looked at on it.
        """
        clear = "() => { localStorage.clear(); sessionStorage.clear(); }"
        try:
            await self._done(self._page.evaluate(clear), ACTION_SECONDS, "forget what it stored")
        except ActionFailed:  # it was about to go elsewhere, which is over now
            await self._settle()
            await self._done(self._page.evaluate(clear), ACTION_SECONDS, "forget what it stored")
        await self._done(self._page.goto("about:blank"), LOAD_SECONDS, "leave")
        await self._send("Storage.clearDataForOrigin", {"origin": ORIGIN, "storageTypes": "all"})
        await self._send("Page.resetNavigationHistory", {})
        size = self._page.viewport_size
        if self._resized and size is not None:
            await self._resize(size["width"], size["height"], mobile=self._mobile)
            self._resized = False
        await self._done(self._context.clear_cookies(), ACTION_SECONDS, "forget its cookies")
        self.forget_messages()
        await self.open(path)

    def forget_messages(self) -> None:
        """Begin anew with what the page complains of."""
        for kept in (self.console_errors, self.popups, self._dialogs, self._files.refused):
            kept.clear()

    async def reload(self) -> None:
        """Load the page again; storage stays."""
        await self._done(self._page.reload(wait_until="load"), LOAD_SECONDS, "reload")
        await self._settle()

    async def click(self, selector: str) -> None:
        """Click the first visible element that matches, as a finger would: what is covered cannot be clicked."""
        target = self._page.locator(selector).filter(visible=True).first
        await self._done(target.click(timeout=ACTION_SECONDS * 1000), ACTION_SECONDS, f"click {selector}")
        await self._settle()

    async def fill(self, selector: str, text: str) -> None:
        """Replace the text of the first visible field that matches."""
        target = self._page.locator(selector).filter(visible=True).first
        await self._done(target.fill(text, timeout=ACTION_SECONDS * 1000), ACTION_SECONDS, f"fill {selector}")
        await self._settle()

    async def select(self, selector: str, value: str) -> None:
        """Choose an option of a select element by its value or its label."""
        target = self._page.locator(selector).first
        await self._done(target.select_option(value, timeout=ACTION_SECONDS * 1000), ACTION_SECONDS, f"select {value}")
        await self._settle()

    async def press(self, key: str) -> None:
        """Press a key, such as `Enter`."""
        await self._done(self._page.keyboard.press(key), ACTION_SECONDS, f"press {key}")
        await self._settle()

    async def count(self, selector: str, *, visible: bool = False) -> int:
        """How many elements match; with `visible`, how many of them are shown."""
        found = self._page.locator(selector)
        if visible:
            found = found.filter(visible=True)
        return await self._done(found.count(), ACTION_SECONDS, f"find {selector}")

    async def exists(self, selector: str, *, visible: bool = True) -> bool:
        """Whether an element matches and, unless told otherwise, is shown."""
        return await self.count(selector, visible=visible) > 0

    async def text(self, selector: str) -> str:
        """The text of the first element that matches, with blanks as a reader sees them."""
        script = "(selector) => document.querySelector(selector)?.innerText ?? null"
        found = await self.evaluate(script, selector)
        if found is None:
            raise ActionFailed(f"There is no element {selector}.")
        return " ".join(str(found).split())

    async def attribute(self, selector: str, name: str) -> str | None:
        """The attribute of the first element that matches, or None where it lacks it."""
        script = "([selector, name]) => document.querySelector(selector)?.getAttribute(name) ?? null"
        found: str | None = await self.evaluate(script, [selector, name])
        return found

    async def style(self, selector: str, name: str) -> str:
        """The computed value of a CSS property of the first element that matches."""
        script = (
            "([selector, name]) => { const found = document.querySelector(selector); "
            "return found && getComputedStyle(found).getPropertyValue(name); }"
        )
        found = await self.evaluate(script, [selector, name])
        if found is None:
            raise ActionFailed(f"There is no element {selector}.")
        return str(found)

    async def storage(self, key: str) -> str | None:
        """What localStorage holds under the key."""
        found: str | None = await self.evaluate("(key) => localStorage.getItem(key)", key)
        return found

    async def storage_keys(self) -> list[str]:
        """The keys of localStorage, sorted."""
        found: list[str] = await self.evaluate("() => Object.keys(localStorage).sort()")
        return found

    def url(self) -> str:
        """Where the page is now: the path of a file with its query and fragment, or an address elsewhere."""
        return self._page.url.removeprefix(f"{ORIGIN}/")

    async def evaluate(self, script: str, argument: Any = None) -> Any:
        """What a JavaScript function gives in the page."""
        return await self._done(self._page.evaluate(script, argument), ACTION_SECONDS, "evaluate")

    async def screenshot(self, *, full_page: bool = False) -> bytes:
        """The page as a PNG, as much as a phone shows or all of it."""
        shot = self._page.screenshot(full_page=full_page, animations="disabled", timeout=LOAD_SECONDS * 1000)
        return await self._done(shot, LOAD_SECONDS, "screenshot")

    async def become_window(self, width: int, height: int) -> None:
        """Turn the phone into a plain window of this size, in CSS pixels: no viewport meta counts any more."""
        await self._resize(width, height, mobile=False)
        self._resized = True
        await self._settle()

    async def _resize(self, width: int, height: int, *, mobile: bool) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        await self._send("Emulation.setDeviceMetricsOverride", metrics)

    async def _send(self, method: str, arguments: Mapping[str, Any]) -> None:
        """Tell the browser something that pages cannot do."""
        if self._session is None:
            opening = self._context.new_cdp_session(self._page)
            self._session = await self._done(opening, ACTION_SECONDS, "open a session")
        await self._done(self._session.send(method, dict(arguments)), ACTION_SECONDS, method)

    async def _settle(self) -> None:
        """Let what was set off happen: a navigation first, then a frame."""
        await self._done(self._page.wait_for_load_state("load"), LOAD_SECONDS, "wait for the page")
        await self._done(self._page.evaluate(SETTLE), ACTION_SECONDS, "wait for a frame")

    async def _done(self, work: Awaitable[Answer], seconds: float, what: str) -> Answer:
        """The answer of the browser, in time.

        Raises:
            ActionFailed: it says no, or a script keeps the page busy.
            BrowserFailed: there is no page any more.
        """
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(seconds + 1.0):
                return await work
        except TimeoutError:
            raise ActionFailed(f"The page did not {what} within {seconds:.0f} s; a script may keep it busy.") from None
        except Error as error:
            said = error.message.partition("\nCall log")[0].strip()
            if self._page.is_closed() or "crashed" in said or "has been closed" in said:
                raise BrowserFailed(f"The browser went away: {said}") from error
            if "Execution context was destroyed" in said:
                raise ActionFailed(f"The page went elsewhere while it was to {what}.") from error
            raise ActionFailed(f"The page did not {what}: {said[:300]}") from error

    def _note(self, text: str) -> None:
        if len(self.console_errors) < MESSAGES_AT_MOST:
            self.console_errors.append(text[:500])

    async def _answer_dialog(self, dialog: "Dialog") -> None:
        self._dialogs.append(dialog.message[:500])
        await dialog.dismiss()

    async def _close_popup(self, popup: "Page") -> None:
        self.popups.append(popup.url[:500])
        await popup.close()

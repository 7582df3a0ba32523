"""The product's browser for tests: one process for the whole session, reached from the loop of any test."""

import asyncio
import atexit
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache, wraps
from inspect import iscoroutinefunction
from typing import Any, cast

from loopwright.agents.pages.browser import Browser, BrowserPage, PageMeasurement
from tests.support.browser import find_chromium


class SharedBrowser:
    """Stands in for a `Browser`: works on an event loop of its own, in a thread of its own."""

    def __init__(self, executable: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="shared-browser", daemon=True)
        self.thread.start()
        self.browser = self._now(self._make(executable))

    @staticmethod
    async def _make(executable: str) -> Browser:
        return Browser(executable)

    def why_not(self) -> str | None:
        """Nothing is missing: without a browser the test was skipped."""
        return self.browser.why_not()

    async def measure(self, files: Mapping[str, str | bytes], start: str) -> PageMeasurement:
        """As `Browser.measure`."""
        return cast(PageMeasurement, await self._there(self.browser.measure(files, start)))

    @asynccontextmanager
    async def page(self, files: Mapping[str, str | bytes], start: str, **options: Any) -> AsyncIterator[BrowserPage]:
        """As `Browser.page`; the methods of the page are carried over too."""
        opened = self.browser.page(files, start, **options)
        page = await self._there(opened.__aenter__())
        try:
            yield cast(BrowserPage, _Carried(page, self._there))
        finally:
            await self._there(opened.__aexit__(None, None, None))

    def close(self) -> None:
        """End the browser and its thread."""
        self._now(self.browser.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(timeout=20)
        self.loop.close()

    async def _there(self, work: Coroutine[Any, Any, Any]) -> Any:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))

    def _now(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=30)


class _Carried:
    """A page whose coroutines run on the browser's loop."""

    def __init__(self, page: BrowserPage, there: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._page = page
        self._there = there

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._page, name)
        if not iscoroutinefunction(found):
            return found

        @wraps(found)
        async def carried(*arguments: Any, **options: Any) -> Any:
            return await self._there(found(*arguments, **options))

        return carried


@lru_cache(maxsize=1)
def _shared(executable: str) -> SharedBrowser:
    browser = SharedBrowser(executable)
    atexit.register(browser.close)
    return browser


def shared_browser() -> Browser:
    """The one browser of this process; skips the test where there is none, or fails it where CI demands one."""
    return cast(Browser, _shared(find_chromium()))

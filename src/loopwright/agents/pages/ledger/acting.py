"""Acting behaviours out in the browser: the steps as a person does them, then a look at what came of them."""

import asyncio
from collections.abc import Iterable, Sequence

from loopwright.agents.pages.browser import (
    ActionFailed,
    Browser,
    BrowserFailed,
    BrowserPage,
    BrowserUnavailable,
    project_files,
)
from loopwright.agents.pages.ledger.app_pages import AppPages, normalised
from loopwright.agents.pages.ledger.behaviours import BehaviourRunner
from loopwright.agents.pages.ledger.checks import BehaviourCheck, ElementCheck, Expectation, Step
from loopwright.agents.pages.ledger.verdict import Verdict
from loopwright.agents.pages.ledger.wording import expectation_of

PATIENCE_SECONDS = 1.5
"""How long an expectation may take to come true: animations and timers of a prototype are shorter."""
_COUNT = """([selector, words]) => {
  const plain = (text) => (text || "").split(/\\s+/).filter(Boolean).join(" ").toLowerCase();
  const found = [...document.querySelectorAll(selector)];
  return found.filter((node) => plain(node.textContent).includes(plain(words))).length;
}"""

POLL_SECONDS = 0.1


def runner_for(browser: Browser | None) -> BehaviourRunner | None:
    """A runner where a browser can be used, else None."""
    return BrowserRunner(browser) if browser is not None and browser.why_not() is None else None


class BrowserRunner:
    """Gives each behaviour a page of its own, with empty storage."""

    def __init__(self, browser: Browser) -> None:
        """Keep the browser; it starts when the first behaviour is acted out."""
        self._browser = browser

    async def act_out(self, app: AppPages, checks: Iterable[BehaviourCheck]) -> list[Verdict | None]:
        """One verdict each, in order; None for what the browser, not the page, has failed at."""
        files = project_files(app.sources, app.css)
        return list(await asyncio.gather(*(self._one(files, check) for check in checks)))

    async def unseen(self, app: AppPages, slug: str, checks: Sequence[ElementCheck]) -> set[int]:
        """The places of those checks whose elements are not there once the page's scripts have run.

        None of them where the browser, not the page, fails: the source has been looked at already.
        """
        files = project_files(app.sources, app.css)
        try:
            async with self._browser.page(files, f"pages/{slug}.html") as page:
                counts = [await page.evaluate(_COUNT, [each.selector, each.text or ""]) for each in checks]
        except (ActionFailed, BrowserFailed):
            return set()
        return {place for place, each in enumerate(checks) if counts[place] < each.min_count}

    async def _one(self, files: dict[str, str], check: BehaviourCheck) -> Verdict | None:
        expected = expectation_of(check)
        try:
            async with self._browser.page(files, f"pages/{check.slug}.html") as page:
                if (problem := await act(page, check.steps)) is not None:
                    return Verdict(check, "broken", expected, problem, "browser")
                problem = await _look(page, check.expectations)
        except ActionFailed as error:
            return Verdict(check, "broken", expected, error.message, "browser")
        except (BrowserUnavailable, BrowserFailed):
            return None  # the caller falls back on the source, and the verdict says `static`
        if problem is not None:
            return Verdict(check, "broken", expected, problem, "browser")
        return Verdict(check, "kept", expected, "seen in the browser", "browser")


async def act(page: BrowserPage, steps: Sequence[Step]) -> str | None:
    """Do the steps; what went wrong, or None."""
    for number, step in enumerate(steps):
        try:
            await _do(page, step, first=number == 0)
        except ActionFailed as error:
            return error.message
    return None


async def _do(page: BrowserPage, step: Step, *, first: bool) -> None:
    selector = step.selector or ""
    match step.action:
        case "load":
            if not first:  # the page is open already; a later load comes back to it with what is stored
                await page.reload()
        case "click":
            await page.click(selector)
        case "fill":
            await page.fill(selector, step.value)
        case "select":
            await page.select(selector, step.value)


async def _look(page: BrowserPage, expectations: Sequence[Expectation]) -> str | None:
    """The first expectation that does not come true in time, as what was found instead; None when all do."""
    for expectation in expectations:
        found = await _unmet(page, expectation)
        waited = 0.0
        while found is not None and waited < PATIENCE_SECONDS:
            await asyncio.sleep(POLL_SECONDS)
            waited += POLL_SECONDS
            found = await _unmet(page, expectation)
        if found is not None:
            return found
    return None


async def _unmet(page: BrowserPage, expectation: Expectation) -> str | None:
    """What is found instead of what was expected; None when it is so."""
    selector, wanted = expectation.selector or "", expectation.value
    match expectation.kind:
        case "appears":
            return None if await page.exists(selector) else f"{selector} is not to be seen"
        case "disappears":
            return f"{selector} is still to be seen" if await page.exists(selector) else None
        case "storage":
            value = await page.storage(expectation.name)
            return None if value is not None and wanted in (None, value) else f"{expectation.name} holds {value!r}"
        case "navigation":
            here = page.url().partition("?")[0].partition("#")[0]
            return None if here == f"pages/{wanted}.html" else f"{here} is open"
    if not await page.exists(selector, visible=False):
        return f"no {selector}"
    match expectation.kind:
        case "text":
            text = await page.text(selector)
            return None if normalised(wanted or "") in normalised(text) else f"{selector} says {text[:80]!r}"
        case "class":
            classes = (await page.attribute(selector, "class") or "").split()
            return None if expectation.name in classes else f"{selector} has the classes {' '.join(classes)!r}"
        case _:
            value = await page.attribute(selector, expectation.name)
            met = value is not None and wanted in (None, value)
            return None if met else f"{selector} has {expectation.name} = {value!r}"

"""Watching what a control does: the expectations of a behaviour that nobody has put into words.

The control is used twice, each time on a fresh page with empty storage, and what both times came of it is what it does;
clocks and random numbers differ, and are no promise.
"""

import asyncio
import re
from functools import cache
from importlib.resources import files
from typing import Any

from loopwright.agents.pages.browser import ActionFailed, Browser, BrowserFailed, BrowserPage, project_files
from loopwright.agents.pages.compliance.links import collect_links
from loopwright.agents.pages.ledger.acting import act
from loopwright.agents.pages.ledger.app_pages import AppPages
from loopwright.agents.pages.ledger.checks import BehaviourCheck, Expectation

_STATE = re.compile(r"[A-Za-z0-9_-]{1,20}")

MAX_OBSERVED = 4
"""Expectations of one control; the first ones, which are the most particular."""

SETTLE_SECONDS = 0.4
"""How long after the steps the page is looked at: animations have begun, toasts have not gone."""


async def observe(browser: Browser, check: BehaviourCheck, app: AppPages) -> BehaviourCheck:
    """The check with what its steps do, as far as it can be seen; as it was where nothing can."""
    runs = await asyncio.gather(*(_effects(browser, check, app) for _ in range(2)))
    first, second = runs
    if first is None or second is None:
        return check
    both = [expectation for expectation in first if expectation in second][:MAX_OBSERVED]
    return check.model_copy(update={"expectations": tuple(both)})


async def _effects(browser: Browser, check: BehaviourCheck, app: AppPages) -> list[Expectation] | None:
    """What is otherwise after the steps; None where they could not be done."""
    try:
        async with browser.page(project_files(app.sources, app.css), f"pages/{check.slug}.html") as page:
            before = await _snapshot(page)
            if await act(page, check.steps) is not None:
                return None
            await asyncio.sleep(SETTLE_SECONDS)
            return _differences(before, await _snapshot(page), app)
    except (ActionFailed, BrowserFailed):
        return None  # what cannot be seen is not promised; the footprint in the source still is


async def _snapshot(page: BrowserPage) -> dict[str, Any]:
    found: dict[str, Any] = await page.evaluate(_script())
    return found


def _differences(before: dict[str, Any], after: dict[str, Any], app: AppPages) -> list[Expectation]:
    """The differences as expectations: where the page went, what it stores, what is seen, what elements say."""
    found: list[Expectation] = []
    if after["path"] != before["path"]:
        link = f"{after['path'].rpartition('/')[2]}"
        target = next((each.slug for each in collect_links(f'<a href="{link}">') if each.slug in app.sources), None)
        return [Expectation(kind="navigation", value=target)] if target else []
    for key, value in after["storage"].items():
        if value and before["storage"].get(key) != value and 0 < len(key) <= 200:
            # A short word is a state; anything longer is data, whose form may change while the feature stays.
            found.append(Expectation(kind="storage", name=key, value=value if _STATE.fullmatch(value) else None))
    for selector, now in after["elements"].items():
        found += _of_element(selector, before["elements"].get(selector), now)
    gone = [
        selector for selector, was in before["elements"].items() if was["seen"] and selector not in after["elements"]
    ]
    return found + [Expectation(kind="disappears", selector=selector) for selector in gone]


def _of_element(selector: str, was: dict[str, Any] | None, now: dict[str, Any]) -> list[Expectation]:
    found: list[Expectation] = []
    if now["seen"] and not (was and was["seen"]):
        found.append(Expectation(kind="appears", selector=selector))
    elif was and was["seen"] and not now["seen"]:
        found.append(Expectation(kind="disappears", selector=selector))
    for name, value in now["states"].items():
        if was and was["states"].get(name) != value:
            found.append(Expectation(kind="attribute", selector=selector, name=name, value=value))
    if was and now["text"] and now["text"] != was["text"]:
        found.append(Expectation(kind="text", selector=selector, value=now["text"]))
    if was:
        added = [name for name in now["classes"] if name not in was["classes"]]
        found += [Expectation(kind="class", selector=selector, name=name) for name in added]
    return found


@cache
def _script() -> str:
    return files(__package__).joinpath("observing.js").read_text(encoding="utf-8").partition("\n")[2]

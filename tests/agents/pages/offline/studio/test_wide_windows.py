"""The studio's pages from a phone to a desktop: what axe-core finds, nothing sideways, and where things stand."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.pages.offline.studio.rendered_app import COFFEE, render_app
from tests.support.axe import OPTIONS, RUN, engine
from tests.support.browser import find_chromium, shared_chromium

pytestmark = pytest.mark.browser

PHONE, TABLET, DESKTOP = (390, 844), (768, 1024), (1360, 900)
LOOK = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const root = document.documentElement;
  return {sideways: root.scrollWidth - root.clientWidth, content: box("main").width, main: box("main").left,
          nav: box(".bottom-nav").right, top: box(".bottom-nav").top};
}"""


async def look(page: Path, size: tuple[int, int]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Where the parts of a page stand in a window of this size, and what axe-core finds."""
    chromium = shared_chromium(find_chromium())

    async def run() -> tuple[dict[str, Any], list[dict[str, Any]]]:
        browser = await chromium.started()
        context = await browser.new_context(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", bypass_csp=True
        )
        try:
            opened = await context.new_page()
            await opened.goto(page.as_uri())
            seen = await opened.evaluate(LOOK)
            await opened.evaluate(engine())
            return seen, await opened.evaluate(RUN, OPTIONS)
        finally:
            await context.close()

    return await asyncio.wrap_future(chromium.submit(run()))


@pytest.fixture(scope="module")
def coffee(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the coffee shop's pages."""
    return render_app(COFFEE).write(tmp_path_factory.mktemp("coffee"))


@pytest.mark.parametrize("slug", ["index", "menu", "reservations"])
async def test_a_page_grows_from_a_phone_to_a_desktop(coffee: Path, slug: str) -> None:
    widths = []
    for size in (PHONE, TABLET, DESKTOP):
        seen, violations = await look(coffee / f"{slug}.html", size)
        assert violations == []
        assert seen["sideways"] <= 0
        widths.append(seen["content"])
        beside = seen["nav"] <= seen["main"] and seen["top"] < size[1] / 2
        assert beside == (size == DESKTOP)
    assert widths[0] == PHONE[0]
    assert widths[0] < widths[1] < widths[2] < DESKTOP[0]

"""Briefs of others, built offline: what axe-core finds on every page at three widths, how heavy and wide pages are."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.pages.briefs.building import build_app
from tests.agents.pages.briefs.expectations import briefs_of_others
from tests.support.axe import violations_on
from tests.support.browser import find_chromium, shared_chromium

pytestmark = pytest.mark.browser

WIDTHS = (390, 768, 1_360)
HEAVIEST = 20_480
"""Bytes of a page without the files that all pages share."""
LOOK = """() => {
  const root = document.documentElement, main = document.querySelector("main").getBoundingClientRect();
  return {sideways: root.scrollWidth - root.clientWidth, content: main.width};
}"""


async def findings_of(folder: Path) -> list[str]:
    """What is wrong with the pages in a folder, page by page and width by width."""
    chromium = shared_chromium(find_chromium())
    pages = sorted((folder / "pages").glob("*.html"))

    async def run() -> list[str]:
        browser = await chromium.started()
        found: list[str] = []
        for width in WIDTHS:
            context = await browser.new_context(
                viewport={"width": width, "height": 900}, reduced_motion="reduce", bypass_csp=True
            )
            try:
                opened = await context.new_page()
                for page in pages:
                    await opened.goto(page.as_uri())
                    looks: dict[str, Any] = await opened.evaluate(LOOK)
                    said = [str(each) for each in await violations_on(opened)]
                    said += [f"scrolls sideways by {looks['sideways']} px"] if looks["sideways"] > 0 else []
                    # A strip of a phone in a wide window is not laid out; a column of text may be narrower than it.
                    said += ["a strip as on a phone"] if width > 700 and looks["content"] < 0.5 * width else []
                    found += [f"{page.stem} at {width}: {each}" for each in said]
            finally:
                await context.close()
        return found

    return await asyncio.wrap_future(chromium.submit(run()))


@pytest.mark.parametrize(
    "brief", [brief for _, brief in briefs_of_others()], ids=[name for name, _ in briefs_of_others()]
)
async def test_every_page_of_a_brief_of_others_is_accessible_light_and_laid_out(brief: str, tmp_path: Path) -> None:
    app = await build_app(brief, tmp_path)
    assert app.slugs
    found = await findings_of(app.folder)
    # The ready businesses draw their goods in each page, and are heavier; who asks for one of them gets it so.
    sizes = {page.stem: page.stat().st_size for page in (app.folder / "pages").glob("*.html")}
    if app.analysis.get("app_model"):
        found += [f"{slug}: {size} bytes" for slug, size in sizes.items() if size > HEAVIEST]
    assert not found, "\n".join(found)

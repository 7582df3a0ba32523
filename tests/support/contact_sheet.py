"""Draw the contact sheet of forty briefs: two pages of each app as they look on a phone (`make contact-sheet`).

Fourteen are the project's own, one of each product type; twenty-six are those of others, for which nothing was made.
The home page is shown in the colour scheme that it has by itself, the second page in the other one where the brief
left the choice open.
"""

import asyncio
import base64
import io
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from PIL import Image

from loopwright.agents.pages.brief.features import read_theme
from tests.agents.pages.briefs.building import BuiltApp, build_app
from tests.agents.pages.briefs.expectations import briefs, briefs_of_others
from tests.support.browser import find_chromium, shared_chromium
from tests.support.phone import Phone, on_phone

TARGET = Path(__file__).parents[2] / "docs" / "images"
COLUMNS = 5
WIDTH = 2_800
"""Pixels of the finished image; browsers and forges show no more."""
QUALITY = 82
"""Of the WebP: text of the screens stays readable, the sheet stays below 1.5 MB."""
DULL = ("cart", "checkout", "favorites", "wishlist", "saved", "settings")
"""Pages that are empty until somebody has used the app; another one is shown."""
FLIP = """() => {
  const root = document.documentElement;
  const shown = getComputedStyle(root).getPropertyValue("--mode").trim();
  root.setAttribute("data-mode", shown === "dark" ? "light" : "dark");
}"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One app of the sheet; `screens` are data addresses of pictures."""

    name: str
    kind: str
    brief: str
    screens: tuple[str, ...]


def forty() -> dict[str, str]:
    """The briefs of the sheet by their ids: the last one of each product type, then all of others."""
    own = {brief.type: brief for brief in briefs()}.values()
    return {brief.id: brief.brief for brief in own} | dict(briefs_of_others())


async def draw(only: tuple[str, ...] = ()) -> list[Path]:
    """Build the apps, take their pictures and write the sheet; `only` are ids of briefs, all forty when empty.

    Raises:
        RuntimeError: no font of this system has Chinese characters, which would be drawn as empty boxes.
    """
    fonts = await asyncio.to_thread(subprocess.check_output, ["fc-list", ":lang=zh"])  # fontconfig comes with Chromium
    if not fonts.strip():
        raise RuntimeError("no font has Chinese characters; install one, such as Noto Sans CJK")
    chosen = {name: brief for name, brief in forty().items() if not only or name in only}
    entries = []
    for name, brief in chosen.items():
        with tempfile.TemporaryDirectory() as place:
            entries.append(await _entry(brief, await build_app(brief, Path(place))))
        print(name, file=sys.stderr)  # noqa: T201 - a script that takes minutes says where it is
    target = "pages-contact-sheet" if not only else "pages-contact-sheet-part"
    return [await _picture(_render(entries), TARGET / f"{target}.webp")]


async def _entry(brief: str, app: BuiltApp) -> Entry:
    planned = [page["slug"] for page in app.analysis["planned_pages"]]
    others = [slug for slug in planned if slug != "index" and slug in app.slugs]
    second = next((slug for slug in others if slug not in DULL), others[0] if others else None)

    async def use(phone: Phone) -> tuple[str, ...]:
        screens = [await _screen(phone, "index", flipped=False)]
        if second:
            screens.append(await _screen(phone, second, flipped=read_theme(brief).mode is None))
        return tuple(screens)

    screens = await on_phone(app.folder, use)
    return Entry(str(app.analysis["app_name"]), str(app.analysis["product_type"]).replace("_", " "), brief, screens)


async def _screen(phone: Phone, slug: str, *, flipped: bool) -> str:
    await phone.open(slug)
    if flipped:
        await phone.page.evaluate(FLIP)
    await phone.page.wait_for_timeout(250)
    picture = await phone.page.screenshot(type="jpeg", quality=92)
    return "data:image/jpeg;base64," + base64.b64encode(picture).decode("ascii")


def _render(entries: list[Entry]) -> str:
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    values: dict[str, Any] = {
        "title": f"{len(entries)} briefs",
        "subtitle": "Each built by the offline model in one run; two of its pages, as they look on a phone.",
        "columns": min(COLUMNS, len(entries)),
        "apps": entries,
    }
    return environment.get_template("contact_sheet.html.j2").render(values)


async def _picture(page: str, target: Path) -> Path:
    """The page as an image file."""
    chromium = shared_chromium(find_chromium())

    async def take() -> bytes:
        context = await (await chromium.started()).new_context(viewport={"width": WIDTH, "height": 1200})
        try:
            sheet = await context.new_page()
            await sheet.set_content(page, wait_until="load")
            return await sheet.locator("body").screenshot(type="png")
        finally:
            await context.close()

    picture = Image.open(io.BytesIO(await asyncio.wrap_future(chromium.submit(take()))))
    scale = min(1.0, WIDTH / picture.width)
    small = picture.convert("RGB").resize(
        (round(picture.width * scale), round(picture.height * scale)), Image.Resampling.LANCZOS
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    small.save(target, quality=QUALITY, method=6)
    return target


if __name__ == "__main__":
    for written in asyncio.run(draw(tuple(sys.argv[1:]))):
        print(written, written.stat().st_size)  # noqa: T201 - what a script is for

"""What is seen of an app on a phone: text, colours, links, findings of axe-core; page by page."""

import colorsys
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.axe import violations_on
from tests.support.browser import VIEWPORT_WIDTH
from tests.support.phone import ORIGIN, Phone

LOOK = """() => {
  const hex = (colour) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
    const brush = canvas.getContext("2d", { colorSpace: "srgb" });
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
    return alpha ? "#" + [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("") : null;
  };
  const painted = {};
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const colours = [style.backgroundColor, style.color];
    if (element instanceof SVGElement) colours.push(style.fill, style.stroke);
    for (const colour of new Set(colours)) {
      const seen = colour && colour !== "none" && !colour.startsWith("url") ? hex(colour) : null;
      if (seen) painted[seen] = (painted[seen] ?? 0) + 1;
    }
  }
  const ground = [document.querySelector("#app"), document.body, document.documentElement]
    .map((element) => hex(getComputedStyle(element).backgroundColor)).find(Boolean) ?? "#ffffff";
  const brand = getComputedStyle(document.documentElement).getPropertyValue("--color-brand").trim();
  return {
    text: document.body.innerText, ground, brand: brand ? hex(brand) : null, painted,
    heading: document.querySelectorAll("h1").length,
    nav: [...document.querySelectorAll("nav a")].map((link) => link.textContent.trim()),
    lang: document.documentElement.lang,
  };
}"""


@dataclass
class SeenPage:
    """One page as it is seen right after it was opened."""

    slug: str
    text: str
    ground: str
    brand: str | None
    painted: dict[str, int]
    nav: list[str]
    lang: str
    title: str
    targets: tuple[str, ...]
    """Slugs that its visible and hidden links lead to."""
    problems: list[str] = field(default_factory=list)


async def look_at(phone: Phone, slug: str) -> SeenPage:
    """Open a page, measure it and have axe-core judge it in both colour schemes."""
    before = len(phone.problems)
    await phone.open(slug)
    measured, look = await phone.probe(), await phone.page.evaluate(LOOK)
    problems = [*_misfits(measured), *map(str, await violations_on(phone.page)), *phone.problems[before:]]
    if look["heading"] != 1:
        problems.append(f"{look['heading']} headings of the first level")
    known = {path.stem for path in (phone.folder / "pages").glob("*.html")}
    targets, broken = _targets(measured["links"], known)
    return SeenPage(
        slug,
        text=" ".join(look["text"].split()),
        ground=look["ground"],
        brand=look["brand"],
        painted=look["painted"],
        nav=look["nav"],
        lang=look["lang"],
        title=measured["title"],
        targets=targets,
        problems=[f"{slug}: {problem}" for problem in [*problems, *broken]],
    )


def _misfits(measured: dict[str, Any]) -> list[str]:
    found = []
    if measured["innerWidth"] != VIEWPORT_WIDTH:
        found.append(f"innerWidth is {measured['innerWidth']}")
    if measured["overflow"] > 0:
        found.append(f"scrolls sideways by {measured['overflow']}px")
    small = (
        f"{each['selector']} is only {each['width']:.0f}x{each['height']:.0f}" for each in measured["smallTargets"]
    )
    return [*found, *small]


def _targets(links: list[str], known: set[str]) -> tuple[tuple[str, ...], list[str]]:
    """The pages that links lead to, and the links that lead nowhere."""
    pages, broken = [], []
    for link in links:
        inside = re.fullmatch(rf"{re.escape(ORIGIN)}/pages/([a-z0-9-]+)\.html(?:[?#].*)?", link)
        if inside and inside[1] in known:
            pages.append(inside[1])
        elif not link.startswith(("tel:", "mailto:", "sms:", "geo:", "data:", "blob:")):
            broken.append(f"a link to {link}")
    return tuple(dict.fromkeys(pages)), broken


async def walk(phone: Phone, pages: dict[str, SeenPage]) -> list[str]:
    """Tap from the home page to every page that links lead to, and each entry of the navigation in turn."""
    ways: dict[str, list[str]] = {"index": []}
    waiting = ["index"]
    while waiting:
        here = waiting.pop(0)
        for target in pages[here].targets:
            if target not in ways:
                ways[target] = [*ways[here], target]
                waiting.append(target)
    problems = [f"no links lead to {slug} from the home page" for slug in pages if slug not in ways]
    longest = {way[i]: way[: i + 1] for way in ways.values() for i in range(len(way))}
    for way in longest.values():
        await phone.open(way[-2] if len(way) > 1 else "index")
        problems += await _tap_link(phone, way[-1])
    return problems


async def _tap_link(phone: Phone, target: str) -> list[str]:
    from playwright.async_api import Error

    here = phone.slug
    visible = phone.page.locator(f'a[href^="{target}.html"]').locator("visible=true")
    if not await visible.count():
        return []  # shown only in some state, such as the way from a full cart to the checkout; the steps go there
    try:
        await phone.follow(target)
    except Error as failed:
        return [f"the link from {here} to {target} cannot be followed: {failed.message.splitlines()[0]}"]
    return []


def hue_of(colour: str) -> float:
    """The angle on the colour wheel, in degrees."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return colorsys.rgb_to_hls(red, green, blue)[0] * 360


def luminance_of(colour: str) -> float:
    """Relative luminance by WCAG 2, 0 (black) to 1 (white)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


async def see_all(phone: Phone, folder: Path) -> dict[str, SeenPage]:
    """Every page of the app, the home page first."""
    slugs = sorted((path.stem for path in (folder / "pages").glob("*.html")), key=lambda slug: (slug != "index", slug))
    return {slug: await look_at(phone, slug) for slug in slugs}

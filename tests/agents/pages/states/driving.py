"""Pages driven through the states that their scripts reach, with the contrast of each new look as it is painted."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from tests.support.axe import CONTRAST_ONLY, engine
from tests.support.phone import Phone, on_phone

OPTIONS = {**CONTRAST_ONLY, "resultTypes": ["violations", "incomplete"]}
MOST_TAPS = 80
"""Controls of one page that are tapped."""
Past = dict[str, list[str]]


async def faint_texts(folder: Path, slugs: Sequence[str], days: Sequence[datetime]) -> list[str]:
    """Every text that is hard to read in a state of the pages, in light and dark.

    Each page is opened on each of the days; on the first one everything on it is tapped as well, dialogs and forms
    included. A look that was measured on one day is not measured again on the next.

    Args:
        folder: the app, with `design-system.css` and `pages/`.
        slugs: the pages that are driven.
        days: what the pages take for the present, one after the other.
    """
    pasts: dict[str, Past] = {}
    found: list[str] = []
    for day in days:

        async def drive(phone: Phone, day: datetime = day) -> list[str]:
            return [faint for slug in slugs for faint in await _drive(phone, slug, pasts, tapping=day == days[0])]

        found += [f"{day:%a %d %b %H:%M}: {faint}" for faint in await on_phone(folder, drive, now=day)]
    return found


async def _drive(phone: Phone, slug: str, pasts: dict[str, Past], *, tapping: bool) -> list[str]:
    await _arrive(phone, slug, pasts)
    found = [f"{slug}, {faint}" for faint in await _measure(phone)]
    for _ in range(MOST_TAPS if tapping else 0):
        tapped = await _tap(phone)
        if tapped is None:
            break
        if phone.slug != slug or not await phone.page.evaluate("() => 'driving' in window"):
            await _arrive(phone, slug, pasts)
            continue
        found += [f"{slug} after {tapped}, {faint}" for faint in await _measure(phone)]
        pasts[slug] = await phone.page.evaluate("() => driving.remembered()")
    pasts[slug] = await phone.page.evaluate("() => driving.remembered()")
    return found


async def _arrive(phone: Phone, slug: str, pasts: dict[str, Past]) -> None:
    await phone.open(slug)
    await phone.page.evaluate(engine())
    await phone.page.evaluate(_source())
    await phone.page.evaluate("(past) => driving.remember(past)", pasts.get(slug, {"known": [], "tapped": []}))


async def _tap(phone: Phone) -> str | None:
    tapped: str | None = await phone.page.evaluate("() => driving.tap()")
    # What a tap leads to, be it a redraw or another page, is there after the tasks that it has queued.
    await phone.page.wait_for_load_state("load")
    return tapped


async def _measure(phone: Phone) -> list[str]:
    faint: list[str] = await phone.page.evaluate("(options) => driving.measure(options)", OPTIONS)
    return faint


@lru_cache(maxsize=1)
def _source() -> str:
    return Path(__file__).with_name("driving.js").read_text(encoding="utf-8")

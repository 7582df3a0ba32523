"""What a person does with an app, as data: each step is one thing done or seen (see `data/README.md`)."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tests.support.phone import PATIENCE, Phone

Step = Mapping[str, Any]


async def play(phone: Phone, steps: tuple[Step, ...]) -> list[str]:
    """Carry out the steps, beginning at the home page; ends at the first that fails and says which.

    Errors on the console count at the end, whichever step caused them.
    """
    from playwright.async_api import Error

    kept: dict[str, str] = {}
    before = len(phone.problems)
    await phone.open("index")
    for number, step in enumerate(steps, 1):
        ((verb, what),) = step.items()
        try:
            await DOING[verb](phone, what, kept)
        except (Error, AssertionError) as failed:
            reason = str(failed).strip().splitlines()[0]
            return [f"step {number} on {phone.slug}, {verb} {what!r}: {reason}", *phone.problems[before:]]
    return phone.problems[before:]


async def _go(phone: Phone, slug: str, kept: dict[str, str]) -> None:
    await phone.follow(slug)


async def _open(phone: Phone, slug: str, kept: dict[str, str]) -> None:
    await phone.open(slug)


async def _tap(phone: Phone, selector: str, kept: dict[str, str]) -> None:
    await phone.tap(selector)
    # A link leads to a page whose words are its own only after its script has run.
    await phone.page.wait_for_load_state("load")


async def _fill(phone: Phone, fields: Mapping[str, str], kept: dict[str, str]) -> None:
    for selector, text in fields.items():
        await phone.visible(selector).fill(text, timeout=PATIENCE)


async def _pick(phone: Phone, fields: Mapping[str, str], kept: dict[str, str]) -> None:
    for selector, label in fields.items():
        await phone.visible(selector).select_option(label=label, timeout=PATIENCE)


async def _see(phone: Phone, selector: str, kept: dict[str, str]) -> None:
    await phone.visible(selector).wait_for(state="visible", timeout=PATIENCE)


async def _gone(phone: Phone, selector: str, kept: dict[str, str]) -> None:
    await phone.visible(selector).wait_for(state="hidden", timeout=PATIENCE)


async def _count(phone: Phone, wanted: Mapping[str, int], kept: dict[str, str]) -> None:
    for selector, number in wanted.items():
        seen = await phone.page.locator(selector).locator("visible=true").count()
        assert seen == number, f"{seen} instead of {number}"


async def _keep(phone: Phone, places: Mapping[str, str], kept: dict[str, str]) -> None:
    for name, selector in places.items():
        kept[name] = await _text(phone, selector)


async def _same(phone: Phone, places: Mapping[str, str], kept: dict[str, str]) -> None:
    for name, selector in places.items():
        seen = await _text(phone, selector)
        assert seen == kept[name], f"{seen!r} instead of {kept[name]!r}"


async def _differs(phone: Phone, places: Mapping[str, str], kept: dict[str, str]) -> None:
    for name, selector in places.items():
        seen = await _text(phone, selector)
        assert seen != kept[name], f"still {seen!r}"


async def _times(phone: Phone, places: Mapping[str, list[Any]], kept: dict[str, str]) -> None:
    """`{price: [selector, 2, 9]}`: the amount is twice the kept price, and up to 9 more for delivery."""
    for name, (selector, factor, most) in places.items():
        seen, base = _amount(await _text(phone, selector)), _amount(kept[name])
        assert 0 <= seen - factor * base <= most, f"{seen} is not {factor} times {base}, nor up to {most} more"


async def _reload(phone: Phone, what: bool, kept: dict[str, str]) -> None:
    await phone.page.reload(wait_until="load")


async def _text(phone: Phone, selector: str) -> str:
    return (await phone.visible(selector).inner_text(timeout=PATIENCE)).strip()


def _amount(text: str) -> float:
    found = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    assert found, f"no amount in {text!r}"
    return float(found[0].replace(",", ""))


Doing = Callable[[Phone, Any, dict[str, str]], Awaitable[None]]
DOING: dict[str, Doing] = {
    "go": _go,
    "open": _open,
    "tap": _tap,
    "fill": _fill,
    "pick": _pick,
    "see": _see,
    "gone": _gone,
    "count": _count,
    "keep": _keep,
    "same": _same,
    "differs": _differs,
    "times": _times,
    "reload": _reload,
}

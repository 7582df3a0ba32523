"""Every element that is seen on the pages, with its kind, its words, its place and its computed style."""

import asyncio
import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any

from loopwright.kernel.errors import LoopwrightError

KEPT = 60
"""Looks that are kept: reading five pages takes seconds, and most edits leave most pages alone."""


@dataclass(frozen=True)
class Element:
    """An element as it is seen; lengths in CSS pixels of the page, colours as CSS `rgb()`.

    `kinds` are what people call it (`button`, `card`, `price` …), `own` its text without that of its children, `label`
    the names that it has for those who do not see it, `inside` the number of the element around it (-1: none). `radius`
    is what can be seen of a corner: at most half of the shorter side; `edge` is the width of the line around it,
    `stands` where its text is seen in what holds it: `left`, `center`, `right`, `wide` (empty: in a line with others).
    """

    tag: str
    kinds: Sequence[str]
    text: str
    own: str
    label: str
    href: str
    classes: Sequence[str]
    path: str
    inside: int
    x: int
    y: int
    width: int
    height: int
    fixed: bool
    colour: str
    ground: str
    size: float
    weight: float
    font: str
    radius: float
    align: str
    padding: float
    mono: bool
    shadow: bool = False
    edge: float = 0.0
    edge_colour: str = ""
    stands: str = ""


@dataclass(frozen=True)
class Look:
    """A page as it is seen; `wide` says that it scrolls sideways, `taps` the grounds seen while a switch was tapped."""

    slug: str
    title: str
    lang: str
    wide: bool
    elements: Sequence[Element]
    taps: Mapping[str, Sequence[str]] = field(default_factory=dict)
    searches: Sequence[Mapping[str, Any]] = ()
    """What became of the rows when something was typed into each field for searching (`searching.js`)."""
    forms: Sequence[Mapping[str, Any]] = ()
    """Each form with its fields, and what became of what was typed and sent (`trying.js`)."""
    lists: Sequence[Mapping[str, Any]] = ()
    """Each list from which one can delete: whether that is asked first, and what an empty one says (`trying.js`)."""

    def of_kind(self, kind: str) -> list[Element]:
        """The elements of a kind; the empty kind means all."""
        return [each for each in self.elements if not kind or kind in each.kinds]

    def around(self, element: Element) -> Iterator[Element]:
        """What an element stands in, from the inside out."""
        while element.inside >= 0:
            element = self.elements[element.inside]
            yield element

    def texts(self) -> Iterator[str]:
        """Everything that is to be read or heard: title, own texts, names."""
        yield self.title
        for each in self.elements:
            if each.own:
                yield each.own
            if each.label:
                yield each.label

    @property
    def words(self) -> str:
        """All of it, a line each."""
        return "\n".join(self.texts())


Looks = Mapping[str, Look]
_SEEN: OrderedDict[str, Look] = OrderedDict()


async def look_at(browser: Any, files: Mapping[str, str], slugs: Sequence[str]) -> Looks:
    """The pages as a phone shows them.

    Args:
        browser: opens pages of given files (`browser.page(files, path)`).
        files: by path, `pages/<slug>.html` and what they refer to.
        slugs: the pages to look at.

    Raises:
        LoopwrightError: the browser went away, or a page does not load.
    """
    others = [text for path, text in sorted(files.items()) if not path.startswith("pages/")]
    keys = {slug: _digest([slug, files[f"pages/{slug}.html"], *others]) for slug in slugs}

    async def read(slug: str) -> None:
        async with browser.page(files, f"pages/{slug}.html") as page:
            told = await page.evaluate(_script("elements.js"))
            _SEEN[keys[slug]] = await _with_taps(page, _look(slug, told))

    await asyncio.gather(*(read(slug) for slug in slugs if keys[slug] not in _SEEN))
    found = {slug: _SEEN[keys[slug]] for slug in slugs}
    while len(_SEEN) > KEPT:
        _SEEN.popitem(last=False)
    return found


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _look(slug: str, told: Mapping[str, Any]) -> Look:
    return Look(slug, told["title"], told["lang"], told["wide"], [Element(**each) for each in told["elements"]])


async def _with_taps(page: Any, look: Look) -> Look:
    """The look, with what became of the ground when each switch was tapped, of rows when one searched, and of forms."""
    switches = [each for each in look.elements if "button" in each.kinds and is_scheme_switch(each)]
    taps = {}
    for each in switches[:2]:
        taps[each.path] = await page.evaluate(_script("tapping.js"), each.path)
    searches = await page.evaluate(_script("searching.js"))
    forms, lists = [await _tried(page, what) for what in ("forms", "lists")]
    return replace(look, taps=taps, searches=searches, forms=forms, lists=lists)


async def _tried(page: Any, what: str) -> Sequence[Mapping[str, Any]]:
    """What came of trying them; nothing where what was sent has led to another page."""
    try:
        found: Sequence[Mapping[str, Any]] = await page.evaluate(_script("trying.js"), what)
    except LoopwrightError:
        return ()
    return found


SCHEME = re.compile(r"\bdark\b|\bnight mode\b|\bdunkle?r?|\bsombre\b|\boscuro\b|深色|夜间|暗色", re.IGNORECASE)
"""How a control is named that turns a page dark."""


def is_scheme_switch(element: Element) -> bool:
    """Whether a control is named as one that turns the page dark or light; a link leads away and is none."""
    named = f"{element.text} {element.label}"
    return element.tag != "a" and not element.href and len(named) < 60 and SCHEME.search(named) is not None


def _script(name: str) -> str:
    return resources.files("loopwright.agents.pages.account").joinpath(name).read_text(encoding="utf-8")

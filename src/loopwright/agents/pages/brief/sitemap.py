"""Which pages the app should have: those the brief names, filled up with those that its product type usually has."""

import re

from loopwright.agents.pages.brief.knowledge import Product
from loopwright.agents.pages.brief.slugs import HOME, slugify
from loopwright.agents.pages.contracts import SuggestedPage

MAX_PAGES = 8
"""A sitemap holds one to eight pages (field notes, 000 · pages)."""

DEFAULT_PAGES = 5

_NUMBERS = {"one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS_ZH = {"一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8}
_COUNT = re.compile(
    rf"\b(?P<n>\d{{1,2}}|{'|'.join(_NUMBERS)})[\s-]+(?:\w+\s+)?(?:pages?|screens?|views?)\b", re.IGNORECASE
)
_COUNT_ZH = re.compile(r"(?P<n>\d{1,2}|[一两二三四五六七八])\s*(?:个|張|张)?\s*(?:页面|页|屏)")
_AFTER = re.compile(
    r"\b(?:pages?|screens?|views?|tabs?)\b\s*(?:are|should\s+be|include|including|:|-|–|\(|for)\s*:?\s*(?P<list>[^.;\n)]+)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:with|has|have|including|include|needs?|:)\s+(?P<list>[^.;:\n]+?)\s+(?:pages|screens|views|tabs)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*(?:,|;|/|\||、|，|\band\b|&|\+)\s*", re.IGNORECASE)
_NOISE = re.compile(
    r"^(?:an?|the|its|their|my|our|following|separate|some|also|\d+)\s+|\s+(?:pages?|screens?|views?|tabs?)$",
    re.IGNORECASE,
)


def wanted_page_count(text: str) -> int | None:
    """The number of pages that the brief asks for, within 1 to 8, or None."""
    match = _COUNT.search(text) or _COUNT_ZH.search(text)
    if match is None:
        return None
    word = match["n"].lower()
    number = int(word) if word.isdigit() else {**_NUMBERS, **_NUMBERS_ZH}[word]
    return max(1, min(MAX_PAGES, number))


def named_pages(text: str) -> list[tuple[str, str]]:
    """The pages that the brief lists, as (slug, title); empty when it lists fewer than two."""
    for pattern in (_AFTER, _BEFORE):
        for match in pattern.finditer(text):
            pages = _read_list(match["list"])
            if len(pages) >= 2:
                return pages[:MAX_PAGES]
    return []


def _read_list(text: str) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for item in _SEPARATOR.split(text):
        name = item.strip(" \t\"'“”‘’-–*:")
        while (cleaned := _NOISE.sub("", name).strip()) != name:
            name = cleaned
        slug = slugify(name)
        if not slug or len(name.split()) > 3:
            continue  # a sentence, not the name of a page
        found.setdefault(slug, name if any(c.isupper() for c in name) else name.capitalize())
    return list(found.items())


def suggest_pages(text: str, known: Product) -> tuple[SuggestedPage, ...]:
    """One to eight pages, the home page first: the named ones, then the product type's own up to the wanted number.

    When the brief counts exactly the pages that it names and none of them is a home page, the first one is.
    """
    usual = {page.slug: page for page in known.pages}
    named, wanted = named_pages(text), wanted_page_count(text)
    if wanted is not None and wanted == len(named) and HOME not in dict(named):
        named[0] = (HOME, named[0][1])
    count = wanted or (len(named) if named else DEFAULT_PAGES)
    chosen: dict[str, SuggestedPage] = {}
    for slug, title in named:
        described = usual.get(slug) or _by_title(known, title)
        chosen[slug] = SuggestedPage(
            slug=slug, title=title, description=described.description if described else f"{title} of the app."
        )
    if HOME not in chosen:
        chosen = {HOME: usual[HOME], **chosen}
    for page in known.pages:
        if len(chosen) >= count:
            break
        chosen.setdefault(page.slug, page)
    return tuple([chosen.pop(HOME), *chosen.values()][:MAX_PAGES])


def _by_title(known: Product, title: str) -> SuggestedPage | None:
    return next((page for page in known.pages if page.title.lower() == title.lower()), None)

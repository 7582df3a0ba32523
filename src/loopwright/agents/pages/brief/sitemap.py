"""Which pages the app should have: those the brief names, filled up with those that its product type usually has."""

import json
import re
import unicodedata
from functools import cache, lru_cache
from importlib import resources

from loopwright.agents.pages.brief.knowledge import Product
from loopwright.agents.pages.contracts import SLUG_PATTERN, SuggestedPage

# Page titles and their slugs.

HOME = "index"
MAX_SLUG = 40

HOME_WORDS = frozenset({"home", "homepage", "home-page", "index", "start", "main", "landing", "landing-page"})
_CHINESE_TITLE = re.compile(r"[\u3400-\u9fffA-Za-z0-9]{1,10}")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_SLUG = re.compile(SLUG_PATTERN)


def is_slug(text: str) -> bool:
    """Whether this names a page and nothing else: no folder, no suffix, no way out."""
    return _SLUG.fullmatch(text) is not None


def is_chinese_title(text: str) -> bool:
    """Whether this is short enough to be the Chinese title of a page."""
    return _CHINESE_TITLE.fullmatch(text) is not None and _CHINESE.search(text) is not None


@cache
def _chinese_slugs() -> dict[str, str]:
    file = resources.files("loopwright.agents.pages.brief").joinpath("chinese_slugs.json")
    slugs: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return slugs


def slugify(title: str) -> str:
    """The slug of a page's title: ASCII letters, digits and hyphens.

    Usual Chinese titles have the slug of their English counterparts; of any other title without such letters it is
    empty.
    """
    known = _chinese_slugs().get(title.strip().removesuffix("页面").removesuffix("页") or title) or (
        _chinese_slugs().get(title.strip())
    )
    if known is not None:
        return known
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.replace("'", "")).strip("-")[:MAX_SLUG].strip("-")
    return HOME if slug in HOME_WORDS else slug


MAX_PAGES = 8
"""A sitemap holds one to eight pages (field notes, 000 · pages)."""

DEFAULT_PAGES = 5

_NUMBERS = {"one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS_ZH = {"一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8}
COUNT_OF_PAGES = re.compile(
    rf"\b(?P<n>\d{{1,2}}|{'|'.join(_NUMBERS)})[\s-]+(?:\w+\s+)?(?:pages?|screens?|views?)\b", re.IGNORECASE
)
_COUNT_ZH = re.compile(r"(?P<n>\d{1,2}|[一两二三四五六七八])\s*(?:个|張|张)?\s*(?:页面|页|屏)")
_AFTER = re.compile(
    r"\b(?:(?:pages?|screens?|views?|tabs?)\b\s*(?:are|should\s+be|include|including|:|-|–|\()|(?:pages|screens|views|tabs)"
    r"\s+for)\s*:?\s*(?P<list>[^.;\n)]{1,400})",
    re.IGNORECASE,
)
# "flashcards, 6 screens" lists no screens: it counts them.
_BEFORE = re.compile(
    r"\b(?:with|has|have|including|include|needs?|:)\s+"
    rf"(?P<list>(?:(?!\b(?:\d{{1,2}}|{'|'.join(_NUMBERS)})\s+(?:pages|screens|views|tabs)\b)[^.;:\n]){{1,300}}?)"
    r"\s+(?:pages|screens|views|tabs)\b",
    re.IGNORECASE,
)
_AFTER_ZH = re.compile(
    r"页面?\s*(?:包括|包含|分别是|分别为|分为|有|是|为|：|:)\s*[:：]?\s*(?P<list>[^。；;\n）)]{1,200})"
)
_BEFORE_ZH = re.compile(
    r"(?<![^，。；：,;:\n])(?P<list>[^，。；：,;:\n]{2,120}?)\s*(?:这|共)?(?:\d{1,2}|[一两二三四五六七八])?个页面"
)
_HOME_LIST_ZH = re.compile(r"(?P<list>(?:首页|主页)(?:、[^，。；：,;:\n、]{1,8}){1,12})")
_COLON_LIST = re.compile(r"[:：]\s*(?P<list>[^.;:。；：\n)）]{1,300})")
_SEPARATOR = re.compile(r"\s*(?:,|;|/|\||、|，|和|以及|\band\b|&|\+)\s*", re.IGNORECASE)
_WITH_SLUG = re.compile(r"(?P<title>.+?)\s*\[(?P<slug>[a-z0-9-]{1,40})\]")
"""A title with the slug that its page has already: `Order [cart]`."""

_NOISE = re.compile(
    r"^(?:an?|the|its|their|my|our|following|separate|some|also|\d+)\s+|\s+(?:pages?|screens?|views?|tabs?)$",
    re.IGNORECASE,
)


def wanted_page_count(text: str) -> int | None:
    """The number of pages that the brief asks for, within 1 to 8, or None."""
    match = COUNT_OF_PAGES.search(text) or _COUNT_ZH.search(text)
    if match is None:
        return None
    word = match["n"].lower()
    number = int(word) if word.isdigit() else {**_NUMBERS, **_NUMBERS_ZH}[word]
    return max(1, min(MAX_PAGES, number))


def named_pages(text: str) -> list[tuple[str, str]]:
    """The pages that the brief lists, as (slug, title); empty when it lists fewer than two."""
    _, pages = _page_list(text)
    return list(pages)


def without_page_list(text: str) -> str:
    """The text without the list of its pages."""
    listed, _ = _page_list(text)
    return text.replace(listed, " ", 1) if listed else text


@lru_cache(maxsize=256)
def _page_list(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    for pattern in (_AFTER, _BEFORE, _AFTER_ZH, _BEFORE_ZH, _HOME_LIST_ZH):
        for match in pattern.finditer(text):
            pages = _read_list(match["list"])
            if len(pages) >= 2:
                return match["list"], tuple(pages[:MAX_PAGES])
    return "", ()


def _read_list(text: str) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for item in _SEPARATOR.split(text):
        name = item.strip(" \t\"'“”‘’-–*:")
        while (cleaned := _NOISE.sub("", name).strip()) != name:
            name = cleaned
        given = _WITH_SLUG.fullmatch(name)
        name = given["title"] if given else name
        slug = (given["slug"] if given else slugify(name)) or (
            f"page-{len(found) + 1}" if is_chinese_title(name) else ""
        )
        if not slug or len(name.split()) > 3:
            continue  # a sentence, not the name of a page
        found.setdefault(slug, name if any(c.isupper() for c in name) else name.capitalize())
    return list(found.items())


def suggest_pages(text: str, known: Product) -> tuple[SuggestedPage, ...]:
    """One to eight pages, the home page first: the named ones, then the product type's own up to the wanted number.

    When the brief counts exactly the pages that it names and none of them is a home page, the first one is.
    """
    usual = {page.slug: page for page in known.pages}
    listed, wanted = named_pages(text), wanted_page_count(text)
    named = listed or _listed_usual(text, known)
    if wanted is not None and wanted == len(named) and HOME not in dict(named):
        named[0] = (HOME, named[0][1])
    count = wanted or (len(listed) if listed else DEFAULT_PAGES)
    chosen: dict[str, SuggestedPage] = {}
    for slug, title in named:
        described = usual.get(slug) or _by_title(known, title)
        fallback = f"{title}。" if is_chinese_title(title) else f"{title} of the app."
        chosen[slug] = SuggestedPage(
            slug=slug, title=title, description=described.description if described else fallback
        )
    if HOME not in chosen:
        chosen = {HOME: usual[HOME], **chosen}
    for page in known.pages:
        if len(chosen) >= count:
            break
        chosen.setdefault(page.slug, page)
    if wanted is None and not named:
        chosen |= {page.slug: page for page in known.pages if page.slug not in chosen and _is_mentioned(page, text)}
    return tuple([chosen.pop(HOME), *chosen.values()][:MAX_PAGES])


def _listed_usual(text: str, known: Product) -> list[tuple[str, str]]:
    """The items of a list behind a colon, where most of them are pages that the product type usually has."""
    for match in _COLON_LIST.finditer(text):
        items = _read_list(match["list"])
        usual = {slug: _usual_page(known, slug, title) for slug, title in items}
        if len([page for page in usual.values() if page]) * 2 > len(items) >= 3:
            return [(page.slug if (page := usual[slug]) else slug, title) for slug, title in items][:MAX_PAGES]
    return []


def _usual_page(known: Product, slug: str, title: str) -> SuggestedPage | None:
    return next((page for page in known.pages if page.slug == slug), None) or _by_title(known, title)


def _is_mentioned(page: SuggestedPage, text: str) -> bool:
    """Whether a brief that lists no pages speaks of this one: "… with a budget, a packing list and a wishlist"."""
    names = {page.slug.replace("-", " "), page.title.lower()}
    return any(re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text, re.IGNORECASE) for name in names)


def _by_title(known: Product, title: str) -> SuggestedPage | None:
    return next((page for page in known.pages if page.title.lower() == title.lower()), None)

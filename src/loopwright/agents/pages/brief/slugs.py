"""Page titles and their slugs."""

import json
import re
import unicodedata
from functools import cache
from importlib import resources

from loopwright.agents.pages.contracts import SLUG_PATTERN

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

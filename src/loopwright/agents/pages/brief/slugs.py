"""Page titles and their slugs."""

import re
import unicodedata

from loopwright.agents.pages.contracts import SLUG_PATTERN

HOME = "index"
MAX_SLUG = 40

HOME_WORDS = frozenset({"home", "homepage", "home-page", "index", "start", "main", "landing", "landing-page"})
_HOME_WORDS_ZH = frozenset({"首页", "主页"})
_SLUG = re.compile(SLUG_PATTERN)


def is_slug(text: str) -> bool:
    """Whether this names a page and nothing else: no folder, no suffix, no way out."""
    return _SLUG.fullmatch(text) is not None


def slugify(title: str) -> str:
    """The slug of a page's title: ASCII letters, digits and hyphens; empty when the title has none of them."""
    if title.strip() in _HOME_WORDS_ZH:
        return HOME
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.replace("'", "")).strip("-")[:MAX_SLUG].strip("-")
    return HOME if slug in HOME_WORDS else slug

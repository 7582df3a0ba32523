"""Which kind of page a page is: read off its slug, its title and, where both say nothing, its description."""

from __future__ import annotations

import re
from functools import cache

from loopwright.agents.pages.offline.studio import resources

HOME, FALLBACK = "home", "section"
_HOME_SLUG = "index"


def infer_archetype(slug: str, title: str, description: str = "", product_type: str | None = None) -> str:
    """The archetype of a page; `section` when nothing fits.

    A product type has words of its own (key `archetypes` of its JSON: archetype → pattern); they win over the common
    ones.  The description counts last, since it names other pages too ("a button to order").
    """
    if slug == _HOME_SLUG:
        return HOME
    name = f"{slug.replace('-', ' ')} {title}".lower()
    tables = [_own_patterns(product_type), _common_patterns()] if product_type else [_common_patterns()]
    for text in (name, description.lower()):
        for table in tables:
            found = next((archetype for archetype, pattern in table if pattern.search(text)), None)
            if found is not None:
                return found
    return FALLBACK


Patterns = tuple[tuple[str, "re.Pattern[str]"], ...]


@cache
def _common_patterns() -> Patterns:
    return _compiled(resources.read_json("archetypes.json"))


@cache
def _own_patterns(product_type: str) -> Patterns:
    path = f"products/{product_type}.json"
    if not resources.exists(path):
        return ()
    return _compiled(resources.read_json(path).get("archetypes", {}))


def _compiled(table: dict[str, str]) -> Patterns:
    return tuple((name, re.compile(rf"(?<![a-z])(?:{pattern})(?![a-z])")) for name, pattern in table.items())

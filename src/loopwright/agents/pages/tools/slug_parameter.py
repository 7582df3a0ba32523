"""The `slug` parameter as all tools have it."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from loopwright.agents.pages.brief.slugs import HOME
from loopwright.agents.pages.contracts import SLUG_PATTERN

_MEANS_HOME = ("home", "homepage", "home-page")


def _home(value: object) -> object:
    return HOME if value in _MEANS_HOME else value


Slug = Annotated[
    str,
    BeforeValidator(_home),
    Field(
        pattern=rf"^{SLUG_PATTERN}$", description="Page name: a-z, 0-9 and hyphen, at most 40; the home page is index"
    ),
]

"""Parameter types that several tools share.

Long texts are bounded by a validator instead of the schema's `maxLength`: endpoints that turn schemas into grammars
(small local models) refuse such large repetitions.
"""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from loopwright.agents.pages.brief.slugs import HOME
from loopwright.agents.pages.contracts import SLUG_PATTERN

_MEANS_HOME = ("home", "homepage", "home-page")


def _home(value: object) -> object:
    return HOME if value in _MEANS_HOME else value


Slug = Annotated[
    str,
    Field(
        pattern=rf"^{SLUG_PATTERN}$", description="Page name: a-z, 0-9 and hyphen, at most 40; the home page is index"
    ),
    BeforeValidator(_home),
]


def at_most(characters: int) -> AfterValidator:
    """A bound for a text that the schema does not show."""

    def check(text: str | None) -> str | None:
        if text is not None and len(text) > characters:
            raise ValueError(f"the text has {len(text):,} characters; at most {characters:,} are taken")
        return text

    return AfterValidator(check)

"""The language of a brief, and what is known of a product type in it."""

import json
import re
from functools import cache
from importlib import resources
from typing import Any, Literal

from loopwright.agents.pages.brief.knowledge import Product
from loopwright.agents.pages.contracts import SuggestedPage

Language = Literal["en", "zh"]

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")


def language_of(text: str) -> Language:
    """Chinese when the text has at least as many Chinese signs as Latin words, else English.

    A Chinese name in an English sentence, or "app" in a Chinese one, does not change the language.
    """
    chinese = len(_CHINESE.findall(text))
    return "zh" if chinese > 1 and chinese >= len(_LATIN_WORD.findall(text)) else "en"


def in_language(known: Product, language: Language) -> Product:
    """The product type with its names, titles and descriptions in this language; slugs and data model stay."""
    if language == "en":
        return known
    words = _chinese()[known.product_type]
    pages = tuple(
        SuggestedPage(slug=page.slug, title=words["pages"][page.slug][0], description=words["pages"][page.slug][1])
        for page in known.pages
    )
    named = {key: words[key] for key in ("title", "default_name", "tagline")}
    return known.model_copy(update={**named, "pages": pages})


@cache
def _chinese() -> dict[str, Any]:
    file = resources.files("loopwright.agents.pages.brief").joinpath("chinese.json")
    words: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return words

"""What is known of each product type: one JSON file each, read once."""

import json
import re
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.contracts import DataModel, SuggestedPage

MOST_READ = 6_000
"""Characters of a brief that the rules read: what an app is, people say at the beginning."""

GENERAL = "app"
"""The product type of what no other fits."""


class Keywords(BaseModel):
    """Words that point to a product type, by language. English ones match whole words, Chinese ones anywhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    en: tuple[str, ...]
    zh: tuple[str, ...]


class KeywordSets(BaseModel):
    """A strong keyword names the product type, a weak one only fits it; verbs say what people do there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strong: Keywords
    weak: Keywords
    verbs: tuple[str, ...] = ()
    """English verbs, which count only where somebody does it: "sell" in "I sell lamps", not in "hard to sell on"."""
    not_in: tuple[str, ...] = ()
    """Phrases within which no keyword counts: a job board is no board, and 外卖 has nothing of 卖."""


class Product(BaseModel):
    """One product type: how it is recognised, and what an app of this type usually has.

    `pages` stand in the order in which they matter; a plan with fewer pages takes the first ones.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    product_type: str
    title: str
    keywords: KeywordSets
    default_name: str
    tagline: str
    pages: tuple[SuggestedPage, ...]
    data_model: DataModel


@cache
def other_kinds() -> Keywords:
    """Words that name a kind of app that none of the product types is: a game, a forum, a dictionary."""
    file = resources.files("loopwright.agents.pages.brief").joinpath("other_kinds.json")
    return Keywords.model_validate_json(file.read_text(encoding="utf-8"))


@cache
def products() -> dict[str, Product]:
    """All product types by name, in alphabetical order; `app` is the general one."""
    folder = resources.files("loopwright.agents.pages.brief").joinpath("products")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda entry: entry.name)
    found = [Product.model_validate_json(entry.read_text(encoding="utf-8")) for entry in files]
    return {product.product_type: product for product in found}


def product(product_type: str) -> Product:
    """What is known of this product type; of an unknown one, what is known of apps in general."""
    return products().get(product_type, products()[GENERAL])


# The app's name: the one the brief gives, or one made of its own words.

_QUOTED = r"(?<!\w)[\"“”'‘’«»「『《](?P<quoted>[^\"“”'‘’«»「」『』《》\n]{2,40})[\"“”'‘’«»」』》](?!\w)"
_CAPITALISED = r"(?P<plain>[A-Z0-9][\w&'’.-]*(?:[ \t]+[A-Z0-9&][\w&'’.-]*){0,3})"
_NAMED = re.compile(rf"(?i:\b(?:called|named|name it|call it|name is|titled))\s*:?\s*(?:{_QUOTED}|{_CAPITALISED})")
_NAMED_LOWER = re.compile(
    r"\b(?:called|named)\s+(?P<plain>[a-z][\w-]{2,20})\b(?=\s*(?:[,.;:!?]|$|with\b|for\b|that\b))"
)
_NAMED_ZH = re.compile(
    r"(?:叫|称为)[“\"「『《](?P<quoted>[^“”\"」』》\n]{1,20})[”\"」』》]|(?:名叫|叫做|叫作|名为|名字是|名称是|取名)\s*[“\"「『《]?(?P<plain>[^\s，。、,.“”\"」』》]{2,20})"
)
_THING = r"(?:app|application|website|web\s*site|site|shop|store|prototype|应用|网站|小程序)"
_QUOTED_AFTER = re.compile(rf"{_THING}\s*:?\s*{_QUOTED}", re.IGNORECASE)
_QUOTED_BEFORE = re.compile(rf"{_QUOTED}\s*{_THING}\b", re.IGNORECASE)
_TITLE_ZH = re.compile(r"《(?P<quoted>[^《》\n]{1,40})》")
_WHOSE = re.compile(
    rf"(?i:\b{_THING}\s+(?:for|of)\s+(?:the\s+|our\s+)?)"
    r"(?P<plain>[A-Z][\w&'’-]*(?:[ \t]+(?:[A-Z][\w&'’-]*|\d{2,4})){1,4})(?=\s*(?:[:,.;(\n]|$))"
)
"""Whom an app is for, by its own name of two words and more ("app for Pawsworth Veterinary Clinic:")."""
_LEAD = re.compile(
    r"^\W*(?:please\s+)?(?:(?:can|could|would)\s+you\s+)?(?:i\s+(?:want|need|would\s+like)|i'd\s+like|make|create|build"
    r"|design|generate|develop|prototype|give)\b(?:\s+(?:me|us|to\s+(?:make|build|create|have)))*\s*",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the|my|our|some|simple|nice|new|small|mobile|modern|beautiful)\s+", re.IGNORECASE)
_PAGES = re.compile(
    r"^(?:an?\s+)?(?:one|single|two|three|four|five|six|seven|eight|\d{1,2})[\s-]*pages?\b[\s:,–-]*"
    r"(?:(?:app|site|website|landing)\b\s*)?(?:(?:for|about|of|on)\b\s*)?:?\s*",
    re.IGNORECASE,
)
_END = re.compile(
    r"\b(?:app|apps|application|website|web\s*site|site|prototype|mobile|pages?|with|for|that|which|where|to|in|using"
    r"|called|named|and|about|of|from|by)\b|[,.;:!?()\n]",
    re.IGNORECASE,
)
_PERSONAL = frozenset({"portfolio", "card"})
"""Product types that are about one person, and named after them."""
_PERSON = re.compile(
    r"(?:,\s+|\b(?:for|of)\s+)(?P<name>(?:Dr\.?\s+|Prof\.?\s+)?(?!(?:Light|Dark|Black|White)\b)"
    r"[A-Z][\w'’-]+(?:[ \t]+[A-Z][\w'’-]+){1,2})(?=\s*(?:[,.;:!?\n]|$|with\b|and\b))"
)
"""A person: two or three capitalised words that stand by themselves."""
_AUDIENCE = re.compile(
    rf"^{_THING}\s+(?:for|about)\s+(?:(?:an?|the|my|our|all|busy|young)\s+)*(?P<named>[^\W\d_][^,.;:!?()\n]*)",
    re.IGNORECASE,
)
"""Whom or what a thing is for that is called nothing else: "app for beekeepers"."""
_NOBODY = frozenset(
    {"me", "us", "you", "people", "users", "everyone", "everybody", "phones", "mobile", "android", "ios"}
)
_SMALL_WORDS = frozenset({"a", "an", "the"})


@lru_cache(maxsize=256)
def find_app_name(text: str) -> str | None:
    """The name that the brief gives the app ("called Bean There", a name in quotation marks), or None."""
    for pattern in (_NAMED, _NAMED_LOWER, _NAMED_ZH, _TITLE_ZH, _QUOTED_AFTER, _QUOTED_BEFORE, _WHOSE):
        match = pattern.search(text)
        if match is None:
            continue
        groups = match.groupdict()
        name = (groups.get("quoted") or groups.get("plain") or "").strip(" .,'’-")
        if name:
            return name if name != name.lower() or not name.isascii() else name.title()
    return None


def propose_app_name(text: str, known: Product) -> str:
    """A name made of what the brief asks for ("a coffee shop app" → "Coffee Shop"), else the product type's own."""
    person = _PERSON.search(text) if known.product_type in _PERSONAL else None
    if person is not None:
        return person["name"]
    rest = _LEAD.sub("", text.strip(), count=1)
    while stripped := _PAGES.match(rest) or _ARTICLE.match(rest):
        rest = rest[stripped.end() :]
    audience = _AUDIENCE.match(rest)
    if audience is not None and audience["named"].split()[0].lower() not in _NOBODY:
        rest = f"{audience['named']}."
    end = _END.search(rest)
    words = re.findall(r"[A-Za-z0-9][\w&'’-]*", rest[: end.start()] if end else rest)
    words = [word for word in words if word.lower() not in _SMALL_WORDS]
    if not 1 <= len(words) <= 4 or end is None:
        return known.default_name
    return " ".join(word if any(c.isupper() for c in word) else word.capitalize() for word in words)


# The language of a brief, and what is known of a product type in it.

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

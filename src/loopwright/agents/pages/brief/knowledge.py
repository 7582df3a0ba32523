"""What is known of each product type: one JSON file each, read once."""

from functools import cache
from importlib import resources

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

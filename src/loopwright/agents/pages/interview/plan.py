"""The plan that a brief and the answers make: everything that an answer can change."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from loopwright.agents.pages.brief.kinds import told_by
from loopwright.agents.pages.brief.knowledge import GENERAL, MOST_READ, Product, product, products
from loopwright.agents.pages.brief.language import Language, in_language, language_of
from loopwright.agents.pages.brief.look import ThemeWishes, read_theme
from loopwright.agents.pages.brief.naming import find_app_name, propose_app_name
from loopwright.agents.pages.brief.scenario import likeliest_type
from loopwright.agents.pages.brief.sitemap import MAX_PAGES, suggest_pages
from loopwright.agents.pages.brief.slugs import HOME, is_chinese_title, slugify
from loopwright.agents.pages.contracts import SuggestedPage
from loopwright.agents.pages.interview.decisions import Answers, by_decision
from loopwright.agents.pages.interview.tables import read_data

_CHOICES = re.compile(r"\s*[,、，;；]\s*")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is going to be built. `look` is empty where the product type's own look is taken."""

    product_type: str
    app_name: str
    audience: str
    look: ThemeWishes
    pages: tuple[SuggestedPage, ...]
    features: tuple[str, ...] = ()
    tagline: str = ""
    language: Language = "en"


def make_plan(brief: str, answers: Answers | None = None) -> Plan:
    """The plan: the answers win over the brief, the brief over what is usual for the product type."""
    brief, made = brief[:MOST_READ], by_decision(answers or {})
    language = language_of(brief)
    chosen_type = chosen_product(brief, made.get("product_type", ""), made.get("purpose", ""))
    known = told_by(brief, in_language(chosen_type, language), language)
    pages = suggest_pages(brief, known)
    chosen = _listed(made.get("pages", ""))
    return Plan(
        product_type=known.product_type,
        app_name=made.get("name") or find_app_name(brief) or propose_app_name(brief, known),
        audience=made.get("audience", ""),
        look=read_look(
            brief, [text for decision, text in made.items() if decision != "pages"], made.get("audience", "")
        ),
        pages=tuple(chosen_pages(pages, known, chosen) if chosen else pages),
        features=tuple(_listed(made.get("features", ""))),
        tagline=known.tagline,
        language=language,
    )


def chosen_product(brief: str, chosen: str = "", purpose: str = "") -> Product:
    """The product type that was chosen by its title, else that of the brief, else that of the purpose."""
    if chosen:
        for known in products().values():
            if chosen.lower() in (known.product_type, known.title.lower(), in_language(known, "zh").title):
                return known
        brief = f"{chosen}\n{brief}"
    found = likeliest_type(brief)
    if found == GENERAL and purpose:
        found = likeliest_type(purpose)
    return product(found)


def read_look(brief: str, answers: Sequence[str], audience: str) -> ThemeWishes:
    """The look: what the answers say, else the brief, else for the style what suits the audience."""
    asked, said = read_theme("\n".join(answers)), read_theme(brief)
    suits = next((style for word, style in _audiences().items() if word in audience.lower()), "")
    return ThemeWishes(
        mode=asked.mode or said.mode,
        brand_colors=asked.brand_colors or said.brand_colors,
        style_words=asked.style_words or said.style_words or ((suits,) if suits else ()),
    )


def chosen_pages(suggested: Sequence[SuggestedPage], known: Product, chosen: Sequence[str]) -> list[SuggestedPage]:
    """The pages that the user chose by their titles, with the home page before them."""
    usual = {page.title.lower(): page for page in (*known.pages, *suggested)}
    pages = {HOME: suggested[0]}
    for title in chosen:
        slug = slugify(title) or (f"page-{len(pages) + 1}" if is_chinese_title(title) else "")
        about = f"{title}。" if is_chinese_title(title) else f"{title} of the app."
        page = usual.get(title.lower()) or (SuggestedPage(slug=slug, title=title, description=about) if slug else None)
        if page is not None and page.slug != HOME:
            pages.setdefault(page.slug, page)
    return list(pages.values())[:MAX_PAGES]


def _listed(text: str) -> list[str]:
    return [item for item in _CHOICES.split(text) if item]


@cache
def _audiences() -> dict[str, str]:
    found: dict[str, str] = read_data("audiences.json")
    return found

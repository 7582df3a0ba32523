"""What a good model says in the scenarios of spec 000, §6.3."""

import json
from typing import Any

from loopwright.agents.pages.brief.analysis import analyse_brief
from tests.agents.pages.studio import fenced
from tests.support.pages_model import Turn, call

DETAILED = "Netflix clone, 5 pages, dark theme, red accent"
VAGUE = "make me a coffee shop app"

QUESTIONS: list[dict[str, Any]] = [
    {"question": "Which look?", "type": "radio", "options": ["Warm", "Cool"], "context": "It decides the colours."},
    {"question": "Which pages?", "type": "checkbox", "options": ["Menu", "Cart", "Profile"], "default": ["Menu"]},
    {"question": "Who is it for?", "type": "text"},
]


def slugs_of(brief: str) -> list[str]:
    """The pages that the analysis of the brief plans."""
    return [page.slug for page in analyse_brief(brief, "").suggested_pages]


def closing(words: str, **sections: str) -> Turn:
    """The last words of a run, with sections for the product doc."""
    if not sections:
        return Turn(words)
    patches = [{"name": name, "title": name.capitalize(), "content": content} for name, content in sections.items()]
    return Turn(words + "\n\n" + fenced("product-doc", json.dumps({"sections": patches})))


def building(brief: str, words: str = "Your app is ready.") -> list[Turn]:
    """From the analysis to the last words."""
    pages = tuple(
        ("generate_page", {"slug": page.slug, "title": page.title, "description": page.description})
        for page in analyse_brief(brief, "").suggested_pages
    )
    return [
        call("analyze_brief", user_request=brief),
        call("create_design_system", product_type="landing"),
        Turn(calls=pages),
        closing(words, overview=brief),
    ]


def one_page(words: str = "Your page is ready.") -> list[Turn]:
    """The shortest way to an app: one page, no plan."""
    return [
        call("create_design_system", product_type="landing"),
        call("generate_page", slug="index", title="Home", description="A greeting."),
        closing(words, overview="One page."),
    ]

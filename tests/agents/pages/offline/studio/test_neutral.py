"""Pages of an app that is built from its brief."""

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.domain.grammar import table
from loopwright.agents.pages.offline.studio.archetypes import plan_app
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.kernel.account.reading.lexicon import LANGUAGES

LIBRARY = (
    "A toy library called Toybox Lane. Families borrow puzzles, scooters and board games, see availability and due "
    "dates, and leave a deposit. Split a bill with neighbours. Report a broken toy."
)


def pages(brief: str) -> dict[str, LexborHTMLParser]:
    plan = plan_app(brief)
    sitemap = tuple(SitemapEntry(page.slug, page.title) for page in plan.pages)
    requests = [
        PageRequest(page.slug, page.title, page.description, plan.product_type, plan.app_name, sitemap, brief=brief)
        for page in plan.pages
    ]
    return {request.slug: LexborHTMLParser(render_page(request)) for request in requests}


def test_where_things_are_kept_they_can_be_added_changed_and_deleted() -> None:
    made = pages(LIBRARY)
    kept = [part for page in made.values() for part in page.css("[data-records]")]
    assert kept
    for part in kept:
        assert part.css_first("[data-new], [data-own-form]") is not None
        setup = json.loads(part.css_first("[data-setup]").text())
        assert (setup["edit"], setup["remove"]) == ("Edit", "Delete")
        assert part.css_first("dialog form input[name=name]") is not None


def test_every_page_is_linked_and_titled_with_the_apps_name() -> None:
    made = pages(LIBRARY)
    home = made["index"]
    assert home.css_first("title").text() == "Toybox Lane"
    assert {f"{slug}.html" for slug in made} - {"index.html"} <= {each.attributes["href"] for each in home.css("a")}


def test_nothing_of_the_instruction_or_of_another_business_is_shown() -> None:
    text = " ".join(page.body.text(separator=" ") for page in pages(LIBRARY).values()).lower()
    assert "puzzles" in text
    for word in ("welcome session", "harbour street", "maya", "a toy library called"):
        assert word not in text


@pytest.mark.parametrize(
    ("brief", "language"),
    [
        ("Eine App namens „Omas Garten“: Beete nach Lage, Aussaat mit Datum und Einkaufsliste", "de"),
        ("Une application pour « La Roue Libre » : prendre rendez-vous et consulter les tarifs", "fr"),
        ("App para un huerto llamado Tierra Viva: los vecinos reservan parcelas", "es"),
    ],
)
def test_a_page_speaks_the_language_of_its_brief(brief: str, language: str) -> None:
    for page in pages(brief).values():
        assert page.css_first("html").attributes["lang"] == language
        assert "Skip to content" not in page.html


def test_each_label_is_there_in_each_language() -> None:
    labels = table("labels")
    assert {code: set(labels[code]) for code in LANGUAGES} == {code: set(labels["en"]) for code in LANGUAGES}

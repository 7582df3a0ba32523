"""What an app is about: topics found in briefs, and content made of briefs that no topic knows."""

from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.offline.studio.topics import content_for, features_in, find_topic, product_content
from loopwright.agents.pages.runtime.drawing import motifs
from tests.agents.pages.offline.studio.rendered_app import COFFEE, request

PAGES = {"index": "Home", "explore": "Explore", "detail": "Detail", "cart": "Cart", "profile": "Profile"}
TOPICS = [
    (product_type, topic)
    for product_type in ("ecommerce", "food_and_drink")
    for topic in resources.names_in(f"topics/{product_type}", ".json")
]


@pytest.mark.parametrize(
    ("product_type", "brief", "topic"),
    [
        ("food_and_drink", "make me a coffee shop app", "coffee"),
        ("food_and_drink", "a coffee shop app with cakes and a search bar", "coffee"),
        ("food_and_drink", "a pizzeria with a dinner menu", "pizza"),
        ("food_and_drink", "an ordering app with a search bar", None),
        ("app", "an app for surfers, with notes and events", None),
        ("kanban", "a board for plants", None),
    ],
)
def test_the_topic_is_what_the_brief_names_first(product_type: str, brief: str, topic: str | None) -> None:
    assert find_topic(product_type, brief) == topic


@pytest.mark.parametrize(("product_type", "topic"), TOPICS)
def test_pages_of_every_topic_are_valid(product_type: str, topic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from loopwright.agents.pages.offline.studio import topics

    monkeypatch.setattr(topics, "find_topic", lambda *_: topic)
    titles = COFFEE if product_type == "food_and_drink" else PAGES
    css = render_design_system(product_type)
    for slug in ("index", "menu", "item", "cart") if titles is COFFEE else PAGES:
        html = render_page(request(slug, titles, product_type))
        report = validate_page(html, css=css, slug=slug, known_slugs=tuple(titles))
        assert report.issues == (), (slug, report.issues)


@pytest.mark.parametrize(("product_type", "topic"), TOPICS)
def test_items_of_every_topic_can_be_found_and_drawn(product_type: str, topic: str) -> None:
    data = resources.merged(product_content(product_type), resources.read_json(f"topics/{product_type}/{topic}.json"))
    categories = {category["id"] for category in data["categories"]}
    icons = resources.read_json("components/icons.json")
    assert {item["category"] for item in data["items"]} == categories
    assert {item["motif"] for item in data["items"]} | {data["hero"]["motif"]} <= set(motifs())
    assert {category["icon"] for category in data["categories"]} <= set(icons)
    assert len({item["id"] for item in data["items"]}) == len(data["items"])


def test_a_brief_that_no_topic_knows_fills_the_app_itself() -> None:
    brief = "An app for surfers, with tide times, a board locker, spot notes and a photo wall."
    assert list(features_in(brief)) == ["Tide times", "Board locker", "Spot notes", "Photo wall"]
    html = render_page(replace(request("index", PAGES, "app"), brief=brief))
    text = LexborHTMLParser(html).body.text(separator=" ")
    assert "surfers" in text.lower()
    assert [each for each in ("Tide times", "Board locker", "Photo wall") if each not in text] == []
    assert "The cabin by the woods" not in html


def test_a_brief_that_lists_too_little_leaves_the_content_alone() -> None:
    assert content_for("app", "an app with a list")["items"] == product_content("app")["items"]


def test_the_style_sheet_follows_the_topic() -> None:
    assert render_design_system("food_and_drink", brief="sushi bar") != render_design_system("food_and_drink")
    assert render_design_system("food_and_drink", brief="coffee") == render_design_system("food_and_drink")

"""Subjects of shops, trips, bookings, workouts and boards: found in briefs, valid on pages, never mixed up."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.domain.ready import model_of
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.offline.studio.topics import content_for, find_named, find_topic

PAGES = {
    "ecommerce": {"index": "Home", "products": "Products", "product": "Product", "cart": "Cart"},
    "travel": {"index": "Home", "destinations": "Destinations", "itinerary": "Itinerary", "tickets": "Tickets"},
    "booking": {"index": "Home", "services": "Services", "book": "Book", "staff": "Team"},
    "fitness": {"index": "Today", "workouts": "Workouts", "workout": "Workout", "progress": "Progress"},
    "kanban": {"index": "Board", "task": "Task", "projects": "Projects", "team": "Team"},
}
TOPICS = [(kind, topic) for kind in PAGES for topic in resources.names_in(f"topics/{kind}", ".json")]
CHINESE = {
    "ecommerce": "做一个卖陶瓷的网店",
    "travel": "去西藏自驾游行程",
    "booking": "美容院预约应用",
    "kanban": "团队任务看板",
    "food_and_drink": "奶茶店点单小程序",
}


def request(kind: str, slug: str, brief: str) -> PageRequest:
    """A request for one of the pages of a product type."""
    sitemap = tuple(SitemapEntry(each, title) for each, title in PAGES[kind].items())
    return PageRequest(slug, PAGES[kind][slug], "", kind, "Morning Light", sitemap, brief=brief)


@pytest.mark.parametrize(("kind", "topic"), TOPICS)
def test_pages_of_every_subject_are_valid(kind: str, topic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from loopwright.agents.pages.offline.studio import topics

    monkeypatch.setattr(topics, "find_topic", lambda *_: topic)
    css = render_design_system(kind)
    for slug in PAGES[kind]:
        report = validate_page(render_page(request(kind, slug, "")), css=css, slug=slug, known_slugs=tuple(PAGES[kind]))
        assert report.issues == (), (slug, report.issues)


@pytest.mark.parametrize(
    ("kind", "brief", "topic"),
    [
        ("ecommerce", "An online shop for handmade ceramics", "ceramics"),
        ("ecommerce", "wooden toys for toddlers", "toys"),
        ("ecommerce", "卖茶叶的网店", "tea"),
        ("ecommerce", "make me an online shop", None),
        ("travel", "Plan a trip to Japan", "japan"),
        ("travel", "云南自驾游", "yunnan"),
        ("travel", "a trip to Georgia", None),
        ("booking", "Dentist appointments for families", "dentist"),
        ("booking", "dog grooming salon", "pets"),
        ("booking", "doctors and clinics", "clinic"),
        ("food_and_drink", "Ramen bar ordering app", "ramen"),
        ("food_and_drink", "a vegan bakery", "vegan_bakery"),
        ("fitness", "Marathon training plan", "running"),
        ("kanban", "a board for a design agency", "agency"),
    ],
)
def test_the_subject_is_found(kind: str, brief: str, topic: str | None) -> None:
    assert find_topic(kind, brief) == topic


@pytest.mark.parametrize(
    ("kind", "brief", "found"),
    [
        ("place", "Plan a trip to Georgia", "Georgia"),
        ("place", "Road trip across the Balkans with friends", "Balkans"),
        ("place", "西藏自驾游行程助手", "西藏"),
        ("place", "a travel planner for families", None),
        ("goods", "A shop for vintage typewriters, dark", "vintage typewriters"),
        ("goods", "A vinyl record store with cart", "vinyl record"),
        ("goods", "online store selling fishing rods", "fishing rods"),
        ("goods", "make me an online shop with filters and a wishlist", None),
        ("goods", "An e-commerce app for parents", None),
    ],
)
def test_what_no_topic_knows_is_named_by_the_brief(kind: str, brief: str, found: str | None) -> None:
    assert find_named(kind, brief) == found


@given(st.text(max_size=300), st.sampled_from(["place", "goods"]))
def test_no_brief_breaks_the_search_for_names(brief: str, kind: str) -> None:
    found = find_named(kind, brief)
    assert found is None or 1 < len(found) <= 30


def test_a_trip_to_anywhere_names_the_place_and_no_other() -> None:
    html = render_page(request("travel", "index", "Plan a trip to Georgia, warm colours"))

    assert "Georgia" in html
    assert "Lisbon" not in html
    assert "{place}" not in html


def test_a_shop_for_anything_names_its_goods_and_sells_no_lamps() -> None:
    html = render_page(request("ecommerce", "index", "A shop for vintage typewriters"))

    assert "vintage typewriters" in html
    assert not re.search(r"lamp|stool|blanket", html, re.IGNORECASE)


@pytest.mark.parametrize("kind", list(CHINESE))
def test_every_icon_of_chinese_content_and_every_key_of_its_orders_exists(kind: str) -> None:
    """Translated content refers to the same drawings and items as the English one."""
    content = content_for(kind, CHINESE[kind])
    icons = resources.read_json("components/icons.json")
    named = set(re.findall(r'"icon": "([^"]+)"', json.dumps(content)))

    assert named <= set(icons)
    ids = {item["id"] for item in content["items"]}
    assert {line["id"] for order in content.get("orders", []) for line in order["lines"]} <= ids
    assert re.search(r"[\u4e00-\u9fff]", content["tagline"])


def test_the_words_of_questions_are_not_the_subject() -> None:
    """A stored brief holds the interview, too; "the home page" in a question makes no app about homes."""
    brief = (
        "An app for beekeepers with hive inspections, a calendar of blooms and a honey harvest log\n\n"
        "Which pages do you want besides the home page? Explore, Detail\nWhich style fits best? Minimal and clean"
    )

    titles = [block.title for block in model_of(brief).blocks()]

    assert titles == ["Hive inspections", "Calendar of blooms", "Honey harvest log"]

"""Name, pages and gaps of a brief."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.brief.knowledge import find_app_name
from loopwright.agents.pages.brief.sitemap import is_slug, named_pages, slugify, wanted_page_count


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("an app called Bean There for office workers", "Bean There"),
        ('a shop named "Nordic & Sons" with a cart', "Nordic & Sons"),
        ("fitness app 'Iron Path' with workouts", "Iron Path"),
        ("a travel app called wayfarer, with maps", "Wayfarer"),
        ("一个咖啡店应用，名叫晨光", "晨光"),
        ("《小书架》阅读应用", "小书架"),
        ("An app for Pawsworth Veterinary Clinic: owners book an appointment", "Pawsworth Veterinary Clinic"),
        ("Membership app for FC Rotdorf 1921, brand colours #C8102E", "FC Rotdorf 1921"),
        ("an app for New York tourists", None),
        ("a coffee shop app", None),
        ('a shop with a "dark" theme', None),
        ("it's the app that doesn't need a name", None),
    ],
)
def test_the_name_that_the_brief_gives(text: str, name: str | None) -> None:
    assert find_app_name(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("make me a coffee shop app", "Coffee Shop"),
        ("Netflix clone, 5 pages", "Netflix Clone"),
        ("Please build me a simple kanban board for teams", "Kanban Board"),
        ("todo list", "Taskline"),
        ("One page: a tea house with opening hours", "Tea House"),
        ("A single page for a food truck with three dishes", "Food Truck"),
        ("A one-page contact card for a plumber", "One-page Contact Card"),
        ("An app for beekeepers with hive inspections and a honey harvest log", "Beekeepers"),
        ("Build a mobile app about bird watching", "Bird Watching"),
        ("a simple app for my plants, green", "Plants"),
        ("an app for me", "My App"),
    ],
)
def test_a_name_made_of_the_briefs_words(text: str, name: str) -> None:
    assert analyse_brief(text).app_name == name


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("5 pages", 5),
        ("a five-page app", 5),
        ("three screens please", 3),
        ("one page", 1),
        ("30 pages", 8),
        ("0 pages", 1),
        ("四个页面", 4),
        ("an app with pages", None),
    ],
)
def test_the_number_of_pages(text: str, count: int | None) -> None:
    assert wanted_page_count(text) == count


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("A portfolio. Pages: Home, Work, About me, Contact.", ["index", "work", "about-me", "contact"]),
        ("with menu, cart and rewards pages", ["menu", "cart", "rewards"]),
        ("an app with 3 screens (home, trips, profile)", ["index", "trips", "profile"]),
        ("a site with nice pages", []),
    ],
)
def test_the_pages_that_the_brief_names(text: str, slugs: list[str]) -> None:
    assert [slug for slug, _ in named_pages(text)] == slugs


def slugs_of(text: str) -> list[str]:
    return [page.slug for page in analyse_brief(text).suggested_pages]


def test_the_plan_follows_the_brief() -> None:
    assert slugs_of("Netflix clone, 5 pages, dark theme") == ["index", "search", "player", "title", "favorites"]
    assert slugs_of("a coffee shop app with menu, cart and rewards pages") == ["index", "menu", "cart", "rewards"]
    assert slugs_of("a coffee shop app, 5 pages: Home, Menu, Jobs") == ["index", "menu", "jobs", "item", "cart"]
    assert slugs_of("a coffee shop with 3 pages: menu, cart, visit") == ["index", "cart", "visit"]
    assert slugs_of("a coffee shop, one page") == ["index"]


@pytest.mark.parametrize(
    ("brief", "count"),
    [
        ("A beehive app with inspections, harvest log, 5 pages, amber", 5),
        ("An app with quizzes, six screens, teal", 6),
        ("A tool lending app, 4 screens", 4),
    ],
)
def test_a_count_of_pages_among_parts_is_kept_and_names_no_page(brief: str, count: int) -> None:
    titles = [page.title for page in analyse_brief(brief).suggested_pages]
    assert len(titles) == count
    assert [title for title in titles if re.search(r"\d|\b(?:six|screens?|pages?)\b", title, re.I)] == []


def test_known_pages_bring_their_description() -> None:
    pages = {page.slug: page for page in analyse_brief("a coffee shop app. Pages: Home, Menu, Jobs").suggested_pages}
    assert "prices" in pages["menu"].description
    assert pages["jobs"].title == "Jobs"


def test_what_is_missing() -> None:
    vague = analyse_brief("make me a coffee shop app")
    assert vague.missing == ("key pages", "app name", "target audience", "visual style", "key features")
    detailed = analyse_brief(
        "A coffee shop app called Bean There for office workers, dark theme, ordering ahead. Pages: Home, Menu, Cart"
    )
    assert detailed.missing == ()
    assert analyse_brief("something").missing[0] == "product type"


def test_the_conversation_helps_to_decide() -> None:
    analysis = analyse_brief("make it now", "The user runs a coffee shop called Bean There.")
    assert (analysis.product_type, analysis.app_name) == ("food_and_drink", "Bean There")


@given(st.text(max_size=300))
def test_any_text_gives_a_usable_plan(text: str) -> None:
    analysis = analyse_brief(text)
    slugs = [page.slug for page in analysis.suggested_pages]
    assert slugs[0] == "index"
    assert 1 <= len(slugs) == len(set(slugs)) <= 8
    assert all(is_slug(slug) for slug in slugs)
    assert analysis.app_name.strip()
    assert 0.0 <= analysis.confidence <= 1.0


@given(st.text(max_size=80))
def test_slugs_are_safe(title: str) -> None:
    slug = slugify(title)
    assert slug == "" or is_slug(slug)
    assert not re.search(r"[./\\]", slug)


def test_slug_or_not() -> None:
    assert [slugify(t) for t in ("Home", "首页", "About me", "Menü & Preise")] == [
        "index",
        "index",
        "about-me",
        "menu-preise",
    ]
    for text in ("../../etc/passwd", "a/b", "Menu", "", "x" * 41, "menu\n", "menu.html"):
        assert not is_slug(text)

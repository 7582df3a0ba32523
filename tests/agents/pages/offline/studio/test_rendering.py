"""Pages of the studio: valid, linked, and of the kind that their names ask for."""

import re
from dataclasses import replace

import pytest
from jinja2 import UndefinedError

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.archetypes import infer_archetype
from loopwright.agents.pages.offline.studio.rendering import find_template, page_links, render_page
from loopwright.agents.pages.offline.studio.topics import product_content
from tests.agents.pages.offline.studio.rendered_app import COFFEE, render_app, request

COMMON = {name: name.capitalize() for name in resources.names_in("pages/common", ".html.j2") if name != "home"}
WITH_HOME = {"index": "Home", **COMMON}


@pytest.mark.parametrize("product_type", ["app", "food_and_drink"])
def test_every_common_page_is_valid(product_type: str) -> None:
    app = render_app(WITH_HOME, product_type)
    for slug, html in app.pages.items():
        report = validate_page(html, css=app.css, slug=slug, known_slugs=tuple(WITH_HOME))
        assert report.issues == (), (slug, report.issues)


def test_every_coffee_page_is_valid() -> None:
    app = render_app(COFFEE)
    for slug, html in app.pages.items():
        report = validate_page(html, css=app.css, slug=slug, known_slugs=tuple(COFFEE))
        assert report.issues == (), (slug, report.issues)


def test_no_page_needs_another_to_be_there() -> None:
    """A page alone in its app has no link to any other page."""
    for slug in COFFEE:
        html = render_page(request(slug, {slug: COFFEE[slug]}))
        targets = set(re.findall(r'href="([a-z-]+)\.html', html))
        assert targets <= {slug}, (slug, targets)


@pytest.mark.parametrize(
    ("slug", "title", "archetype"),
    [
        ("index", "Welcome", "home"),
        ("menu", "Menu", "list"),
        ("wishlist", "Wishlist", "favorites"),
        ("sign-in", "Sign in", "login"),
        ("my-orders", "My orders", "history"),
        ("our-story", "Our story", "about"),
        ("hive-log", "Hive log", "history"),
        ("contact", "Contact us", "contact"),
        ("zzz", "Zzz", "section"),
    ],
)
def test_archetypes_follow_names(slug: str, title: str, archetype: str) -> None:
    assert infer_archetype(slug, title) == archetype


def test_descriptions_count_where_names_say_nothing() -> None:
    assert infer_archetype("corner", "The corner", "A gallery of everything we made") == "gallery"
    assert infer_archetype("menu", "Menu", "All dishes with a button that puts them into the cart") == "list"


def test_templates_of_the_product_type_come_first() -> None:
    assert find_template("food_and_drink", "menu", "list") == "pages/food_and_drink/list.html.j2"
    assert find_template("app", "menu", "list") == "pages/common/list.html.j2"
    assert find_template("app", "zzz", "zzz") == "pages/common/section.html.j2"


def test_the_navigation_has_at_most_five_entries_and_marks_the_page() -> None:
    html = render_page(request("menu", COFFEE))
    navigation = re.search(r'<nav class="bottom-nav".*?</nav>', html, re.DOTALL)
    assert navigation is not None
    assert navigation[0].count('class="nav-item"') == 5
    assert re.findall(r'href="(\w+)\.html" aria-current="page"', navigation[0]) == ["menu"]


def test_pages_outside_the_navigation_are_linked_from_the_home_page() -> None:
    html = render_page(request("index", COFFEE))
    assert all(f'href="{slug}.html' in html for slug in COFFEE if slug != "item")
    assert 'href="item.html#flat-white"' in html


def test_names_are_escaped() -> None:
    html = render_page(request("index", COFFEE, app_name="<script>alert(1)</script>"))
    assert "<script>alert(1)" not in html


def test_the_same_request_gives_the_same_page() -> None:
    assert render_page(request("index", COFFEE)) == render_page(request("index", COFFEE))


def test_an_archetype_can_be_demanded() -> None:
    html = render_page(replace(request("item", COFFEE), slug="thing", title="Thing", archetype="faq"))
    assert 'data-archetype="faq"' in html


def test_an_unknown_product_type_gets_the_general_content() -> None:
    assert "A good place to begin" in render_page(request("index", COFFEE, product_type="../secrets"))


def test_every_link_has_an_icon_that_exists() -> None:
    icons = resources.read_json("components/icons.json")
    links = page_links(request("index", WITH_HOME), "app", product_content("app")["icons"])
    assert all(link.icon in icons for link in links)


def test_content_that_is_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from loopwright.agents.pages.offline.studio import rendering

    content = {key: value for key, value in product_content("app").items() if key != "faq"}
    monkeypatch.setattr(rendering, "content_for", lambda *_: content)
    with pytest.raises(UndefinedError, match="faq"):
        render_page(request("faq", WITH_HOME, "app"))

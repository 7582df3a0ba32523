"""What an app keeps, changed by words: seen in the browser, on pages as the builder draws them."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from loopwright.agents.pages.browser import Browser
from loopwright.agents.pages.domain.app_model import AppModel, AppPage, Block, Field
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.tools.build_pages import draw_page
from tests.agents.pages.studio import SESSION, Studio
from tests.support.shared_browser import shared_browser

pytestmark = pytest.mark.browser

PRICE = Field("price", "Price", "money")
WINES = Block(
    "list", "Wines", "wine", "Wine", (PRICE, Field("day", "Bottled", "date")),
    ({"id": "wine-1", "name": "Rioja", "price": 12, "day": 2}, {"id": "wine-2", "name": "Chinon", "price": 8}),
)  # fmt: skip
BOOKING = Block("form", "Book a table", "table", "Table", (Field("date", "Date", "date"),), ())
MODEL = AppModel(
    "Cellar", "en", "wine bar",
    (AppPage("index", "Home", ()), AppPage("wines", "Wines", (WINES,)), AppPage("book", "Book a table", (BOOKING,))),
)  # fmt: skip
BRIEF = "An app for a wine bar called Cellar: wines with a price in $, book a table."


@pytest.fixture
async def bar(studio: Studio) -> Studio:
    """A wine bar with a list and a form, and the browser."""
    studio.stores = replace(studio.stores, browser=cast(Browser, shared_browser()))
    sheet = render_design_system("app", app_name="Cellar", brief=BRIEF)
    (studio.folder / "design-system.css").write_text(sheet)
    await studio.stores.design_systems.save(SESSION, sheet, source="create", run_id="first", call_id="c")
    (studio.folder / "pages").mkdir(exist_ok=True)
    for page in MODEL.pages:
        html = draw_page(MODEL, page, BRIEF)
        await studio.stores.pages.save(SESSION, page.slug, html, source="generate", title=page.title, run_id="first")
        (studio.folder / "pages" / f"{page.slug}.html").write_text(html)
    return studio


async def change(bar: Studio, request: str) -> str:
    name = f"call-{len(request)}-{len(bar.file('wines'))}-{len(bar.file('book'))}"
    result = await bar.call("change_app", {"request": request}, call_id=name, user_message=request)
    assert result.success, result.output
    return result.output


def wines(bar: Studio, slug: str = "wines") -> list[Mapping[str, Any]]:
    """The records with which a page starts."""
    found = re.search(r'id="app-data">(.*?)</script>', bar.file(slug), re.DOTALL)
    assert found
    return cast(list[Mapping[str, Any]], json.loads(found[1])["records"]["Wine"])


@pytest.mark.parametrize(
    ("request_", "prices"),
    [
        ("add Chablis for $18 to the wines", {"Rioja": 12, "Chinon": 8, "Chablis": 18}),
        ("change the price of Chinon to $9.50", {"Rioja": 12, "Chinon": 9.5}),
        ("remove Chinon", {"Rioja": 12}),
        ("sort the wines by price, cheapest first", {"Chinon": 8, "Rioja": 12}),
    ],
)
async def test_records_change_on_every_page_that_holds_them(
    bar: Studio, request_: str, prices: Mapping[str, float]
) -> None:
    assert "Done:" in await change(bar, request_)
    for slug in ("wines", "index"):
        assert [(each["name"], each["price"]) for each in wines(bar, slug)] == list(prices.items())
    named = re.findall(r'<h3 class="list-title">(\w+)</h3>', bar.file("wines"))
    assert named == list(prices)  # also what stands there before scripts run


async def test_a_new_field_is_in_every_form_of_its_list_and_shown_in_its_rows(bar: Studio) -> None:
    told = await change(bar, "each wine should also have a region with north, south and west")
    assert "Done:" in told
    assert bar.file("wines").count('name="region"') == 1
    assert "<option>south</option>" in bar.file("wines")
    assert '"label": "Region"' in bar.file("wines")
    told = await change(bar, "add a phone number field to the booking form")
    assert "Done:" in told
    assert bar.file("book").count('type="tel"') == 2  # where one books, and where one edits


async def test_a_form_is_not_sent_without_what_is_needed_and_a_list_asks_before_it_deletes(bar: Studio) -> None:
    assert "Done:" in await change(bar, "the date must be filled in when booking a table")
    assert "Done:" in await change(bar, "ask for confirmation before anything is deleted")
    assert "data-ask-first" in bar.file("wines")
    assert "it is so already" in await change(bar, "ask for confirmation before anything is deleted")
    assert "Done:" in await change(bar, 'when there are no wines it should say "All gone"')


async def test_a_page_with_its_words_is_reached_from_every_menu(bar: Studio) -> None:
    assert "Done:" in await change(bar, "add a page called House rules: Be kind, call 555 0199 in need")
    assert "<li>Be kind</li>" in bar.file("house-rules")
    assert 'href="tel:5550199"' in bar.file("house-rules")
    assert all('href="house-rules.html"' in bar.file(slug) for slug in ("index", "wines", "book"))
    rows = await bar.stores.pages.of_session(SESSION)
    assert {row.slug: row.title for row in rows}["house-rules"] == "House rules"


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ("add Chablis for 18 € to the wines", "“18 €” is not in $"),
        ("change the bottled of Chinon to yesteryear", "no value"),
        ("add a field for the weather", "in which form or list"),
        ("remove the price of Pinot Noir", "there is no “Pinot Noir”"),
        ("add a page called Wines: all of them", "there is a page “Wines” already"),
    ],
)
async def test_what_does_not_fit_is_refused_by_name_and_changes_nothing(bar: Studio, request_: str, why: str) -> None:
    before = {page.slug: bar.file(page.slug) for page in MODEL.pages}
    told = await change(bar, request_)
    assert "Not done:" in told
    assert why in told
    assert {page.slug: bar.file(page.slug) for page in MODEL.pages} == before


async def test_a_list_is_filtered_and_a_day_without_its_year_follows_the_one_that_it_replaces(bar: Studio) -> None:
    assert "Done:" in await change(bar, "let people filter the wines by price")
    assert 'data-row-filter="Price"' in bar.file("wines")
    assert "Done:" in await change(bar, "move Rioja to 5 June")
    assert re.fullmatch(r"\d{4}-06-05", str(wines(bar)[0]["day"]))


async def test_a_field_goes_from_forms_and_rows_and_from_the_records(bar: Studio) -> None:
    assert "Done:" in await change(bar, "remove the price field from the wines")
    assert 'name="price"' not in bar.file("wines")
    assert '"label": "Price"' not in bar.file("wines")
    assert [each["name"] for each in wines(bar) if "price" not in each] == ["Rioja", "Chinon"]


async def test_the_app_is_called_otherwise_in_every_title(bar: Studio) -> None:
    assert "Done:" in await change(bar, "rename the app to Oak & Cork")
    titles = [re.findall(r"<title>(.*?)</title>", bar.file(page.slug))[0] for page in MODEL.pages]
    assert all(each.endswith("Oak &amp; Cork") for each in titles)
    assert not any("Cellar" in each for each in titles)

"""Requests carried out on pages: kept where the browser shows their effect, else refused in the user's language."""

import re
from dataclasses import replace
from typing import Any, cast

import pytest

from loopwright.agents.pages.account.effects import within
from loopwright.agents.pages.account.looks import look_at
from loopwright.agents.pages.browser import Browser
from loopwright.kernel.loop import run_agentic_loop
from tests.agents.pages.studio import CSS, SESSION, Studio, events_of, fenced, page
from tests.support.shared_browser import shared_browser

pytestmark = pytest.mark.browser

BODY = '<button class="btn" type="button" style="">Send</button><h2>Our cart</h2><p>The cart holds what you chose.</p>'
SHEET = f"{CSS}\n.btn {{ border-radius: 4px; background: #1b3b7f; color: #ffffff; }}\n"


@pytest.fixture
async def shop(studio: Studio) -> Studio:
    """Two pages with a button each, and the browser."""
    studio.stores = replace(studio.stores, browser=cast(Browser, shared_browser()))
    (studio.folder / "design-system.css").write_text(SHEET)
    await studio.stores.design_systems.save(SESSION, SHEET, source="create", run_id="first", call_id="c")
    (studio.folder / "pages").mkdir(exist_ok=True)
    for slug in ("index", "cart"):
        html = page(slug, ["index", "cart"], BODY)
        await studio.stores.pages.save(SESSION, slug, html, source="generate", title=slug.title(), run_id="first")
        (studio.folder / "pages" / f"{slug}.html").write_text(html)
    return studio


async def change(shop: Studio, request: str, call: str) -> str:
    result = await shop.call("change_app", {"request": request}, call_id=call, user_message=request)
    assert result.success, result.output
    return result.output


async def test_what_is_asked_everywhere_goes_into_the_shared_sheet_and_an_undo_brings_the_old_one_back(
    shop: Studio,
) -> None:
    pages = {slug: shop.file(slug) for slug in ("index", "cart")}
    told = await change(shop, "make the buttons rounder", "c1")
    assert "Done: “make the buttons rounder”: radius of 2: 4 → 10 px" in told
    assert "border-radius: 10px" in (shop.folder / "design-system.css").read_text()
    assert {slug: shop.file(slug) for slug in pages} == pages
    undone = await shop.call("restore_page", {"step": "undo"}, user_message="undo that")
    assert undone.success, undone.output
    assert (shop.folder / "design-system.css").read_text() == SHEET
    again = await shop.call("restore_page", {"step": "redo"}, user_message="redo")
    assert again.success, again.output
    assert "border-radius: 10px" in (shop.folder / "design-system.css").read_text()


async def test_a_call_that_is_repeated_after_a_crash_changes_nothing_more(shop: Studio) -> None:
    await change(shop, "make the buttons rounder and rename cart to basket", "c1")
    sheet, html = (shop.folder / "design-system.css").read_text(), shop.file("index")
    await change(shop, "make the buttons rounder and rename cart to basket", "c1")
    assert ((shop.folder / "design-system.css").read_text(), shop.file("index")) == (sheet, html)


async def test_each_part_of_a_request_is_accounted_for(shop: Studio) -> None:
    told = await change(
        shop, "rename cart to basket everywhere, sort the pages by mood and make the cards rounder", "c1"
    )
    assert told.index("Not done: “sort the pages by mood”") < told.index("Done: “rename cart to basket everywhere”")
    assert "Not done: “make the cards rounder”: there is no “cards”" in told
    assert "Our basket" in shop.file("index")
    assert 'href="cart.html"' in shop.file("index")


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("Mach die Karten runder", "Nicht gemacht: „Mach die Karten runder“"),
        ("rends les cartes plus rondes", "Pas fait : « rends les cartes plus rondes »"),
        ("haz las tarjetas más redondas", "No hecho: «haz las tarjetas más redondas»"),
        ("把卡片变圆一点", "未完成：“把卡片变圆一点”"),
    ],
)
async def test_a_refusal_is_in_the_users_language_and_changes_nothing(shop: Studio, request_: str, told: str) -> None:
    before = {slug: shop.file(slug) for slug in ("index", "cart")}
    assert told in await change(shop, request_, "c1")
    assert {slug: shop.file(slug) for slug in ("index", "cart")} == before
    assert (shop.folder / "design-system.css").read_text() == SHEET


async def test_a_rule_that_the_page_outweighs_is_not_told_as_done(shop: Studio) -> None:
    html = shop.file("index").replace('style=""', 'style="border-radius: 4px !important"')
    await shop.stores.pages.save(SESSION, "index", html, source="edit", run_id="second")
    (shop.folder / "pages" / "index.html").write_text(html)
    told = await change(shop, "make the buttons rounder", "c1")
    assert "Not done: “make the buttons rounder”" in told
    assert "Nothing was changed." in told
    assert (shop.folder / "design-system.css").read_text() == SHEET


def states(run: Any) -> dict[str, str]:
    """What the account says of each statement, by its text."""
    return {each.text: each.state for each in run.state.account.statements.values()}


async def test_a_model_that_says_all_done_and_did_nothing_is_told_on(shop: Studio) -> None:
    lie = "All done, the buttons are rounder and cart is called basket everywhere."
    run = shop.start([lie], "make the buttons rounder and rename cart to basket everywhere")
    await run_agentic_loop(run)
    assert set(states(run).values()) == {"not_used"}


async def test_a_model_that_sets_a_variable_nobody_uses_is_told_on(shop: Studio) -> None:
    await shop.stores.design_systems.save(
        SESSION, SHEET.replace(":root {", ":root { --radius-of-buttons: 20px;", 1), source="tokens", run_id="other"
    )
    run = shop.start(["Done."], "make the buttons rounder")
    await run_agentic_loop(run)
    assert states(run) == {"make the buttons rounder": "not_used"}


async def test_a_model_that_did_it_is_believed_because_it_is_seen(shop: Studio) -> None:
    call = [("change_app", {"request": "make the buttons rounder"})]
    run = shop.start([call, "Done."], "make the buttons rounder")
    await run_agentic_loop(run)
    assert states(run) == {"make the buttons rounder": "kept"}, events_of(run, "tool_result")


async def test_a_search_leaves_the_rows_that_say_what_is_typed_and_says_it_in_the_language_of_the_page(
    shop: Studio,
) -> None:
    rows = "".join(f"<li>{name}</li>" for name in ("Oak shelf", "Ash table", "Elm bench", "Fir stool"))
    html = page("cart", ["index", "cart"], f"<h2>Our cart</h2><ul>{rows}</ul>")
    await shop.stores.pages.save(SESSION, "cart", html, source="edit", title="Cart", run_id="second")
    (shop.folder / "pages" / "cart.html").write_text(html)
    told = await change(shop, "add a search to the cart page", "c1")
    assert "leaves 1 of 4 rows, nonsense 0" in told
    assert "data-row-search" not in shop.file("index")


async def test_what_a_request_has_hidden_is_shown_again_and_the_rest_stays_hidden(shop: Studio) -> None:
    await change(shop, "hide the buttons", "c1")
    told = await change(shop, "show the buttons again", "c2")
    assert "Done: “show the buttons again”: 0 → 2" in told
    again = await change(shop, "show the stars again", "c3")
    assert "Not done: “show the stars again”" in again


async def test_a_restyle_is_told_by_what_was_measured(shop: Studio) -> None:
    told = await change(shop, "make it more playful", "c1")
    assert "Done: “make it more playful”" in told
    assert "radius of 2" in told


@pytest.mark.parametrize("message", ["make everything more playful", "mach alles verspielter"])
async def test_what_is_told_as_done_is_kept_in_the_account(shop: Studio, message: str) -> None:
    """Each piece of the message ("everything", "alles") is settled by the measurement of the clause it stands in."""
    call = [("change_app", {"request": message})]
    run = shop.start([call, "Done."], message)
    await run_agentic_loop(run)
    assert set(states(run).values()) == {"kept"}, events_of(run, "tool_result")


async def test_a_headline_made_smaller_takes_the_headings_with_it_that_would_be_larger(shop: Studio) -> None:
    told = await change(shop, "the headline is way too big", "c1")
    assert "Done: “the headline is way too big”: size of 2: " in told
    assert "headings below it as well" in told


@pytest.mark.parametrize("request_", ["make the menu icons bigger", "hide the menu icons"])
async def test_icons_elsewhere_stay_as_they_are(shop: Studio, request_: str) -> None:
    """Icons of one class stand in the menu and beside the entries; only those of the menu are meant."""
    icon = (
        '<svg class="icon" width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 2h20v20z"/></svg>'
    )
    html = shop.file("index").replace("<nav", f'<p class="entry">{icon} Oak</p><nav', 1)
    html = re.sub(r"(<nav[^>]*>.*?<a[^>]*>)", rf"\g<1>{icon}", html, count=1, flags=re.DOTALL)
    assert html.count("<svg") == 2
    await shop.stores.pages.save(SESSION, "index", html, source="edit", title="Index", run_id="second")
    (shop.folder / "pages" / "index.html").write_text(html)
    assert f"Done: “{request_}”" in await change(shop, request_, "c1")
    files = {f"pages/{slug}.html": shop.file(slug) for slug in ("index", "cart")}
    files["design-system.css"] = (shop.folder / "design-system.css").read_text()
    look = (await look_at(shared_browser(), files, ["index"]))["index"]
    inside = [each for each in look.of_kind("icon") if within(each, look, ("menu",))]
    outside = [each for each in look.of_kind("icon") if each not in inside]
    assert [each.width for each in outside] == [24]
    assert [each.width for each in inside] == ([] if request_.startswith("hide") else [28])


async def test_a_new_sheet_has_the_brand_colours_that_were_asked_for(shop: Studio) -> None:
    """The model writes the sheet in colours of its own; the user's are in it to the digit."""
    asked = {"product_type": "shop", "brand_colors": ["#0A7D5A"]}
    assert "#0a7d5a" not in SHEET.lower()
    made = await shop.call("create_design_system", asked, fenced("css", SHEET + ":root{}\n" * 3), call_id="c1")
    assert made.success, made.output
    sheet = (shop.folder / "design-system.css").read_text().lower()
    assert re.search(r"--brand: #0a7d5a", sheet)

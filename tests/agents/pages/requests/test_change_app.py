"""Requests carried out on pages: kept where the browser shows their effect, else refused in the user's language."""

import re
from dataclasses import replace
from typing import Any, cast

import pytest

from loopwright.agents.pages.account.effects import readable, within
from loopwright.agents.pages.account.looks import look_at
from loopwright.agents.pages.browser import Browser
from loopwright.agents.pages.offline.studio.design_system import render_design_system
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


@pytest.mark.parametrize(
    ("message", "deed", "settled"),
    [
        ("make the buttons #1b3b7f", "", ("kept", "it was so already")),
        ("make the buttons #1b3b7f", "make the buttons red", ("not_used", "not so in the result")),
        ("make the buttons #0a7d5a", "", ("not_used", "not so in the result")),
    ],
)
async def test_what_was_so_already_is_told_in_these_words_while_it_is_still_so(
    shop: Studio, message: str, deed: str, settled: tuple[str, str]
) -> None:
    calls = [[("change_app", {"request": deed})]] if deed else []
    run = shop.start([*calls, "Done."], message)
    await run_agentic_loop(run)
    (statement,) = run.state.account.statements.values()
    assert (statement.state, statement.reason.split(":")[0]) == settled, statement


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


@pytest.mark.parametrize(
    "message",
    [
        "make everything more playful",
        "mach alles verspielter",
        "Schreib auf die Startseite: Wir haben vom 1. bis 15. August Betriebsferien",
        "we are closed on Mondays, say so on the cart page",
        "Please rename cart to basket everywhere",
    ],
)
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


async def test_a_clause_that_asks_for_two_styles_is_kept_whole_in_the_account(shop: Studio) -> None:
    message = "make the button on the cart page white and bigger"
    run = shop.start([[("change_app", {"request": message})], "Done."], message)
    await run_agentic_loop(run)
    assert set(states(run).values()) == {"kept"}, events_of(run, "tool_result")


async def test_that_only_one_page_is_meant_is_measured(shop: Studio) -> None:
    message = "only on the cart page: make the heading red and smaller"
    run = shop.start([[("change_app", {"request": message})], "Done."], message)
    await run_agentic_loop(run)
    assert set(states(run).values()) == {"kept"}, events_of(run, "tool_result")


async def test_other_words_for_a_button_leave_the_same_words_elsewhere(shop: Studio) -> None:
    html = shop.file("index").replace("<h2>", "<p><b>Send</b></p><h2>", 1)
    await shop.stores.pages.save(SESSION, "index", html, source="edit", title="Index", run_id="second")
    (shop.folder / "pages" / "index.html").write_text(html)
    told = await change(shop, "change the Send button on the index page to 'Post it'", "c1")
    assert "“Send” → “Post it” on index" in told
    assert "<b>Send</b>" in shop.file("index")
    assert ">Post it</button>" in shop.file("index")


async def test_a_page_gets_another_name_wherever_a_link_leads_to_it(shop: Studio) -> None:
    told = await change(shop, "call the cart page Basket", "c1")
    assert "Done: “call the cart page Basket”" in told
    assert all(">Basket<" in shop.file(slug) for slug in ("index", "cart"))
    assert "Our cart" in shop.file("index")


async def test_what_is_to_stand_below_a_thing_stands_there_and_leads_where_it_should(shop: Studio) -> None:
    told = await change(shop, "add a link to the cart page below Our cart on the index page", "c1")
    assert "Done: " in told
    assert re.search(r"</h2>\s*<p class=\"section\"><a href=\"cart.html\">Cart</a></p>", shop.file("index"))


async def test_words_on_a_new_ground_can_be_read(shop: Studio) -> None:
    told = await change(shop, "make the background of the cart page dark blue", "c1")
    assert "Done: " in told
    files = {f"pages/{slug}.html": shop.file(slug) for slug in ("index", "cart")}
    files["design-system.css"] = (shop.folder / "design-system.css").read_text()
    looks = await look_at(shared_browser(), files, ["index", "cart"])
    assert all(readable(each) for each in looks["cart"].of_kind("text") if each.own and "button" not in each.kinds)
    assert {each.ground for each in looks["index"].of_kind("page")} != {
        each.ground for each in looks["cart"].of_kind("page")
    }


@pytest.mark.parametrize("ground", ["light green", "navy"])
async def test_texts_can_be_read_on_a_new_ground(shop: Studio, ground: str) -> None:
    """The inks of a sheet that says how they are derived follow; a dark ground takes the dark colours."""
    sheet = render_design_system("app")
    (shop.folder / "design-system.css").write_text(sheet)
    await shop.stores.design_systems.save(SESSION, sheet, source="create", run_id="first", call_id="d")
    told = await change(shop, f"make the background {ground}", "c1")
    assert f"Done: “make the background {ground}”" in told


@pytest.mark.parametrize(
    "undo", ["Mach das rückgängig", "Annule la dernière modification", "Deshaz el último cambio", "撤销"]
)
async def test_who_asks_for_an_undo_in_another_language_has_asked_for_it(shop: Studio, undo: str) -> None:
    before = shop.file("index")
    await change(shop, "rename cart to basket everywhere", "c1")
    undone = await shop.call("restore_page", {"step": "undo"}, user_message=undo)
    assert undone.success, undone.output
    assert shop.file("index") == before


async def test_a_style_that_a_later_request_has_moved_away_from_its_element_is_given_again(shop: Studio) -> None:
    told = await change(shop, "make the send button red and put it at the bottom", "c1")
    assert told.count("- Done") == 2
    files = {f"pages/{slug}.html": shop.file(slug) for slug in ("index", "cart")}
    files["design-system.css"] = (shop.folder / "design-system.css").read_text()
    looks = await look_at(cast(Browser, shared_browser()), files, ["index", "cart"])
    sends = [each for look in looks.values() for each in look.of_kind("button") if each.text == "Send"]
    assert {each.ground for each in sends} == {"rgb(230, 0, 0)"}

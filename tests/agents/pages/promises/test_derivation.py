"""What a change promises: names that last, tied to the words that asked for it, and nothing for mere tidying."""

import pytest

from loopwright.agents.pages.promises.checks import Check, ElementCheck, LinkCheck, StyleCheck, TextCheck
from loopwright.agents.pages.promises.derivation import Change, derive
from loopwright.agents.pages.promises.replay import look_at
from loopwright.agents.pages.promises.wording import expectation_of
from tests.agents.pages.promises.pages import SHOP, app, replaced

NEWSLETTER = (
    '<section id="newsletter"><h2>News</h2><p>Once a month.</p><form id="join"><label for="mail">Email</label>'
    '<input id="mail" type="email" name="mail"><button class="btn" data-join>Join</button></form></section>'
)


def derived(after: str, request: str, instructions: str = "", before: str = SHOP) -> tuple[Check, ...]:
    return derive(Change("index", app(before), app(after), request, instructions or request))


def said(checks: tuple[Check, ...]) -> list[str]:
    return [expectation_of(each) for each in checks]


def test_a_new_section_is_known_by_its_names() -> None:
    after = replaced("</main>", f"{NEWSLETTER}</main>")
    checks = derived(after, "add a newsletter")
    selectors = {each.selector for each in checks if isinstance(each, ElementCheck)}
    assert {"#newsletter", "#mail", "[data-join]"} <= selectors
    assert not any(isinstance(each, ElementCheck) and each.text for each in checks), said(checks)
    for each in checks:
        assert look_at(each, app(after)).state == "kept"
        assert look_at(each, app()).state == "broken"
    # It stays recognised when its words, its place and its neighbours change.
    moved = replaced(NEWSLETTER, "", after).replace("<main>", "<main>" + NEWSLETTER.replace("News", "Letters"))
    assert [look_at(each, app(moved)).state for each in checks] == ["kept"] * len(checks)


def test_a_new_look_of_something_old() -> None:
    after = replaced(".app-bar {", ".app-bar { background-color: #0a7d32;")
    (check,) = derived(after, "make the header green")
    assert check == StyleCheck(slug="index", selector=".app-bar", property="background-color", value="#0a7d32")
    inline = replaced('<header class="app-bar">', '<header class="app-bar" style="background-color: green">')
    (check,) = derived(inline, "make the header green")
    assert isinstance(check, StyleCheck)
    assert (check.property, check.value) == ("background-color", "green")


def test_new_words_that_were_asked_for() -> None:
    after = replaced("<h1>Corner Shop</h1>", "<h1>Morning Market</h1>")
    checks = derived(after, 'change the heading to "Morning Market"')
    assert ElementCheck(slug="index", selector="h1", text="Morning Market") in checks
    titled = replaced("<title>Corner Shop", "<title>Morning Market", after)
    assert TextCheck(slug="index", text="Morning Market") in derived(titled, "call it Morning Market")
    quiet = replaced("<li", '<li><p class="note">Open until nine in the evening</p></li><li', SHOP)
    assert derived(quiet, "tell people when we close") == ()


def test_a_new_link_and_a_new_control_with_its_script() -> None:
    checks = derived(replaced("</nav>", '<a href="menu.html">All</a></nav>'), "link to the menu page")
    assert checks == ()  # there is no menu page: what does not hold is no promise
    start = replaced('<a href="cart.html">Cart</a>', "").replace('<a href="cart.html" aria-label="Cart">2</a>', "")
    checks = derived(SHOP, "link to the cart", before=start)
    assert LinkCheck(slug="index", target="cart") in checks
    button = replaced("</main>", '<button id="clear" class="btn">Clear</button></main>').replace(
        "greet();\n", "greet();\ndocument.getElementById('clear').onclick = () => { localStorage.clear(); };\n"
    )
    checks = derived(button, "add a button that clears everything")
    assert {each.kind for each in checks} == {"element", "behaviour"}
    broken = replaced("document.getElementById('clear').onclick", "document.body.onclick", button)
    assert [look_at(each, app(broken)).state for each in checks if each.kind == "behaviour"] == ["broken"]


def test_a_removal_stays_removed() -> None:
    start = replaced("</main>", f"{NEWSLETTER}</main>")
    checks = derived(SHOP, "remove the newsletter", before=start)
    assert "no #newsletter on index" in said(checks)
    assert [look_at(each, app(start)).state for each in checks] == ["broken"] * len(checks)
    assert derived(SHOP, "make it calmer", before=start) == ()


def test_hearts_on_every_card_may_lose_one_with_its_card() -> None:
    bare = SHOP.replace("data-favourite=", "data-x=")
    checks = derived(SHOP, "hearts on every card", before=bare)
    hearts = [each for each in checks if isinstance(each, ElementCheck) and "data-favourite" in each.selector]
    assert [each.min_count for each in hearts] == [2]


@pytest.mark.parametrize(
    "instructions",
    [
        "Mend what the validation reports:\n- touch-target: #clear",
        "Fix the contrast of the price",
        "repair broken links",
    ],
)
def test_housekeeping_promises_nothing(instructions: str) -> None:
    after = replaced(".price {", ".price { min-height: 44px;").replace("</main>", f"{NEWSLETTER}</main>")
    assert derived(after, "add a search bar", instructions) == ()
    assert derived(after, instructions, instructions) != ()  # unless the user has asked for it


def test_many_unrelated_details_are_no_wish() -> None:
    after = SHOP.replace(".price {", ".price { color: #111; margin: 2px; padding: 3px; opacity: 1; top: 1px;")
    assert derived(after, "tidy up") == ()
    checks = derived(after, "give the prices another colour and margin")
    assert 0 < len(checks) <= 6


def test_words_that_stood_there_before_do_not_hide_new_ones() -> None:
    """“Cart” is named by the request and stands in the navigation; what is new is the button's name."""
    before = replaced('<button class="btn">Order</button>', '<button class="btn">Add to cart ·</button>')
    after = replaced("Add to cart ·", "Buy ·", before)
    (check,) = derived(after, 'rename "Add to cart" to "Buy"', before=before)
    assert said((check,)) == ["button with the words 'Buy ·' on index"]


def test_a_landmark_without_a_name_stays_gone() -> None:
    before = replaced("</main>", "</main><footer><p>Open from nine to five.</p></footer>")
    (check,) = derived(SHOP, "remove the footer", before=before)
    assert said((check,)) == ["no footer on index"]
    two = replaced("</main>", "</main><footer><p>Closed on Mondays.</p></footer>", before)
    assert derived(before, "remove the second footer", before=two) == ()

"""What kind of wish a message is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.offline.intents import feature_of, mentioned_pages, slug_of, title_of, understand
from loopwright.agents.pages.offline.removing import removal_in

PAGES = [("index", "Home"), ("menu", "Menu"), ("cart", "Cart"), ("about-us", "About us")]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hello", "greeting"),
        ("Thanks, great job!", "greeting"),
        ("what can you do?", "question"),
        ("Why is the header blue?", "question"),
        ("go on", "continue"),
        ("yes, please continue", "continue"),
        ("Please continue", "continue"),
        ("undo", "undo"),
        ("please revert the last change", "undo"),
        ("change it back", "undo"),
        ("change the back button to green", "edit"),
        ("remove the about page", "remove_page"),
        ("delete page cart", "remove_page"),
        ("remove the cart page and all links to it", "remove_page"),
        ("we don't need the order history page any more", "remove_page"),
        ("remove the menu, cart and about pages", "remove_page"),
        ("把购物车页面删掉", "remove_page"),
        ("不要购物车页面了", "remove_page"),
        ("remove the link to the cart page", "edit"),
        ("remove every page", "edit"),
        ("remove the button on the menu page", "edit"),
        ("add a page about our team", "new_page"),
        ("Can you add an about page?", "new_page"),
        ("create a contact screen", "new_page"),
        ("hi, please add a new page called Our Story", "new_page"),
        ("add a page Opening Hours", "new_page"),
        ("I need a page for gift cards", "new_page"),
        ("add a logo to every page", "edit"),
        ("add a button on the menu page", "edit"),
        ("add a page number to the footer", "edit"),
        ("make the menu page darker", "edit"),
        ("make the header green", "edit"),
        ("Could you make the header green?", "edit"),
        ("Why is the header blue? Make it green.", "edit"),
        ("@cart rename the button to Pay now", "edit"),
        ("make it dark", "restyle"),
        ("use a dark theme", "restyle"),
        ("How about green as the accent?", "restyle"),
        ("change the primary color to #7C3AED", "restyle"),
        ("make the whole app more playful", "restyle"),
        ("make the buttons green", "edit"),
        ("add a favorites feature", "feature"),
        ("let users save their favorite drinks", "feature"),
        ("users should be able to rate a drink", "feature"),
        ("add favorites", "feature"),
        ("add a favorites feature: a heart on each card of the menu, and a list of them on the profile page", "edit"),
        ("make me a travel app", "new_app"),
        ("build a new app for a bakery", "new_app"),
        ("make the app bar green", "edit"),
    ],
)
def test_wishes_about_an_app(text: str, kind: str) -> None:
    assert understand(text, has_pages=True).kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hi there!", "greeting"),
        ("What do you need to know?", "question"),
        ("make me a coffee shop app", "new_app"),
        ("Can you make me a coffee shop app?", "new_app"),
        ("Netflix clone, 5 pages, dark theme, red accent", "new_app"),
        ("a page for my band", "new_app"),
        ("coffee", "new_app"),
        ("undo", "undo"),
    ],
)
def test_wishes_without_an_app(text: str, kind: str) -> None:
    assert understand(text, has_pages=False).kind == kind


def test_a_look_for_some_pages_is_an_edit() -> None:
    """The design system belongs to all pages."""
    assert understand("@cart make it dark", has_pages=True, targeted=True).kind == "edit"


@pytest.mark.parametrize(
    ("text", "title", "slug"),
    [
        ("add a page about our team", "Our Team", "our-team"),
        ("add an about page", "About", "about"),
        ("create a page called “Gift cards” with vouchers", "Gift Cards", "gift-cards"),
        ("add a page for events in Kyiv", "Events", "events"),
        ("add a Brewing Guides page", "Brewing Guides", "brewing-guides"),
    ],
)
def test_new_pages_get_names(text: str, title: str, slug: str) -> None:
    wish = understand(text, has_pages=True)
    assert wish.kind == "new_page"
    assert title_of(wish.subject) == title
    assert slug_of(title_of(wish.subject)) == slug


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("add a favorites feature", "favorites"),
        ("add favorites", "favorites"),
        ("let users save their favorite drinks", "save their favorite drinks"),
        ("users should be able to rate a drink", "rate a drink"),
        ("we need a loyalty program", "loyalty program"),
        ("add support for coupons", "coupons"),
    ],
)
def test_features_have_names(text: str, feature: str) -> None:
    assert feature_of(text) == feature


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("on the menu page, hide the prices", ("menu",)),
        ("make the home page warmer", ("index",)),
        ("add a button to the cart", ("cart",)),
        ("rename the button in the about us page", ("about-us",)),
        ("link the cart and menu pages", ()),
        ("make the header green", ()),
    ],
)
def test_pages_named_in_words(text: str, slugs: tuple[str, ...]) -> None:
    assert mentioned_pages(text, PAGES) == slugs


@given(st.text(max_size=200), st.booleans())
def test_every_text_is_understood_as_something(text: str, has_pages: bool) -> None:
    wish = understand(text, has_pages=has_pages)
    assert wish.kind
    assert set(slug_of(title_of(text))) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert len(slug_of(text)) <= 40


def test_long_repetitive_text_is_read_in_time() -> None:
    """No pattern may run away on a message of 100 KB."""
    for piece in ("add a ", "please ", "page ", "make it so ", "a-b'", "remove the big "):
        understand(piece * (100_000 // len(piece)), has_pages=True)


@pytest.mark.parametrize(
    ("text", "names", "rest"),
    [
        ("delete the opening hours page, add 'Open Tuesdays' to the home page", ("opening hours",), "Open Tuesdays"),
        ("Entferne die Seite mit den Mitgliedern", ("Mitgliedern",), ""),
        ("删除志愿者页面", ("志愿者",), ""),
        ("supprime la page Recettes", ("Recettes",), ""),
        ("remove the price from the menu page", (), "remove the price from the menu page"),
    ],
)
def test_pages_that_are_to_go_are_told_from_what_else_is_asked(text: str, names: tuple[str, ...], rest: str) -> None:
    found = removal_in(text)
    assert found.names == names
    assert rest in found.rest
    assert bool(found.rest) == bool(rest)

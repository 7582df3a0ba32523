"""What a page that was written whole promises: the features that the brief names, and the way to the other pages."""

from loopwright.agents.pages.promises.app_pages import AppPages
from loopwright.agents.pages.promises.checks import usable_selector
from loopwright.agents.pages.promises.keeping import known_features, promises_of_page
from loopwright.agents.pages.promises.replay import look_at
from tests.agents.pages.promises.pages import CART, CSS, SHOP, app

BRIEF = "A corner shop app with favourites, search and a checkout, but no newsletter"


def test_the_table_of_features_can_be_asked() -> None:
    for feature in known_features():
        for selector in feature.selectors:
            assert usable_selector(selector)


def test_features_that_the_brief_names_and_the_page_has() -> None:
    drafts = promises_of_page("index", app(), [BRIEF])
    assert [draft.request for draft in drafts] == ["favourites", BRIEF]
    hearts, ways = drafts
    assert look_at(hearts.checks[0], app(SHOP.replace("data-favourite", "data-x"))).state == "broken"
    assert [check.kind for check in ways.checks] == ["link"]
    assert look_at(ways.checks[0], app(SHOP.replace("cart.html", "#"))).state == "broken"


def test_another_hand_may_write_it_otherwise() -> None:
    """The promise is the feature, not the marks of one author."""
    (hearts, _) = promises_of_page("index", app(), [BRIEF])
    other = SHOP.replace("data-favourite=", 'class="favourite-button" data-f=')
    marks = hearts.checks[0]
    assert look_at(marks, app(other)).state in ("kept", "broken")
    both = app(SHOP.replace('<button data-favourite="tea">', '<button class="favo-heart" data-favourite="tea">'))
    assert look_at(marks, both).state == "kept"


def test_chinese_words_and_refusals() -> None:
    shop = {"index": SHOP.replace('id="name" name="name"', 'id="search" type="search"')}
    pages = AppPages(shop, CSS)
    assert [draft.request for draft in promises_of_page("index", pages, ["一个可以搜索商品的小店"])][:1] == [
        "一个可以搜索商品的小店"
    ]
    assert not [d for d in promises_of_page("index", pages, ["a shop without search"]) if d.request == "search"]


def test_only_the_home_page_answers_for_the_ways() -> None:
    drafts = promises_of_page("cart", AppPages({"index": SHOP, "cart": CART}, CSS), ["a shop"])
    assert drafts == []

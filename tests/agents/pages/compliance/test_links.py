"""Links: what they mean, and pointing them to where the pages are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.compliance import collect_links, page_links, rewrite_links
from tests.agents.pages.compliance.sample_pages import good_html


@pytest.mark.parametrize(
    "href",
    ["/cart", "cart", "./cart", "./cart.html", "pages/cart.html", "/pages/cart", "../cart.html", "../pages/cart.html",
     "Cart.html", "cart/", "cart.htm", "%63art.html", " cart "],
)  # fmt: skip
def test_all_spellings_of_a_known_page_are_rewritten(href: str) -> None:
    for suffix in ("", "#total", "?from=home", "?a=1&amp;b=2#c"):
        html = f'<p>\n<a class=x href="{href.rstrip()}{suffix}" id=y>Cart</a></p>'
        assert (
            rewrite_links(html, page_links(["cart"])) == f'<p>\n<a class=x href="cart.html{suffix}" id=y>Cart</a></p>'
        )


@pytest.mark.parametrize(
    "href",
    ["https://example.com/cart", "//example.com/cart", "mailto:cart@example.com", "javascript:cart()", "#cart", "",
     "cart.png", "shop/cart", "checkout.html", "tel:1", "data:text/html,cart", "cart.html"],
)  # fmt: skip
def test_everything_else_stays(href: str) -> None:
    html = f'<a href="{href}">x</a>'
    assert rewrite_links(html, page_links(["cart"])) == html


def test_unquoted_and_single_quoted_values_stay_well_formed() -> None:
    html = "<a href=/cart>a</a><a href='/cart?x=\"1\"'>b</a><form action=cart><area href=./cart>"
    expected = "<a href=\"cart.html\">a</a><a href='cart.html?x=&quot;1&quot;'>b</a>"
    assert rewrite_links(html, page_links(["cart"])) == expected + '<form action="cart.html"><area href="cart.html">'


def test_links_in_comments_and_scripts_are_none() -> None:
    html = "<!-- <a href=/cart> --><script>'<a href=/cart>'</script><textarea><a href=cart></textarea>"
    assert collect_links(html) == ()
    assert rewrite_links(html, page_links(["cart"])) == html


def test_the_root_is_the_index_page() -> None:
    assert rewrite_links("<a href='/'>", page_links(["index"])) == "<a href='index.html'>"


def test_a_mapping_can_lead_elsewhere() -> None:
    assert rewrite_links('<a href="cart.html#x">', {"cart": "pages/cart.html"}) == '<a href="pages/cart.html#x">'


def test_links_are_collected_with_their_meaning() -> None:
    links = collect_links(good_html())
    assert [(link.kind, link.slug, link.fragment) for link in links] == [
        ("page", "terms", ""), ("fragment", None, "items"), ("page", "index", ""), ("page", "cart", "items"),
    ]  # fmt: skip


@given(st.text(alphabet="<a href=/'\">cart.html#? \n"))
def test_rewriting_is_idempotent_on_any_text(html: str) -> None:
    once = rewrite_links(html, page_links(["cart", "a", "h"]))
    assert rewrite_links(once, page_links(["cart", "a", "h"])) == once

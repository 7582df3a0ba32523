"""Links to a page are taken out of others: entries of the navigation go, links of the content lead nowhere."""

from loopwright.agents.pages.editing.applying import without_links_to
from tests.agents.pages.studio import page

NAV = '<nav aria-label="Main"><a class="btn" href="index.html">index</a><a class="btn" href="cart.html">cart</a></nav>'


def test_an_entry_of_the_navigation_goes_with_its_list_item() -> None:
    listed = page(
        "menu", body='<footer><ul>\n<li><a href="./cart.html#sum">My <b>cart</b></a></li>\n<li>Hi</li>\n</ul></footer>'
    )
    unlinked = without_links_to(listed, "cart")
    assert unlinked.removed == ("My cart",)
    assert unlinked.html == listed.replace('<li><a href="./cart.html#sum">My <b>cart</b></a></li>\n', "")
    assert unlinked.preserved is not None
    plain = page("menu", ["index", "cart"])
    assert without_links_to(plain, "cart").html == plain.replace('<a class="btn" href="cart.html">cart</a>', "")


def test_entries_that_are_made_alike_go_as_well() -> None:
    """Where an entry went, a part of the next one may stand at the very place of its own: that is not the old part."""
    entries = "".join(
        f'<a href="{name}.html">{name}<svg><path d="M9 5"/></svg></a>' for name in ("cart", "menu", "shop")
    )
    html = page("menu", body=f"<nav>{entries}</nav>")
    unlinked = without_links_to(html, "cart")
    assert unlinked.html == html.replace('<a href="cart.html">cart<svg><path d="M9 5"/></svg></a>', "")
    assert unlinked.left == ()


def test_a_link_of_the_content_stays_and_leads_nowhere() -> None:
    html = page("menu", body='<a class="card" href="/cart"><h2>Your order</h2><p>3 items</p></a>')
    unlinked = without_links_to(html, "cart")
    assert unlinked.html == html.replace(' href="/cart"', "")
    assert (unlinked.removed, unlinked.emptied, unlinked.left) == ((), ("Your order 3 items",), ())
    form = page("menu", body='<form action="cart.html" class="stack"><button>Go</button></form>')
    assert without_links_to(form, "cart").html == form.replace(' action="cart.html"', "")


def test_a_card_that_only_leads_there_goes_and_one_that_does_more_stays() -> None:
    card = '<article class="card"><h3><a href="cart.html">Cart</a></h3><p>3 items</p></article>'
    more = '<article class="card"><a href="cart.html">Cart</a><button>Empty it</button></article>'
    html = page("menu", body=f"<div>{card}</div>{more}")
    unlinked = without_links_to(html, "cart")
    assert unlinked.html == html.replace(card, "").replace('<a href="cart.html">Cart</a><b', "<a>Cart</a><b")
    assert (unlinked.removed, unlinked.emptied, unlinked.left) == (("Cart",), ("Cart",), ())


def test_what_scripts_open_is_told_and_left() -> None:
    button = "<button onclick=\"location.href='cart.html'\">Go</button>"
    script = f'{button}<script>const to = "index.html"; location.assign(to)</script>'
    html = page("menu", body=script)
    unlinked = without_links_to(html, "cart")
    assert (unlinked.html, unlinked.preserved) == (html, None)
    assert unlinked.left == ("a script that opens cart.html",)
    assert without_links_to(html, "checkout").left == ()


def test_a_page_without_links_to_it_stays_byte_for_byte() -> None:
    html = page(
        "menu", ["index", "about"], body='<a href="https://cart.example/cart.html">x</a><a href="carts.html">y</a>'
    )
    assert without_links_to(html, "cart").html == html


def test_markup_that_cannot_be_taken_apart_is_left_and_told() -> None:
    torn = page(
        "menu",
        body='<nav><p><a href="cart.html">one<div>two</a></div></p></nav><table><a href="cart.html">z</a></table>',
    )
    unlinked = without_links_to(torn, "cart")
    assert unlinked.html == torn or unlinked.preserved is not None
    assert unlinked.left or "cart.html" not in unlinked.html

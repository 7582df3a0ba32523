"""Rule-based edits: what is wished changes, every other byte stays, and what is not understood is said."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.offline.studio.editing import edit_page
from loopwright.agents.pages.offline.studio.editing.source import Source

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Home</title>
<style>.card { color: black }</style>
</head>
<body>
<div id="app" class="page">
<header class="app-bar"><h1>Home</h1></header>
<main class="content">
<section id="hero" class="hero"><h2>Good morning</h2><p>Fresh coffee &amp; cake.</p></section>
<section id="menu" class="section">
  <h2>Today's menu</h2>
  <article class="card"><h3>Flat white</h3><span class="price">3.80</span>
  <button class="btn btn-primary" data-add="flat-white">Add</button></article>
</section>
</main>
<nav class="bottom-nav"><a href="index.html">Home</a><a href="cart.html">Cart</a></nav>
</div>
<script>const label = "Add";</script>
</body>
</html>
"""

CHANGES = {
    'rename "Add" to "Buy"': (">Buy</button>", "Buy"),
    "replace Flat white with Cortado": ("<h3>Cortado</h3>", "Cortado"),
    "add testimonials": ('id="added-testimonials"', "Testimonials"),
    "add a newsletter form": ('type="email"', "Newsletter"),
    "add a search bar": ("data-search", "Search"),
    "add hearts for favourites": ('data-favorite="flat-white"', "hearts"),
    "add a link to the page About us (about)": ('href="about.html"', "link"),
}


@pytest.mark.parametrize("wish", CHANGES)
def test_a_wish_is_carried_out_and_told(wish: str) -> None:
    """The change is there, is told, and a second time changes nothing more."""
    expected, told = CHANGES[wish]
    outcome = edit_page(PAGE, wish)
    assert outcome.changed
    assert outcome.understood
    assert expected in outcome.html
    assert told in outcome.summary
    again = edit_page(outcome.html, wish)
    assert again.html == outcome.html or wish.startswith(("rename", "replace"))


@pytest.mark.parametrize("wish", CHANGES)
def test_everything_else_stays_byte_for_byte(wish: str) -> None:
    """The old page is the new one with a few spans exchanged, and the script is as it was."""
    new = edit_page(PAGE, wish).html
    kept = sum(block.size for block in SequenceMatcher(None, PAGE, new, autojunk=False).get_matching_blocks())
    assert kept >= len(PAGE) - 60
    assert 'const label = "Add";' in new


def test_what_is_not_understood_is_said() -> None:
    """The answer names what rules can do."""
    outcome = edit_page(PAGE, "integrate the payment backend of our bank")
    assert not outcome.understood
    assert outcome.html == PAGE
    assert "I can rename things" in outcome.summary


def test_words_are_escaped() -> None:
    """New words are words, never markup."""
    new = edit_page(PAGE, 'rename "Add" to "<img src=x onerror=alert(1)>"').html
    assert "<img" not in new
    assert "&lt;img" in new


@given(st.text(max_size=200), st.sampled_from([PAGE, "", "<h1>x", "<style>", "a < b"]))
def test_no_wish_and_no_page_breaks_the_editor(wish: str, page: str) -> None:
    """Whatever is wished of whatever page: an outcome, and `changed` tells the truth."""
    outcome = edit_page(page, wish)
    assert outcome.changed == (outcome.html != page)
    assert outcome.summary


def test_elements_know_where_they_end() -> None:
    """The span of an element is its source, also with unclosed children."""
    source = Source("<main><ul><li>a<li>b</ul><p>c</main>")
    main = source.first("main")
    assert main is not None
    assert source.html[main.tag.start : main.end] == source.html
    assert source.text_of(main) == "abc"


def test_a_page_named_like_a_colour_is_linked() -> None:
    """The link rule comes before the colours."""
    new = edit_page(PAGE, "Add a link to the page Green Coffee (green-coffee)").html
    assert 'href="green-coffee.html"' in new
    assert "data-edits" not in new


def test_names_in_attributes_are_words_too() -> None:
    """A button that shows an icon only is renamed by its label."""
    page = PAGE.replace(">Add</button>", ' aria-label="Add to order"></button>')
    assert 'aria-label="Put in my bag"' in edit_page(page, 'rename "Add to order" to "Put in my bag"').html


def test_two_wishes_in_one_message() -> None:
    new = edit_page(PAGE, "replace Flat white with Cortado and add a search bar").html
    assert "<h3>Cortado</h3>" in new
    assert "data-search" in new


def test_what_is_not_on_the_page_is_said() -> None:
    """Understood, not done, and why."""
    outcome = edit_page(PAGE, "replace Espresso with Cortado")
    assert outcome.understood
    assert not outcome.changed
    assert "does not stand on this page" in outcome.summary

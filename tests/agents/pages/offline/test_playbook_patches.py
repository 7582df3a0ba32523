"""Blocks lead exactly from the old page to the new one, and each finds its text once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.offline.patches import Block, Inexpressible, blocks_between

LINES = st.sampled_from(["<li>a</li>", "<li>b</li>", " <li>a</li>", "<ul>", "</ul>", "", "   ", "<p>é</p>", "x"])
PAGES = st.lists(LINES, min_size=1, max_size=14).map("\n".join)


def apply(text: str, blocks: list[Block]) -> str:
    """What the edit_page tool does with the blocks, to the letter."""
    for block in blocks:
        first = text.find(block.search)
        assert first >= 0, f"not found: {block.search!r}"
        assert text.find(block.search, first + 1) < 0, f"found twice: {block.search!r}"
        text = text[:first] + block.replace + text[first + len(block.search) :]
    return text


@given(PAGES, PAGES)
def test_blocks_turn_one_page_into_the_other(old: str, new: str) -> None:
    """For every pair of pages, repetitive ones above all."""
    if not old.strip():
        return
    assert apply(old, blocks_between(old, new)) == new


@given(st.lists(st.text(alphabet="abc<>\r\t ", max_size=8), min_size=1, max_size=8), st.data())
def test_small_changes_of_any_text(lines: list[str], data: st.DataObject) -> None:
    """One line changed, doubled or dropped, whatever the text looks like."""
    old = "\n".join(lines)
    if not old.strip():
        return
    at = data.draw(st.integers(0, len(lines) - 1))
    changed = data.draw(st.sampled_from([[], [lines[at], lines[at]], ["new"]]))
    new = "\n".join([*lines[:at], *changed, *lines[at + 1 :]])
    assert apply(old, blocks_between(old, new)) == new


def test_blocks_are_small() -> None:
    """A change in the midst of a long page takes its line and what makes it unique, not the page."""
    old = "\n".join(["<html>", *(f"<p>{n % 7}</p>" for n in range(300)), "<h1>Cart</h1>", "</html>"])
    (block,) = blocks_between(old, old.replace("<h1>Cart</h1>", "<h1>Basket</h1>"))
    assert block.search == "<h1>Cart</h1>"
    assert block.replace == "<h1>Basket</h1>"


def test_repeated_lines_take_their_surroundings_along() -> None:
    """The second of two equal buttons is told apart by what stands beside it."""
    old = "<a>one</a>\n<button>Buy</button>\n<a>two</a>\n<button>Buy</button>\n<a>three</a>"
    new = "<a>one</a>\n<button>Buy</button>\n<a>two</a>\n<button>Pay</button>\n<a>three</a>"
    (block,) = blocks_between(old, new)
    assert old.count(block.search) == 1
    assert "Pay" in block.replace


def test_equal_pages_need_no_block() -> None:
    assert blocks_between("<p>", "<p>") == []


def test_marker_lines_are_refused() -> None:
    """A page that holds the markers themselves cannot be edited by blocks near them."""
    with pytest.raises(Inexpressible):
        blocks_between("<pre>\n=======\n</pre>", "<pre>\n>>>>>>> REPLACE\n</pre>")
    with pytest.raises(Inexpressible):
        blocks_between("", "<p>")


def test_rendering() -> None:
    """The format of the contract."""
    assert Block("a", "b").render() == "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"

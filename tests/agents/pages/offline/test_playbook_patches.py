"""Blocks lead exactly from the old page to the new one, and each finds its text once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.parsing.edits import (
    Edited,
    EditScript,
    Inexpressible,
    apply_replacements,
    blocks_between,
    parse_edits,
    render,
)

LINES = st.sampled_from(["<li>a</li>", "<li>b</li>", " <li>a</li>", "<ul>", "</ul>", "", "   ", "<p>é</p>", "x"])
PAGES = st.lists(LINES, min_size=1, max_size=14).map("\n".join)


def apply(text: str, answer: str) -> str:
    """What the edit_page tool does with the answer."""
    script = parse_edits(answer)
    assert isinstance(script, EditScript), script
    edited = apply_replacements(text, script.blocks)
    assert isinstance(edited, Edited), edited
    return edited.text


@given(PAGES, PAGES)
def test_blocks_turn_one_page_into_the_other(old: str, new: str) -> None:
    """For every pair of pages, repetitive ones above all."""
    if not old.strip():
        return
    assert apply(old, render(blocks_between(old, new))) == new


@given(st.lists(st.text(alphabet="abc<>\t ", max_size=8), min_size=1, max_size=8), st.data())
def test_small_changes_of_any_text(lines: list[str], data: st.DataObject) -> None:
    """One line changed, doubled or dropped, whatever the text looks like."""
    old = "\n".join(lines)
    if not old.strip():
        return
    at = data.draw(st.integers(0, len(lines) - 1))
    changed = data.draw(st.sampled_from([[], [lines[at], lines[at]], ["new"]]))
    new = "\n".join([*lines[:at], *changed, *lines[at + 1 :]])
    assert apply(old, render(blocks_between(old, new))) == new


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


def test_windows_line_ends_are_kept() -> None:
    old = "<p>one</p>\r\n<p>two</p>\r\n<p>three</p>\r\n"
    new = old.replace("two", "2")
    assert apply(old, render(blocks_between(old, new))) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<pre>\n=======\n</pre>", "<pre>\n>>>>>>> REPLACE\n</pre>"),
        ("", "<p>"),
        ("a\r\nb\nc", "a\r\nB\nC"),
    ],
)
def test_what_blocks_cannot_say_is_refused(old: str, new: str) -> None:
    """The markers themselves, an empty page, mixed line ends."""
    with pytest.raises(Inexpressible):
        blocks_between(old, new)


def test_rendering() -> None:
    """The format of the contract."""
    assert render(blocks_between("a", "b")) == "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"

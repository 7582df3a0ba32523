"""What differs between two versions, told by elements; and whole pages that differ in nothing but their writing."""

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.editing.answers import edit_towards
from loopwright.agents.pages.editing.differences import difference
from tests.agents.pages.editing.sample import PAGE


def told(after: str) -> list[tuple[str, str]]:
    found = difference("menu", PAGE, after, old="version 1", new="version 2")
    return [(change.kind, change.selector) for change in found.elements]


def test_kinds_of_changes() -> None:
    assert told(PAGE.replace("<h2>One</h2>", "<h2>First</h2>")) == [("changed", "#a > h2:nth-of-type(1)")]
    assert told(PAGE.replace('class="card first"', 'class="card last"')) == [("changed", "#a")]
    assert told(PAGE.replace('class="card first"', 'class="first  card"')) == []
    assert told(PAGE.replace("<!-- a remark -->", '<aside id="new">New</aside>')) == [("added", "#new")]
    assert told(PAGE.replace("<h2>Two</h2>", "")) == [("removed", "#b > h2:nth-of-type(1)")]
    nav = PAGE[PAGE.index("<nav") : PAGE.index("</nav>") + 6]
    assert told(PAGE.replace(nav, "").replace("<header", f"{nav}<header")) == [("moved", "nav")]


def test_words_and_attributes_are_told() -> None:
    changed = PAGE.replace("<h2>One</h2>", "<h2>First</h2>").replace('alt="An x"', 'alt="A cross"')
    heading, image = difference("menu", PAGE, changed, old="a", new="b").elements
    assert heading.words == ("One", "First")
    assert image.attributes == {"alt": ("An x", "A cross")}


def test_a_page_written_otherwise_is_the_same() -> None:
    written = LexborHTMLParser(PAGE).html
    assert written is not None
    derived = edit_towards(PAGE, written)
    assert derived is not None
    assert derived.revision.after == PAGE


@given(st.sampled_from(["One", "Two", "Text", "cell", "Home", "bold"]), st.text("xyz&<é你", min_size=1, max_size=9))
def test_a_whole_page_with_one_text_changed_changes_that_text(old: str, new: str) -> None:
    written = LexborHTMLParser(PAGE.replace(f">{old}", f">{new.replace('&', '&amp;').replace('<', '&lt;')}")).html
    assert written is not None
    derived = edit_towards(PAGE, written)
    assert derived is not None
    assert derived.removed == ()
    touched = sum(region.end - region.start for region in derived.revision.regions)
    assert touched <= len("Text") + 8

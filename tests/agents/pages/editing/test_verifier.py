"""The proof: whatever happens outside the declared regions is found, also where only the parser can see it."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.editing.regions import Region, Revision, Unmappable, sharpened
from loopwright.agents.pages.editing.source_map import SourceMap
from loopwright.agents.pages.editing.verifier import Damage, Preservation, prove
from tests.agents.pages.editing.sample import PAGE


def edited(old: str, new: str, page: str = PAGE) -> Revision:
    start = page.index(old)
    return Revision.of(page).spliced([Edit(start, start + len(old), new)])


def test_the_proof_counts_what_it_found() -> None:
    proof = prove(edited("<h2>One</h2>", "<h2>First</h2>"))
    assert isinstance(proof, Preservation)
    touched = {"h2", "section", "main", "div", "body", "html"}
    assert proof.subtrees - proof.untouched == len(touched)
    assert proof.share == 1.0
    assert proof.changed == ("#a > h2:nth-of-type(1)",)
    assert f"{proof.untouched} of {proof.subtrees} subtrees untouched, 100%" in proof.as_line()


DAMAGES = [
    ("<h2>One</h2>", "<h2>One</h2><div>", "#a"),
    ("<h2>One</h2>", "<h2>One</h2></section>", "#a"),
    ("<h2>One</h2>", "<h2>One</h2><!--", "#a"),
    ("<h2>One</h2>", "<h2>One</h2><textarea>", "#a"),
    ("<h2>One</h2>", "<h2>One</h2><script>", "#a"),
    ("<h2>One</h2>", "<h2>One</h2><template>", "#a"),
    ("<h2>One</h2>", "<h2>One</h2><select>", "#a"),
    ("<h2>One</h2>", '<h2>One</h2><p title="', "#a"),
    ("<h2>One</h2>", "<h2>One</h2><body class=x>", "body"),
    ("<h2>One</h2>", "<h2>One</h2><b>", "#a > p"),
    ("<main", "<section><main", "nav"),
    ("</main>", "", "nav"),
    ("<!-- a remark -->", "<!-- a remark", "#row"),
    ("<title>Sample</title>", "<title>Sample", "link"),
    ("<!doctype html>", "", "html"),
    ("<style>", "<style", "style"),
    ("<style>", "<div>", "style"),
    ("<h1>Sample</h1></header>", '<h1>Sample</h1><a href="', "main"),
]


@pytest.mark.parametrize(("old", "new", "selector"), DAMAGES)
def test_damage_outside_the_edit_is_found(old: str, new: str, selector: str) -> None:
    damages = prove(edited(old, new))
    assert isinstance(damages, tuple), damages
    told = " ".join(damage.selector for damage in damages)
    assert selector in told or "html" in told


@given(st.data())
def test_undeclared_changes_are_always_found(data: st.DataObject) -> None:
    """A declared edit, and beside it one that is not declared."""
    honest = edited("<h2>One</h2>", "<h2>First</h2>")
    place = data.draw(st.integers(0, len(honest.after) - 1))
    length = data.draw(st.integers(0, 12))
    text = data.draw(st.sampled_from(["", "x", "<i>", "</div>", " ", '"', "<!--", "&"]))
    region = honest.regions[0]
    assume(place + length < region.new_start or place > region.new_end)
    after = honest.after[:place] + text + honest.after[place + length :]
    assume(after != honest.after)
    shift = len(text) - length if place < region.new_start else 0
    moved = Region(region.start, region.end, region.new_start + shift, region.new_end + shift)
    assert isinstance(prove(Revision(PAGE, after, (moved,))), tuple)


TAGS = [
    "<div>",
    "</div>",
    "<p>",
    "</p>",
    "<li>",
    "<b>",
    "</b>",
    "<a>",
    "</a>",
    "<h2>",
    "<br>",
    "<table>",
    "<td>",
    "</table>",
    "text",
    "<!--c-->",
    "</main>",
]
FRAGMENTS = st.lists(st.sampled_from(TAGS), max_size=6).map("".join)


@given(FRAGMENTS, st.sampled_from(["<h2>One</h2>", "<li>2", "<b>bold <i>and</i></b>", "Text<br>more", 'alt="An x">']))
def test_a_passed_edit_leaves_the_parsed_rest_alone(fragment: str, old: str) -> None:
    """An independent look at the parsed pages: with the place of the edit cut out, both are the same."""
    revision = edited(old, fragment)
    try:
        proof = prove(revision)
    except Unmappable:
        return
    if not isinstance(proof, Preservation):
        return
    container = {"<h2>One</h2>": "#a", "<li>2": "#list", 'alt="An x">': "#b"}.get(old, "main")
    trees = []
    for html in (revision.before, revision.after):
        document = LexborHTMLParser(html)
        for node in document.css(container):
            node.decompose()
        trees.append(document.html)
    assert trees[0] == trees[1]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8), st.text(alphabet="ab<", max_size=6)), max_size=6))
def test_regions_compose(edits: list[tuple[int, int, str]]) -> None:
    """However edits follow each other, the text outside the regions is that of the old page."""
    revision = Revision.of("".join(chr(0x4E00 + n) for n in range(60)))
    for start, length, text in edits:
        start = min(start, len(revision.after))
        revision = revision.spliced([Edit(start, min(start + length, len(revision.after)), text)])
    for regions in (revision.regions, sharpened(revision)):
        position, new_position = 0, 0
        for region in regions:
            assert revision.before[position : region.start] == revision.after[new_position : region.new_start]
            position, new_position = region.end, region.new_end
        assert revision.before[position:] == revision.after[new_position:]


def test_an_insertion_between_neighbours_touches_neither() -> None:
    """The same text change can be told in two ways; the one that holds whole elements counts."""
    section = '<section id="c"><h2>Three</h2></section>'
    after = PAGE.replace('<ul id="list">', f'{section}\n  <ul id="list">')
    start = PAGE.index("</section>\n  <ul id")
    odd = Revision(PAGE, after, (Region(start, start, start, start + len(section) + 3),))
    assert after[start : start + 10] == "</section>"
    proof = prove(odd)
    assert isinstance(proof, Preservation)
    assert "#b" not in proof.changed


def test_a_page_that_can_no_longer_be_read_is_damage() -> None:
    damages = prove(edited("<h2>One</h2>", "<plaintext>"))
    assert isinstance(damages, tuple)
    assert all(isinstance(damage, Damage) for damage in damages)
    assert SourceMap(PAGE).elements

"""Search/replace blocks: exact, unique, in order, and nothing else changes."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loopwright.agents.pages.parsing.edits import (
    DIVIDER,
    REPLACE,
    SEARCH,
    Edited,
    EditScript,
    Replacement,
    apply_replacements,
    parse_edits,
)

PAGE = "<h1>Menu</h1>\n<p>Coffee</p>\n<p>Tea</p>\n<p>Tea</p>\n"


def written(*blocks: tuple[str, str], summary: str = "") -> str:
    pieces = [f"{SEARCH}\n{search}\n{DIVIDER}\n{replace}\n{REPLACE}" for search, replace in blocks]
    return "\n".join([*pieces, summary])


def test_blocks_and_summary_are_read() -> None:
    script = parse_edits("Here you are:\n```\n" + written(("a", "b"), ("c", "")) + "\n```\nRenamed a.\n")
    assert script == EditScript((Replacement("a", "b"), Replacement("c", "")), "Here you are: Renamed a.")


def test_several_lines_keep_their_spaces() -> None:
    script = parse_edits(written(("  <p>\n\n  </p>", "\t<b>\n")))
    assert isinstance(script, EditScript)
    assert script.blocks == (Replacement("  <p>\n\n  </p>", "\t<b>\n"),)


def test_no_block_is_a_summary() -> None:
    assert parse_edits("The header is green already.") == EditScript((), "The header is green already.")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (f"{SEARCH}\na\n", "no line '======='"),
        (f"{SEARCH}\na\n{DIVIDER}\nb\n", "no line '>>>>>>> REPLACE'"),
        (written(("a", "b"), ("  ", "b")), "SEARCH part of block 2 is empty"),
    ],
)
def test_a_broken_form_is_explained(answer: str, said: str) -> None:
    complaint = parse_edits(answer)
    assert isinstance(complaint, str)
    assert said in complaint


def test_applied_in_order() -> None:
    edited = apply_replacements(
        PAGE, [Replacement("Coffee", "Espresso"), Replacement("<p>Espresso", "<p>Double espresso")]
    )
    assert isinstance(edited, Edited)
    assert edited.text == PAGE.replace("Coffee", "Double espresso")
    assert [edited.text[start:end] for start, end in edited.regions] == ["<p>Double espresso"]


def test_a_text_that_occurs_twice_is_refused() -> None:
    complaint = apply_replacements(PAGE, [Replacement("<p>Tea</p>", "")])
    assert isinstance(complaint, str)
    assert "block 1 occurs 2 times" in complaint


def test_overlapping_occurrences_count() -> None:
    assert isinstance(apply_replacements("aaa", [Replacement("aa", "b")]), str)


def test_a_text_that_is_not_there_names_the_close_line() -> None:
    complaint = apply_replacements(PAGE, [Replacement("<h1>Menus</h1>", "<h1>Our menu</h1>")])
    assert isinstance(complaint, str)
    assert "close: <h1>Menu</h1>" in complaint


def test_all_or_nothing() -> None:
    blocks = [Replacement("Coffee", "Espresso"), Replacement("Juice", "Water")]
    complaint = apply_replacements(PAGE, blocks)
    assert isinstance(complaint, str)
    assert "block 2 is not in the page" in complaint


def test_a_page_with_windows_line_ends_keeps_them() -> None:
    page = PAGE.replace("\n", "\r\n")
    edited = apply_replacements(page, [Replacement("<h1>Menu</h1>\n<p>Coffee</p>", "<h1>A</h1>\n<p>B</p>")])
    assert isinstance(edited, Edited)
    assert edited.text == page.replace("Menu", "A").replace("Coffee", "B")


LINES = st.text(alphabet="ab<>/ =", max_size=8)
TEXTS = st.lists(LINES, max_size=8).map("\n".join)


@given(before=TEXTS, search=TEXTS, after=TEXTS, replace=TEXTS)
def test_everything_else_stays(before: str, search: str, after: str, replace: str) -> None:
    page = before + search + after
    assume(search.strip())
    edited = apply_replacements(page, [Replacement(search, replace)])
    if isinstance(edited, str):
        assert page.count(search) > 1 or page.find(search) != page.rfind(search)
    else:
        assert edited.text == before + replace + after
        assert edited.regions == ((len(before), len(before) + len(replace)),)


@given(st.lists(st.tuples(TEXTS.filter(str.strip), TEXTS), min_size=1, max_size=4))
def test_what_is_written_is_read_back(blocks: list[tuple[str, str]]) -> None:
    marks = ("=====", "<<<<<", ">>>>>")
    assume(not any(mark in text for block in blocks for text in block for mark in marks))
    script = parse_edits(written(*blocks, summary="Done."))
    assert isinstance(script, EditScript)
    assert [(block.search, block.replace) for block in script.blocks] == blocks
    assert script.summary == "Done."


@given(st.text(max_size=200))
def test_any_answer_is_a_script_or_a_complaint(answer: str) -> None:
    assert parse_edits(answer)


@given(st.data())
def test_regions_cover_all_that_is_new(data: st.DataObject) -> None:
    """Text outside the regions stands in the old page, in the same order."""
    page = "".join(f"[{number}]" for number in range(12))
    pieces = data.draw(st.lists(st.integers(0, 11), min_size=1, max_size=5, unique=True))
    blocks = [Replacement(f"[{n}]", data.draw(st.text(alphabet="xyz", max_size=5))) for n in pieces]
    edited = apply_replacements(page, blocks)
    assert isinstance(edited, Edited)
    kept, position = "", 0
    for start, end in edited.regions:
        kept += edited.text[position:start]
        position = max(position, end)
    kept += edited.text[position:]
    assert kept == "".join(f"[{number}]" for number in range(12) if number not in pieces)


PRETTY = '<header class="app-header">\n    <h1>Ana Lima</h1>\n    <p>Florist</p>\n</header>\n<p>Florist</p>\n'


@pytest.mark.parametrize(
    "search",
    [
        '<header class="app-header"><h1>Ana Lima</h1>',
        '  <header  class="app-header">\n<h1>Ana\n  Lima</h1>  ',
        '<header class="app-header">\n\n\t<h1>Ana Lima</h1>\n',
    ],
)
def test_other_blanks_are_no_other_text(search: str) -> None:
    """Small models copy a line without its indentation; the place is found where there is only one."""
    edited = apply_replacements(PRETTY, [Replacement(search, '<header class="app-header">\n    <h1>Ana</h1>\n')])
    assert isinstance(edited, Edited)
    assert edited.text == PRETTY.replace(" Lima", "")


@pytest.mark.parametrize("search", ["<p>Florist</p >", "<h1> Ana Lima</h1>", "AnaLima</h1>", "<h1>Ana  L", "Flo  rist"])
def test_blanks_never_stand_for_something_else(search: str) -> None:
    """A word is not joined or parted, and what is short or occurs twice is not guessed at."""
    assert isinstance(apply_replacements(PRETTY, [Replacement(search, "x")]), str)

"""Search and replace: what is replaced is what was meant, or nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.ide.editing.replacing import replace_text
from loopwright.kernel.errors import InvalidInput, LoopwrightError, NotFound

PYTHON = """\
def total(items):
    result = 0
    for item in items:
        # what it costs
        result += item.price
    return result


def count(items):
    return len(items)
"""


def test_an_exact_text_that_is_there_once_is_replaced() -> None:
    done = replace_text(PYTHON, "len(items)", "sum(1 for _ in items)")
    assert (done.how, done.lines) == ("exact", (10,))
    assert done.text == PYTHON.replace("len(items)", "sum(1 for _ in items)")


def test_several_places_are_listed_and_chosen_from() -> None:
    with pytest.raises(InvalidInput, match="2 times, in lines 1, 9"):
        replace_text(PYTHON, "(items):", "(things):")
    second = replace_text(PYTHON, "(items):", "(things):", occurrence=2).text
    assert second == PYTHON.replace("count(items)", "count(things)")
    assert replace_text(PYTHON, "(items):", "(x):", everywhere=True).text == PYTHON.replace("(items):", "(x):")
    with pytest.raises(NotFound, match="2 times only"):
        replace_text(PYTHON, "(items):", "(x):", occurrence=3)


def test_indentation_is_taken_from_the_file() -> None:
    text = PYTHON.replace("    ", "\t")
    done = replace_text(
        text, "for item in items:\n    # what it costs\n", "for item in items:\n    if item.free:\n        continue\n"
    )
    assert done.how == "but for indentation"
    assert "\tfor item in items:\n\t\tif item.free:\n\t\t\tcontinue\n\t\tresult" in done.text


def test_white_space_within_a_line_is_forgiven_and_the_rest_of_the_line_stays() -> None:
    done = replace_text("x = compute(a,  b) + 1\n", "compute(a, b)", "compute(b)")
    assert done.text == "x = compute(b) + 1\n"
    assert done.matched == "compute(a,  b)"


def test_similar_lines_are_replaced_and_shown() -> None:
    search = "    for item in items:\n        # what it would cost\n        result += item.price\n"
    done = replace_text(PYTHON, search, "    result = sum(item.price for item in items)\n")
    assert done.how == "by similarity"
    assert done.similarity > 0.85
    assert "# what it costs" in done.matched
    assert done.text.startswith(
        "def total(items):\n    result = 0\n    result = sum(item.price for item in items)\n    return"
    )


def test_similar_lines_that_lack_a_word_at_the_edge_are_refused() -> None:
    text = "    return some_long_function(argument_one,\n        argument_two)\n"
    with pytest.raises(NotFound, match=r"begins in line 1:\n    return"):
        replace_text(text, "some_long_function(argument_one,\n    argument_2)", "x")


def test_two_similar_places_are_refused() -> None:
    text = "begin one\nthe same words here\nend\n" * 2
    with pytest.raises(InvalidInput, match="lines 1 and 4"):
        replace_text(text, "begin one\nthe same word here\nend\n", "x\n")


def test_what_is_not_there_is_told_with_the_most_similar_place() -> None:
    with pytest.raises(NotFound, match=r"begins in line 10:\n    return len"):
        replace_text(PYTHON, "return length(things, 3)", "return 3")
    for search in ("", "  \n"):
        with pytest.raises(InvalidInput):
            replace_text(PYTHON, search, "x")


@pytest.mark.parametrize("search", ["b\nc\n", "b\r\nc\r\n", "b  \nc\n"])
def test_line_ends_of_the_file_are_kept(search: str) -> None:
    assert replace_text("\ufeffa\r\nb\r\nc\r\nd", search, "x\ny\n").text == "\ufeffa\r\nx\r\ny\r\nd"


def test_a_missing_last_line_end_stays_missing() -> None:
    assert replace_text("a\nb \nc", "b\nc\n", "x\ny\n").text == "a\nx\ny"


@given(st.text("ab \n\t", max_size=40), st.text("ab \n\t", max_size=6), st.text("xy\n", max_size=6))
@settings(max_examples=200, deadline=None)
def test_all_before_and_after_the_match_stays(text: str, search: str, new: str) -> None:
    try:
        done = replace_text(text, search, new)
    except LoopwrightError:
        return
    low = sum(len(line) + 1 for line in text.split("\n")[: done.lines[0] - 1])
    assert done.text[:low] == text[:low]
    if done.how == "exact":
        assert done.text == text.replace(search, new)
        assert text.count(search) == 1 or search in text

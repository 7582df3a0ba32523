"""The document out of an unfinished answer: the same whatever the pieces, and nothing but the page."""

from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.live_page import LivePage

PAGE = (
    '<!DOCTYPE html>\n<html lang="en"><head><title>T</title><link rel="stylesheet" href="../design-system.css">'
    "<style>p{color:red}</style></head><body><p>a &lt; b</p><script>if (1 < 2) {}</script></body></html>"
)
CSS = ".btn { color: blue }"
ANSWER = f"Here is the page, <b>bold</b>:\n```html\n{PAGE}\n```\nEnjoy!"


def shown(answer: str, cuts: list[int], css: str = CSS) -> tuple[str, bool]:
    """What a browser gets when the answer comes in these pieces."""
    page, out, last = LivePage(css), [], 0
    for cut in [*sorted(cut % (len(answer) + 1) for cut in cuts), len(answer)]:
        out.append(page.feed(answer[last:cut]))
        last = cut
    return "".join(out), page.is_whole


@given(st.lists(st.integers(0, 10_000), max_size=40))
def test_any_pieces_give_the_page_with_the_design_system_in_its_head(cuts: list[int]) -> None:
    assert shown(ANSWER, cuts) == (PAGE.replace("<head>", f"<head><style>{CSS}</style>"), True)


def test_a_page_appears_before_it_is_whole() -> None:
    half = ANSWER[: ANSWER.index("<script>")]
    text, whole = shown(half, [])
    assert text.endswith("<p>a &lt; b</p>")
    assert not whole


def test_an_answer_without_a_document_shows_nothing() -> None:
    assert shown("<<<<<<< SEARCH\n<p>x</p>\n=======\n<p>y</p>\n>>>>>>> REPLACE", []) == ("", False)


def test_a_page_without_a_head_gets_the_design_system_before_its_body() -> None:
    text, _ = shown("<html><body><p>x</p></body></html>", [])
    assert text == f"<html><style>{CSS}</style><body><p>x</p></body></html>"


def test_a_style_sheet_cannot_leave_its_element() -> None:
    text, _ = shown(ANSWER, [], css="a{}</style><script>alert(1)</script>")
    assert "</style><script>alert" not in text


@given(st.text(alphabet="<>!/abdehlmty \n`", max_size=200), st.lists(st.integers(0, 300), max_size=8))
def test_hostile_answers_are_shown_the_same_in_any_pieces(answer: str, cuts: list[int]) -> None:
    answer = "<html><head>" + answer
    whole, _ = shown(answer + " ", [])
    pieces, _ = shown(answer + " ", cuts)
    assert whole.startswith(pieces) or pieces.startswith(whole)

"""Taking a document out of what a model writes around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.compliance import extract_html
from tests.agents.pages.compliance.sample_pages import good_html

PAGE = good_html().strip()


@pytest.mark.parametrize(
    "answer",
    [
        PAGE,
        f"```html\n{PAGE}\n```",
        f"```html\n{PAGE}",
        f"Sure! Here is the page:\n\n```\n{PAGE}\n```\nLet me know.",
        f"I put everything into one `<html>` element.\n{PAGE}\nDone.",
        f"The page starts with <!doctype html> as it should.\n\n{PAGE}",
        f"<think>First <!doctype html><html><body>draft</body></html></think>\n{PAGE}",
        f"Short version: <html></html>\nLong version:\n{PAGE}",
        PAGE + "\n</html>\n<script>late</script>",
    ],
)
def test_the_document_comes_out_whole(answer: str) -> None:
    found = extract_html(answer)
    assert found.status == "complete"
    assert found.html == PAGE


@pytest.mark.parametrize("cut", [20, 200, 800, len(PAGE) - 8])
def test_a_cut_off_document_is_reported_not_accepted(cut: int) -> None:
    found = extract_html(f"```html\n{PAGE[:cut]}")
    assert found.status == "truncated"
    assert found.html is None


def test_an_end_tag_inside_a_script_does_not_end_the_document() -> None:
    html = "<!doctype html><html><script>var s = '</html>';</script><p>x</p></html>"
    assert extract_html(html).html == html
    assert extract_html("<html><script>var s = '</html>';").status == "truncated"


@pytest.mark.parametrize(
    "answer", ["", "I cannot do that.", "<div>only a piece</div>", "```html\n<p>x</p>\n```", "<htmlx>"]
)
def test_an_answer_without_a_document_says_so(answer: str) -> None:
    assert extract_html(answer).status == "absent"


@given(st.text(alphabet="`<>/!dochtml -\n"), st.text(alphabet="`abc.\n "))
def test_a_document_survives_any_chatter_after_a_fence(before: str, after: str) -> None:
    found = extract_html(f"{before.replace('<', '')}\n{PAGE}\n{after}")
    assert found.html == PAGE

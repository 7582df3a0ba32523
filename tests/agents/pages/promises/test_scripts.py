"""Statements of scripts: found again however the code is laid out, and missed when they go."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.promises.scripts import footprint, new_statements, page_statements, split_statements

CODE = """
const taps = document.querySelectorAll('.tap');
taps.forEach((tap) => {
  tap.onclick = () => { count(tap); }
})
function count(tap) { const n = Number(tap.dataset.n || 0) + 1; tap.dataset.n = n }
let pattern = /a[/]b{2}/g; let half = 4 / 2; let text = `one ${half} two`
"""


def texts(source: str) -> list[str]:
    return [statement.text for statement in split_statements(source)]


def test_statements_end_where_javascript_ends_them() -> None:
    assert texts("a = 1\nb = 2; c(3)\n  .then(d)\n") == ["a = 1", "b = 2", "c ( 3 ) . then ( d )"]
    assert texts("return a +\n  b") == ["return a + b"]
    assert texts("x = '// no comment; {'; y = /[;{]/.test(x)") == ["x = '// no comment; {'", "y = /[;{]/ . test ( x )"]


def test_layout_and_comments_do_not_count() -> None:
    laid_out = re.sub(r"\n", "\n\n    ", CODE.replace("(", " ( ")).replace("function", "/* why */ function // how\n")
    assert {each.digest for each in split_statements(laid_out)} == {each.digest for each in split_statements(CODE)}


@given(st.lists(st.sampled_from(["  ", "\t", "\n", "/* note */", "// note\n"]), min_size=1, max_size=5))
def test_blank_lines_between_statements_do_not_count(blanks: list[str]) -> None:
    spread = CODE.replace(";\n", ";\n" + "".join(blanks) + "\n")
    assert [each.digest for each in split_statements(spread)] == [each.digest for each in split_statements(CODE)]


def test_the_footprint_follows_calls_to_their_functions() -> None:
    html = f"<button class=tap>1</button><script>{CODE}</script>"
    found = [statement.text for statement in footprint(html, ["tap"])]
    assert any("querySelectorAll" in text for text in found)
    assert any(text.startswith("function count") for text in found)
    assert not any("pattern" in text for text in found)


def test_handlers_in_attributes_are_statements() -> None:
    html = '<button id="go" onclick="go(1); stop()">Go</button><script type="application/json">{"a": 1}</script>'
    assert [statement.text for statement in page_statements(html)] == ["go ( 1 )", "stop ( )"]


def test_new_statements_are_those_that_were_not_there() -> None:
    before = "<script>one(); two()</script>"
    assert [each.text for each in new_statements(before, "<script>two();three(); one()</script>")] == ["three ( )"]
    assert len(new_statements(None, before)) == 2


@given(st.text(alphabet="ab(){}[];/*\\'\"`\n=>.$ é<!-", max_size=300))
def test_any_text_is_split(source: str) -> None:
    for statement in split_statements(source):
        assert statement.text
        assert statement.depth >= 0


@pytest.mark.timeout(30)
@pytest.mark.parametrize("piece", ["/[", "`${", "(", "{", "'\\", "a=/x", "/*", "x=/[a", "\n", "})"])
def test_long_hostile_scripts_are_split(piece: str) -> None:
    """Work that grew with the square of the length would not end in time."""
    for statement in split_statements(piece * 50_000):
        assert statement.text

"""The scanner agrees with a real HTML parser about where tags are."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance.markup import Edit, apply_edits, scan

PIECES = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<a href='x>y'>",
        '<i class="a b" id=c>',
        "<!-- <b> -->",
        "<!-->",
        "text",
        "<",
        "</",
        "<3",
        "&lt;b&gt;",
        "<script>if (a<b) '<u>';</script>",
        "<style>a>b{}</style>",
        "<textarea><q></textarea>",
        "<br/>",
        "<s",
        '<u x="',
        "<!doctype html>",
        "<?php <em> ?>",
        "</ >",
        "<B DATA-X>",
        "<svg><title/><path d='M0'/></svg>",
        "\n",
        "<em a= >",
    ]
)


@given(st.lists(PIECES).map("".join) | st.text(alphabet="<>/!-='\" ab" + string.ascii_uppercase[:3]))
def test_tokens_cover_every_character_once(html: str) -> None:
    position = 0
    for token in scan(html):
        assert token.start == position < token.end
        position = token.end
    assert position == len(html)


@given(st.lists(PIECES.filter(lambda piece: piece not in ("<s", '<u x="', "<", "</")), max_size=12).map("".join))
def test_start_tags_are_those_of_a_parser(html: str) -> None:
    ours = [token.name for token in scan(html) if token.kind == "start"]
    document = LexborHTMLParser(f"<body><main>{html}</main></body>")
    theirs = {node.tag for node in document.css("body *")} - {"main"}
    # A lone </p> makes an empty paragraph; everything else comes from a start tag.
    assert theirs - {"p"} == set(ours) - {"p"}


@pytest.mark.parametrize(
    ("html", "value"),
    [
        ('<a href="x&amp;y">', "x&y"),
        ("<a href='x y'>", "x y"),
        ("<a href=x/y>", "x/y"),
        ("<a\nhref = x>", "x"),
        ("<a href>", ""),
        ('<a b="c"href="d">', "d"),
        ("<a HREF=x href=y>", "x"),
        ('<a title="<a href=z>" href=q>', "q"),
    ],
)
def test_attributes_are_read_as_browsers_do(html: str, value: str) -> None:
    (token,) = scan(html)
    assert token.value("href") == value
    (link,) = LexborHTMLParser(html).css("a")
    assert link.attributes["href"] in (value, None)


def test_raw_text_knows_its_element() -> None:
    tokens = list(scan("<title>a<b></title><p>c</p>"))
    assert [(token.kind, token.name) for token in tokens] == [
        ("start", "title"), ("text", "title"), ("end", "title"), ("start", "p"), ("text", ""), ("end", "p"),
    ]  # fmt: skip


def test_long_hostile_input_takes_linear_time() -> None:
    for html in (
        "<a " * 50_000,
        "<" * 200_000,
        '<a b="' * 50_000,
        "<!--" * 50_000,
        "<a b=" * 50_000,
        "<script>" * 20_000,
    ):
        assert sum(token.end - token.start for token in scan(html)) == len(html)


def test_edits_at_one_place_keep_their_order() -> None:
    assert apply_edits("abc", [Edit(1, 1, "1"), Edit(1, 1, "2"), Edit(1, 2, "B"), Edit(3, 3, "!")]) == "a12Bc!"

"""The scanner that knows where each declaration stands, held against a CSS parser."""

from collections.abc import Iterable, Iterator
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.compliance.cascade.tokens import Declaration, Item, parse_stylesheet
from loopwright.agents.pages.design.source import read_source
from loopwright.agents.pages.design.tokens import parts_of
from loopwright.agents.pages.offline.studio.design_system import render_design_system

NAMES = st.sampled_from(["color", "--a", "--space-1", "margin", "background-image", "Width"])
VALUES = st.sampled_from(
    ["red", "12px 3px", "var(--a, {b})", "url(a;b}c)", "url( 'x;y' )", "'}'", '"a\\"b;"', "calc((1px + 2px) * 3)",
     "a /* ; } */ b", "rgb(1, 2, 3)", "\\}x", "x!important", "[a;b]"]
)  # fmt: skip
PRELUDES = st.sampled_from([".a", "a:hover, b > c", '[data-x="}"]', ":is(.a, .b)", "@media (min-width: 10px)", "& .b"])
SPACES = st.sampled_from(["", " ", "\n", "/* ; */", " /* { */ "])


@st.composite
def blocks(draw: st.DrawFn, depth: int = 0) -> str:
    """A rule with declarations and, sometimes, rules inside it."""
    pieces = []
    for _ in range(draw(st.integers(0, 4))):
        gap = draw(SPACES)
        if depth < 2 and draw(st.integers(0, 4)) == 0:
            pieces.append(gap + draw(blocks(depth + 1)))
        else:
            pieces.append(f"{gap}{draw(NAMES)}{draw(SPACES)}:{gap}{draw(VALUES)};")
    return f"{draw(PRELUDES)} {{{''.join(pieces)}{draw(SPACES)}}}"


def declared(items: Iterable[Item]) -> Iterator[tuple[str, bool]]:
    """Names and importance of all declarations, in no particular order."""
    for item in items:
        if isinstance(item, Declaration):
            yield item.name, item.important
        else:
            yield from declared(item.content or ())


@settings(max_examples=150, deadline=None)
@given(st.lists(blocks(), max_size=4).map("\n".join))
def test_it_finds_what_the_parser_finds(css: str) -> None:
    found = read_source(css).declarations
    assert sorted((each.name, each.important) for each in found) == sorted(declared(parse_stylesheet(css)))
    for each in found:
        assert css[each.value_start : each.value_end] == each.value
        assert css[each.start :].lower().startswith(each.name.lower())


@given(st.text(alphabet="ab-:;{}()[]\"'/*\\!@ \n,.#", max_size=80))
def test_any_text_is_read(css: str) -> None:
    source = read_source(css)
    for each in source.declarations:
        assert css[each.value_start : each.value_end] == each.value
    for block in source.blocks:
        assert 0 <= block.start < block.content_start <= block.content_end <= len(css)


@given(st.text(max_size=60))
def test_any_value_is_taken_apart(value: str) -> None:
    ends = 0
    for part in parts_of(value):
        assert part.text == value[part.start : part.end]
        assert part.start >= ends
        ends = part.end


@pytest.mark.parametrize("product_type", ["ecommerce", "kanban", "streaming"])
def test_whole_design_systems(product_type: str) -> None:
    css = render_design_system(product_type, brand_colors=("#0A7D5C",))
    found = [(each.name, each.important) for each in read_source(css).declarations]
    assert found == list(declared(parse_stylesheet(css)))
    base = resources.files("loopwright.agents.pages.design").joinpath("mobile-base.css").read_text(encoding="utf-8")
    assert [each.name for each in read_source(base).declarations if each.selectors == "body"] == [
        "margin", "font-size", "line-height", "overflow-x",
    ]  # fmt: skip


def test_where_a_declaration_stands() -> None:
    css = "@media (prefers-color-scheme: dark) { :root { --ink: #eee } }\n@import 'x.css';\n.a { &:hover { top: 0 } }"
    ink, top = read_source(css).declarations
    assert (ink.selectors, ink.conditions) == (":root", ("@media (prefers-color-scheme: dark)",))
    assert (top.selectors, top.conditions) == ("&:hover", ())
    assert [each.text for each in read_source(css).statements] == ["@import 'x.css'"]


def test_the_parts_of_a_value() -> None:
    value = "0 1px 2px rgb(0 0 0 / .06), calc(var(--a, 3px) * -2) #fff url(a.png) 1.5s 'x' red"
    assert [(part.kind, part.text, part.inside) for part in parts_of(value)] == [
        ("length", "1px", ""),
        ("length", "2px", ""),
        ("colour", "rgb(0 0 0 / .06)", ""),
        ("reference", "var(--a, 3px)", "calc"),
        ("colour", "#fff", ""),
        ("duration", "1.5s", ""),
        ("string", "'x'", ""),
        ("colour", "red", ""),
    ]
    mixed = list(parts_of("color-mix(in srgb, var(--brand) 70%, #000)"))
    assert [(part.kind, part.name, part.inside) for part in mixed if part.kind != "word"] == [
        ("reference", "--brand", "color-mix"),
        ("colour", "#000", "color-mix"),
    ]

"""Which declaration wins, and what it is worth, without a browser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.cascade.computed import Cascade
from loopwright.agents.pages.compliance.cascade.lengths import AUTO, LengthContext, resolve_length
from loopwright.agents.pages.compliance.cascade.media import media_applies
from loopwright.agents.pages.compliance.cascade.shorthand import expand
from loopwright.agents.pages.compliance.cascade.tokens import parse_selector, parse_values, specificity

CONTEXT = LengthContext(font_size=20.0, root_font_size=10.0, percent_of=200.0)
CSS_PIECES = (
    'a { } : ; ( ) [ ] var(--a) --a: 1px calc( @media !important , .b #c width :not( ::before & > " /* */ \\ @layer x '
    "<!-- url( % min( 0 @import --a:var(--a)"
)
CSS_TEXT = st.lists(st.sampled_from([*CSS_PIECES.split(), " "])).map("".join)


def element(document: LexborHTMLParser, selector: str) -> LexborNode:
    found = document.css_first(selector)
    assert found is not None
    return found


def computed(css: str, name: str, body: str = '<p id="x" class="c">t</p>') -> str | None:
    document = LexborHTMLParser(f"<!doctype html><html><body>{body}</body></html>")
    return Cascade(document, [css]).value(element(document, "#x"), name)


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        ("12px", 12), ("1.5em", 30), ("2rem", 20), ("0", 0), ("50%", 100), ("10vw", 43), ("100dvh", 932), ("1in", 96),
        ("calc(100% - 2 * 8px)", 184), ("calc((1rem + 2px) / 2)", 6), ("min(100%, 430px)", 200), ("max(1px,2px)", 2),
        ("clamp(1rem, 5vw, 2rem)", 20), ("calc(2px * 3 - 1px + 4px / 2)", 7), ("env(safe-area-inset-bottom, 20px)", 0),
        ("calc(env(safe-area-inset-bottom) + 8px)", 8), ("-4px", -4), ("44PX", 44), ("2lh", None), ("auto", AUTO),
        ("fit-content(10px)", AUTO), ("max-content", AUTO), ("7", None), ("1px 2px", None), ("calc(1px / 0)", None),
        ("calc(1px + )", None), ("attr(x)", None), ("banana", None), ("calc(1px 2px)", None), ("", None),
    ],
)  # fmt: skip
def test_lengths(text: str, pixels: object) -> None:
    assert resolve_length(text, CONTEXT) == (pytest.approx(pixels) if isinstance(pixels, int) else pixels)


@pytest.mark.parametrize(
    ("css", "pixels"),
    [
        ("", 13), ("body { font-size: 20px }", 20), ("body { font-size: 1.25rem }", 20),
        ("html { font-size: 20px }", 20),
        ("body { font-size: 1.25em }", 16.25), ("html { font-size: 125% }", 16.25), ("body { font-size: large }", 16),
        ("body { font-size: calc(1em + 4px) }", 20), ("p { font-size: 2em }", 26), ("p { font-size: 2rem }", 32),
        ("body { font-size: 20px } p { font-size: 2em }", 40), ("p { font-size: smaller }", 10.833),
        ("p { font-size: small }", 12), ("p { font-family: monospace, monospace }", 16),
        ("p { font-size: inherit }", 13),
        ("p { font: 1em serif }", 16), ("p { font-size: var(--none) }", None), ("p { font-family: serif }", 16),
    ],
)  # fmt: skip
def test_font_sizes_with_the_monospace_rule_as_chromium_has_them(css: str, pixels: float | None) -> None:
    document = LexborHTMLParser('<!doctype html><html><body><p id="x">t</p></body></html>')
    size = Cascade(document, ["p { font-family: monospace }", css]).font_size(element(document, "#x"))
    assert size == (None if pixels is None else pytest.approx(pixels, abs=0.001))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*", (0, 0, 0)), ("li", (0, 0, 1)), ("ul li", (0, 0, 2)), ("ul > li::before", (0, 0, 3)),
        ("a:hover", (0, 1, 1)),
        ("#a", (1, 0, 0)), ("#a .b[c=d]", (1, 2, 0)), (":not(#a, p)", (1, 0, 0)), (":where(#a) p", (0, 0, 1)),
        (":is(.a, #b) em", (1, 0, 1)), ("p:nth-child(2n+1)", (0, 1, 1)), ("a:before", (0, 0, 2)), (".a.b.c", (0, 3, 0)),
    ],
)  # fmt: skip
def test_specificity(text: str, expected: tuple[int, int, int]) -> None:
    assert specificity(parse_values(text)) == expected


@pytest.mark.parametrize(
    ("text", "match", "reach", "pseudo"),
    [
        ("a:hover", "a", "never", ""), ("a:not(:hover)", "a", "at-rest", ""), (":is(:focus)", "*", "never", ""),
        (":is(a:focus, b)", ":is(b)", "at-rest", ""), ("p::before", "p", "at-rest", "before"),
        ("::-webkit-scrollbar", "*", "at-rest", "-webkit-scrollbar"), ("ul > ::marker", "ul > *", "at-rest", "marker"),
        ("a:not(.b, :active)", "a:not(.b)", "at-rest", ""),
    ],
)  # fmt: skip
def test_selectors_at_rest(text: str, match: str, reach: str, pseudo: str) -> None:
    selector = parse_selector(parse_values(text))
    assert (selector.text, selector.reach, selector.pseudo_element) == (match, reach, pseudo)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("", True), ("screen", True), ("print", False), ("not print", True),
        ("only screen and (min-width: 400px)", True),
        ("(min-width: 27em)", False), ("(max-width: 430px)", True), ("(width < 430px)", False),
        ("(400px <= width < 500px)", True),
        ("print, (max-width: 500px)", True), ("(hover: hover)", False), ("(pointer: coarse)", True), ("(hover)", False),
        ("(prefers-color-scheme: dark)", False), ("(orientation: portrait) and (min-height: 900px)", True),
        ("(min-width: 1px) and (unheard: of)", None), ("(min-width: 9999px) and (unheard: of)", False),
        ("(max-width: 500px) or (unheard: of)", True), ("not (unheard: of)", None), ("(min-width: calc(1px))", None),
        ("((min-width: 1px) and (max-width: 2px))", False), ("not ((hover))", True),
    ],
)  # fmt: skip
def test_media_queries(query: str, answer: bool | None) -> None:
    assert media_applies(parse_values(query)) is answer


@pytest.mark.parametrize(
    ("name", "value", "longhand", "expected"),
    [
        ("padding", "1px 2px 3px", "padding-left", "2px"), ("padding", "1px 2px 3px", "padding-bottom", "3px"),
        ("margin-inline", "1px 2px", "margin-right", "2px"), ("inset", "auto 0 0", "top", "auto"),
        ("border", "2px solid red", "border-top-width", "2px"), ("border", "solid", "border-left-style", "solid"),
        ("border", "none", "border-top-style", "none"), ("border-bottom", "0", "border-bottom-width", "0"),
        ("font", "italic 600 14px/1.4 'A', serif", "font-size", "14px"),
        ("font", "600 1rem/1.4 x", "line-height", "1.4"),
        ("font", "14px x", "line-height", "normal"), ("font", "inherit", "font-size", "inherit"),
        ("flex", "1", "flex-grow", "1"), ("flex", "none", "flex-grow", "0"), ("flex", "0 0 44px", "flex-basis", "44px"),
        ("flex-flow", "column wrap", "flex-direction", "column"), ("overflow", "hidden auto", "overflow-y", "auto"),
        ("min-block-size", "44px", "min-height", "44px"), ("all", "unset", "padding-top", "unset"),
        ("color", "red", "color", "red"),
    ],
)  # fmt: skip
def test_shorthands(name: str, value: str, longhand: str, expected: str) -> None:
    assert expand(name, value)[longhand] == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("p { width: 1px } .c { width: 2px }", "2px"),
        (".c { width: 2px } p { width: 1px }", "2px"),
        ("#x { width: 1px } .c { width: 2px !important }", "2px"),
        ("@layer a { #x { width: 1px } } p { width: 2px }", "2px"),
        ("@layer b, a; @layer a { p { width: 2px } } @layer b { p { width: 1px } }", "2px"),
        ("@layer a { p { width: 2px !important } } #x { width: 1px !important }", "2px"),
        ("@layer a.b { p { width: 1px } } @layer a { p { width: 2px } }", "2px"),
        ("@layer a { p { width: 2px } } @layer a.b { p { width: 1px } }", "2px"),
        ("@layer a.b, c, a.d; @layer c { p { width: 2px } } @layer a.d { p { width: 1px } }", "2px"),
        ("@layer a { p { width: 2px !important } } p { width: 1px !important }", "2px"),
        ("p { --a: 2px; width: var(--a) }", "2px"),
        ("body { --a: 1px } p { --b: var(--a); width: calc(var(--b) * 2) }", "calc(1px * 2)"),
        ("p { width: var(--none, var(--also-none, 2px)) }", "2px"),
        ("p { --a: var(--b); --b: var(--a); width: var(--a, 2px) }", "2px"),
        ("p { width: var(--none) }", None),
        ("p { width: 1px } @container (width > 1px) { p { width: 2px } }", None),
        ("@container (width > 1px) { p { width: 1px } } #x { width: 2px }", "2px"),
        ("body { & p { width: 2px } }", "2px"),
        ("@media screen { @supports (display: grid) { p { width: 2px } } }", "2px"),
        ("@supports not (display: grid) { p { width: 2px } }", None),
        ("p { width: 1px; width: initial }", "auto"),
        ("p:hover { width: 1px }", "auto"),
        ("p::after { width: 1px }", "auto"),
        ("P.c { WIDTH: 2PX }", "2px"),
        ("p{width:1px}}}} .c{width:2px}", "1px"),
    ],
)
def test_the_winning_declaration(css: str, expected: str | None) -> None:
    assert computed(css, "width") == expected


def test_inheritance_and_inline_styles() -> None:
    body = '<div style="visibility:hidden; width:5px"><p id="x" style="width: inherit">t</p></div>'
    assert computed("", "visibility", body) == "hidden"
    assert computed("p { width: 1px }", "width", body) == "5px"
    assert computed("p { width: 1px !important }", "width", body) == "1px"


def test_variables_that_double_do_not_exhaust_memory() -> None:
    doubling = "".join(f"--v{n}: var(--v{n - 1}) var(--v{n - 1});" for n in range(1, 40))
    assert computed(f"p {{ --v0: 1px; {doubling} width: var(--v39) }}", "width") is None


def test_very_deep_pages_and_rules_are_survived() -> None:
    deep = "<div>" * 400 + '<p id="x">t</p>'
    assert computed("p { width: 2px }" + ".a { " * 500, "width", deep) == "2px"
    assert computed("p { width: 2px }", "width", "<div>" * 3000 + deep) is None  # deeper than browsers nest
    assert computed("p { width: " + "calc(" * 3000 + "1px", "width") is not None
    assert computed("p" + ":not(" * 3000 + " { width: 1px }", "width") in ("auto", None)


@given(CSS_TEXT)
def test_any_css_can_be_computed(css: str) -> None:
    computed(css, "width")
    computed(f"p {{ {css} }}", "padding-top")
    computed("", "width", f"<p id=x style='{css}'>t</p>")

"""Tokens given other values: what was asked for changes, in the scheme that was asked for, and not a byte besides."""

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.colour import nearest_shade
from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast
from loopwright.agents.pages.design.change import SchemeChoice, change_tokens
from loopwright.agents.pages.design.impact import impact_lines, measure_impact
from loopwright.agents.pages.design.schemes import SCHEMES, default_scheme, find_switch
from loopwright.agents.pages.design.tokens import read_design_system
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.kernel.errors import InvalidInput

BODY = "\nbody { background: var(--bg); color: var(--ink) }\n.btn { background: var(--accent); color: var(--on) }\n"
SHEETS = {
    "one scheme": ":root { --bg: #fff; --ink: #111; --accent: #0a7; --on: #000; --gap: 8px }",
    "attribute": (
        ":root{--bg:#fff;--ink:#111;--accent:#0a7;--on:#000;--gap:8px}\n"
        '[data-theme="dark"]{--bg:#111;--ink:#eee /* light ink */}'
    ),
    "class": (
        ":root { --bg: #fff; --ink: #111; --accent: #0a7; --on: #000; --gap: 8px; }\n"
        "html.dark { --bg: #111; --ink: #eee; }"
    ),
    "preference": (
        ":root { --bg: #fff; --ink: #111; --accent: #0a7; --on: #000; --gap: 8px; }\n"
        "@media (prefers-color-scheme: dark) { :root { --bg: #111; --ink: #eee; } }"
    ),
    "both": (
        ":root { --bg: #fff; --ink: #111; --accent: #0a7; --on: #000; --gap: 8px }\n"
        '@media (prefers-color-scheme: dark) { :root:not([data-mode="light"]) { --bg: #111; --ink: #eee; } }\n'
        ':root[data-mode="dark"] { --bg: #111; --ink: #eee; }'
    ),
    "function": (
        ":root { color-scheme: light dark; --bg: light-dark(#fff, #111); --ink: light-dark(#111, #eee); "
        "--accent: #0a7; --on: #000; --gap: 8px }"
    ),
    "dark first": (
        ":root { color-scheme: dark; --bg: #111; --ink: #eee; --accent: #0a7; --on: #000; --gap: 8px; }\n"
        ':root[data-mode="dark"] { color-scheme: dark }\n:root[data-mode="light"] { --bg: #fff; --ink: #111; }'
    ),
}  # fmt: skip
HEX = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@pytest.mark.parametrize("name", SHEETS)
def test_the_schemes_of_a_sheet_are_found(name: str) -> None:
    system = read_design_system(SHEETS[name] + BODY)
    assert system.has_both_schemes == (name != "one scheme")
    light, dark = (system.tokens["--bg"].colour(scheme) for scheme in SCHEMES)
    assert light is not None
    assert light.hex == "#FFFFFF"
    assert dark is not None
    assert dark.hex == ("#FFFFFF" if name == "one scheme" else "#111111")
    assert default_scheme(SHEETS[name] + BODY) == ("dark" if name == "dark first" else "light")
    assert find_switch(SHEETS[name]).exists == (name != "one scheme")


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(sorted(set(SHEETS) - {"one scheme"})),
    st.sampled_from(["--bg", "--ink", "--accent"]),
    HEX,
    st.sampled_from(["light", "dark", "both"]),
)
def test_only_what_was_asked_for_changes(sheet: str, token: str, value: str, scheme: SchemeChoice) -> None:
    css = SHEETS[sheet] + BODY
    after = change_tokens(css, {token: value}, scheme)
    old, new = read_design_system(css).tokens, read_design_system(after).tokens
    for name in old:
        for side in SCHEMES:
            changed = name == token and scheme in (side, "both")
            wanted = Colour.from_hex(value) if changed else old[name].colour(side)
            assert new[name].colour(side) == wanted, (name, side, after)
    assert after.replace(" ", "").count("{") >= css.count("{")
    kept = "".join(
        css[one:two]
        for tag, one, two, _, _ in difflib.SequenceMatcher(None, css, after, autojunk=False).get_opcodes()
        if tag == "equal"
    )
    assert BODY.strip() in after
    assert "/* light ink */" not in css or "/* light ink */" in kept
    assert change_tokens(after, {token: value}, scheme) == after


def test_a_measure_changes_where_it_stands() -> None:
    css = SHEETS["attribute"] + BODY
    assert change_tokens(css, {"gap": "0.75rem"}) == css.replace("--gap:8px", "--gap:0.75rem")
    only_dark = change_tokens(css, {"--gap": "12px"}, "dark")
    assert only_dark == css.replace("/* light ink */}", "/* light ink */;\n  --gap: 12px;}")


@pytest.mark.parametrize(
    ("changes", "scheme", "said"),
    [
        ({"--nope": "#fff"}, "both", "no token --nope"),
        ({"--accent": "12px"}, "both", "is no colour"),
        ({"--gap": "red"}, "both", "is no length"),
        ({"--accent": "red; } body { display: none"}, "both", "is no value"),
        ({"--accent": "url(https://evil.example/x.png)"}, "both", "is no value"),
        ({"--accent": "</style><script>"}, "both", "is no value"),
        ({"--accent": "red /* x"}, "both", "is no value"),
        ({"--accent": ""}, "both", "is no value"),
        ({"--accent": "x" * 400}, "both", "is no value"),
        ({"--accent": "#f00"}, "dark", "one scheme only"),
        ({}, "both", "Change 1 to"),
    ],
)
def test_what_cannot_be_changed_is_said(changes: dict[str, str], scheme: SchemeChoice, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        change_tokens(SHEETS["one scheme"] + BODY, changes, scheme)


def test_a_token_may_refer_to_another() -> None:
    css = SHEETS["attribute"] + BODY
    after = read_design_system(change_tokens(css, {"--accent": "var(--ink)"})).tokens["--accent"]
    assert (after.light, after.dark) == ("#111", "#eee")


PAGE = (
    '<!doctype html><html><head><style>.note::before {{ content: "!"; color: var(--accent) }}'
    '.own {{ border-color: var(--accent) }}</style></head><body class="page"><h1>Title</h1>{body}</body></html>'
)
PAGES = {
    "index": PAGE.format(body='<a class="btn" href="#">Buy</a><p class="note">Note</p><p>Text</p>'),
    "menu": PAGE.format(body='<div class="own"><b class="btn">One</b><b class="btn">Two</b></div>'),
    "plain": PAGE.format(body="<p>Nothing of the accent.</p>"),
}


def test_the_impact_is_computed() -> None:
    """The accent fills buttons, draws a border and a mark; its own text is black at 7.4 to 1 before."""
    css = SHEETS["attribute"] + BODY
    impact, after = measure_impact(css, {"--accent": "#123456"}, "both", PAGES)
    assert after == css.replace("--accent:#0a7", "--accent:#123456")
    assert [(each.slug, each.elements) for each in impact.pages] == [("index", 2), ("menu", 3)]
    assert impact.rules == (".btn",)
    light = next(each for each in impact.contrasts if each.scheme == "light")
    assert (light.count, light.text, light.ground, light.required) == (3, "#000000", "#123456", 4.5)
    assert light.before == pytest.approx(7.0, abs=0.5)
    assert light.after == pytest.approx(contrast(Colour.from_hex("#000000"), Colour.from_hex("#123456")), abs=0.01)
    assert light.falls
    assert {(each.token, each.keeps) for each in impact.proposals} == {("--accent", ""), ("--on", "--accent")}
    for proposal in impact.proposals:
        changes = {"--accent": "#123456", proposal.token: proposal.value}
        assert not measure_impact(css, changes, "both", PAGES)[0].falling
    lines = impact_lines(impact)
    assert lines[1] == "Touches 1 rule and 5 elements on 2 pages (index 2, menu 3)."
    assert any(line.startswith("  ✗ ") and "light and dark: #000000 on #123456" in line for line in lines)


def test_a_text_colour_reaches_what_inherits_it() -> None:
    impact, _ = measure_impact(SHEETS["attribute"] + BODY, {"--ink": "#777"}, "dark", PAGES)
    assert {each.slug: each.elements for each in impact.pages} == {"index": 4, "menu": 2, "plain": 3}
    assert [(each.scheme, each.required, each.falls) for each in impact.contrasts] == [
        ("dark", 4.5, True),
        ("dark", 3.0, False),
    ]
    assert impact_lines(measure_impact(SHEETS["attribute"] + BODY, {"--gap": "9px"}, "both", PAGES)[0])[-1] == (
        "Contrast: no text changes its contrast."
    )


@settings(max_examples=30, deadline=None)
@given(HEX, st.lists(HEX, min_size=1, max_size=3))
def test_the_nearest_shade(start: str, grounds: list[str]) -> None:
    partners = [(Colour.from_hex(ground), 4.5) for ground in grounds]
    shade = nearest_shade(Colour.from_hex(start), partners)
    black_or_white = [Colour(0.0, 0.0, 0.0), Colour(1.0, 1.0, 1.0)]
    if shade is None:
        assert not any(all(contrast(ink, ground) >= 4.6 for ground, _ in partners) for ink in black_or_white)
    else:
        assert all(contrast(shade, ground) >= ratio for ground, ratio in partners)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_on_a_whole_design_system(scheme: Scheme) -> None:
    css = render_design_system("streaming", brand_colors=("#E4002B",))
    names = [token.name for token in read_design_system(css).of_kind("colour")]
    for name in names:
        after = change_tokens(css, {name: "#abcdef"}, scheme)
        token, old = read_design_system(after).tokens[name], read_design_system(css).tokens[name]
        other: Scheme = "light" if scheme == "dark" else "dark"
        assert (token.value(scheme), token.colour(other)) == ("#abcdef", old.colour(other)), name
        assert abs(len(after.splitlines()) - len(css.splitlines())) <= 1

"""Style sheets as models write them: hostile, in one scheme, in other colours than asked for; good ones come out."""

import pytest

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.compliance.cascade.colours import Colour, contrast
from loopwright.agents.pages.compliance.cascade.media import StyleSheet as FlatSheet
from loopwright.agents.pages.design.check import (
    MAX_CHARACTERS,
    StyleSheet,
    keep_brand,
    keep_contrast,
    mobile_errors,
    purge,
    read_style_sheet,
    refusal_of,
)
from loopwright.agents.pages.design.completion import complete_schemes, probe_html
from loopwright.agents.pages.design.pairs import pair_of, pairs_in_rules, texts_of
from loopwright.agents.pages.design.schemes import SCHEMES, probe
from loopwright.agents.pages.design.tokens import read_design_system
from tests.agents.pages.studio import fenced

SHEET = """:root {
  --color-primary: #7a4b2a; --color-on-primary: #fff; --color-secondary: #f2e8dc; --color-accent: #0e8f63;
  --color-background: #fbf7f2; --color-surface: #ffffff; --color-text: #2a1d14; --color-text-muted: #6e5d50;
  --color-border: #e6dacd; --space-4: 16px;
}
body { margin: 0; background: var(--color-background); color: var(--color-text); }
a { color: var(--color-primary); }
.page { max-width: 430px; }
.card { background: white; border: 1px solid var(--color-border); }
.btn { background: var(--color-primary); color: var(--color-on-primary); }
.muted, .price { color: var(--color-text-muted); }
.bottom-nav { background: var(--color-surface); }
"""


@pytest.mark.parametrize(
    ("hostile", "said"),
    [
        ("@import url('https://evil.example/a.css');", "@import"),
        ('@import "a.css" layer(x);', "@import"),
        ("@charset 'utf-8';", "@charset"),
        ("@font-face { font-family: X; src: url(//fonts.example/x.woff2) }", "@font-face from elsewhere"),
        (".x { background: url(https://evil.example/p.png) }", "url(https://evil.example/p.png)"),
        (".x { background: url(pictures/p.png) no-repeat }", "url(pictures/p.png)"),
        (".x { background: u\\72l('JavaScript:alert(1)') }", "url(JavaScript:alert(1))"),
        (".x { background: image-set('https://evil.example/p.png' 1x) }", "url(https://evil.example/p.png)"),
        (".x { --evil: url(https://evil.example/p.png) }", "url(https://evil.example/p.png)"),
        (".x { width: expression(alert(1)) }", "expression()"),
        (".x { behavior: url(#x) }", "behavior"),
        (".x { -moz-binding: url(data:text/xml,x) }", "-moz-binding"),
        (".x { background: url(data:text/html,x) }", "url(data:text/html,x)"),
    ],
)  # fmt: skip
def test_what_is_taken_out(hostile: str, said: str) -> None:
    purged = purge(f".before {{ top: 0 }}\n{hostile}\n{SHEET}")
    assert purged is not None
    assert purged.removed == (said,)
    assert purged.css.startswith(".before { top: 0 }\n")
    assert purged.css.endswith(SHEET)
    flat = FlatSheet()
    flat.add(purged.css)
    assert flat.addresses == []
    assert purge(purged.css) == purge(purged.css.replace("\0", ""))


def test_what_stays() -> None:
    css = SHEET + ".x { background: url(data:image/png;base64,AA) } .y { clip-path: url(#shape); width: calc(1px * 2) }"
    purged = purge(css)
    assert purged is not None
    assert (purged.css, purged.removed) == (css, ())


@pytest.mark.parametrize(
    ("css", "said"),
    [
        (SHEET + "</STYLE><script>", "CSS only"),
        (SHEET + "<!-- x -->", "CSS only"),
        (SHEET + ".x { color: red", "ends inside a rule"),
        (SHEET + "/*" + "x" * MAX_CHARACTERS + "*/", "are the most"),
        (SHEET + ".x { top: 0 }" * 6_001, "declarations"),
    ],
)
def test_what_is_refused(css: str, said: str) -> None:
    assert said in (refusal_of(css) or "")
    assert refusal_of(SHEET) is None


def ratios(css: str) -> list[tuple[str, str, float]]:
    """Contrasts of a page with one of everything and of the sheet's rules, where they fall short."""
    found = []
    for scheme in SCHEMES:
        cascade = probe(css, scheme, probe_html())
        pairs = [(node.tag or "", pair_of(cascade, node, scheme)) for node in texts_of(cascade)]
        pairs += list(pairs_in_rules(css, scheme).items())
        found += [(scheme, where, pair.ratio) for where, pair in pairs if pair and pair.ratio < pair.required]
    return found


def test_a_dark_scheme_is_derived() -> None:
    completion = complete_schemes(SHEET)
    assert completion.note == 'gave the sheet a dark scheme, derived from its light one (`<html data-mode="dark">`)'
    system = read_design_system(completion.css)
    assert system.has_both_schemes
    dark = {name: token.colour("dark") for name, token in system.tokens.items()}
    assert (dark["--color-background"] or Colour(1, 1, 1)).luminance < 0.03
    assert (dark["--color-text"] or Colour(0, 0, 0)).luminance > 0.6
    assert ratios(completion.css) == []
    # What stood there stays, but for the raw white of the card, which is the surface and has to follow it.
    assert completion.css.startswith(SHEET.replace("background: white", "background: var(--color-surface)").rstrip())
    assert complete_schemes(completion.css).note is None


def test_a_light_scheme_is_derived() -> None:
    rules, _, dark = complete_schemes(SHEET).css.partition("/* Dark")
    only_dark = ":root {" + dark.partition("{")[2].partition("}")[0] + "}" + rules.partition("}")[2]
    completion = complete_schemes(only_dark)
    assert completion.note is not None
    assert completion.note.startswith("gave the sheet a light scheme")
    assert ratios(completion.css) == []


def test_no_scheme_is_derived_that_nobody_could_read() -> None:
    """The card's ground is a raw colour that no token has: dark text on it would become light text."""
    css = SHEET.replace("background: white", "background: #fff3d6")
    completion = complete_schemes(css)
    assert completion.css == css
    assert "none could be derived: text of" in (completion.note or "") or "text in <" in (completion.note or "")


@pytest.mark.parametrize("brand", ["#ffd400", "#ffffff", "#123456", "#e4002b", "#808080"])
def test_the_brand_is_kept_and_readable(brand: str) -> None:
    sheet = read_style_sheet(fenced("css", SHEET), (brand, "#00ff88"))
    assert isinstance(sheet, StyleSheet)
    tokens = read_design_system(sheet.css).tokens
    for scheme in SCHEMES:
        primary, ink = tokens["--color-primary"].colour(scheme), tokens["--color-on-primary"].colour(scheme)
        assert primary is not None
        assert ink is not None
        assert primary == Colour.from_hex(brand)
        assert tokens["--color-accent"].colour(scheme) == Colour.from_hex("#00ff88")
        assert contrast(primary, ink) >= 4.5
    assert ratios(sheet.css) == []
    assert mobile_errors(sheet.css) == []


def test_a_brand_that_the_sheet_has_changes_nothing() -> None:
    assert keep_brand(SHEET, ()) == (SHEET, [])
    css, notes = keep_brand(SHEET.replace("a { color: var(--color-primary); }", ""), ("#7A4B2A",))
    assert notes == []
    assert "--color-primary-text" not in css
    assert keep_contrast(complete_schemes(SHEET).css)[1] == []
    assert keep_brand(".x { color: red } :root { --ink: #111 }", ("#ff0000",))[1] == [
        "the sheet has no token for #ff0000, which was asked for"
    ]


def test_a_sheet_with_everything_wrong() -> None:
    answer = fenced("css", "@import 'x.css';\n" + SHEET.replace("#6e5d50", "#b5a89d"))
    sheet = read_style_sheet(answer, ("#ffd400",))
    assert isinstance(sheet, StyleSheet)
    told = " ".join(sheet.fixes)
    for piece in (
        "took out @import",
        "mobile base",
        "set --color-primary to #ffd400",
        "dark scheme",
        "--color-text-muted",
    ):
        assert piece in told
    assert ratios(sheet.css) == []
    assert isinstance(read_style_sheet("Here you are."), Unusable)

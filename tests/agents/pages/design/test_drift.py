"""How far a page goes past the design system, and what is mended of it."""

import difflib
import itertools
import random

import pytest

from loopwright.agents.pages.compliance.markup import apply_edits
from loopwright.agents.pages.design.completion import fix_drift, invented_variables
from loopwright.agents.pages.design.drift import DriftReport, measure_drift
from loopwright.agents.pages.design.tokens import read_design_system
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from tests.agents.pages.studio import Studio, fenced

CSS = """
:root {
  --color-bg: #fafafa; --color-surface: #ffffff; --color-text: #1c1d1d; --color-muted: #626463;
  --color-primary: #0a7d5c; --color-on-primary: #fff; --color-border: hsl(0 0% 85%);
  --space-1: 4px; --space-2: 8px; --space-4: 16px; --radius-m: 14px;
  --text-s: 14px; --text-m: 1rem; --text-xl: 22px;
  --font-body: system-ui, sans-serif; --shadow-1: 0 1px 2px rgb(0 0 0 / 0.06);
}
:root[data-mode="dark"] { --color-bg: #101110; --color-surface: #1b1c1b; --color-text: #eff1f0; }
.page { max-width: 430px } .card { --pad: 12px; padding: var(--pad) } .btn { color: var(--color-on-primary) }
"""


def page(style: str = "", body: str = "", script: str = "") -> str:
    """A page with these parts, and enough that follows the system."""
    return (
        f"<!doctype html><html><head><title>T</title><style>{style}</style></head><body>"
        f'<div id="app" class="page page-home"><h1>Title</h1>{body}</div><script>{script}</script></body></html>'
    )


def rules(report: DriftReport) -> list[str]:
    """The rules that found something, with what they found."""
    return [f"{finding.rule} {finding.found}" for finding in report.findings]


@pytest.mark.parametrize(
    ("style", "found", "token"),
    [
        (".x { color: #1C1D1D }", "raw-colour #1C1D1D", "--color-text"),
        (".x { background: white }", "raw-colour white", "--color-surface"),
        (".x { color: #fff }", "raw-colour #fff", "--color-on-primary"),
        (".x { background: linear-gradient(red, var(--color-bg)) }", "raw-colour red", None),
        (".x { border: 1px solid rgb(217 217 217) }", "raw-colour rgb(217 217 217)", "--color-border"),
        (".x { font-size: 0.875rem }", "raw-size 0.875rem", "--text-s"),
        (".x { font-size: 13px }", "raw-size 13px", None),
        (".x { padding: 0 16px }", "raw-space 16px", "--space-4"),
        (".x { border-radius: 14px }", "raw-radius 14px", "--radius-m"),
        (".x { font-family: System-UI,sans-serif }", "raw-font System-UI,sans-serif", "--font-body"),
        (".x { font-family: Comic Sans MS }", "raw-font Comic Sans MS", None),
        (".x { box-shadow: 0 1px 2px rgb(0 0 0 / 0.06) }", "raw-shadow 0 1px 2px rgb(0 0 0 / 0.06)", "--shadow-1"),
        (".x { color: var(--primary-color) }", "unknown-variable var(--primary-color)", "--color-primary"),
        (".x { fill: var(--primary-600, blue) }", "unknown-variable var(--primary-600, blue)", "--color-primary"),
        (".x { color: var(--zz, #0a7d5c) }", "unknown-variable var(--zz, #0a7d5c)", "--color-primary"),
        (".x { padding: var(--spacing-10) }", "unknown-variable var(--spacing-10)", "--space-4"),
        (".x { margin: var(--quux) }", "unknown-variable var(--quux)", None),
        (".x { --color-text: #000 }", "redefined-token --color-text: #000", None),
        (".x { top: 0 !important }", "important top: 0 !important", None),
    ],
)  # fmt: skip
def test_what_is_found_and_what_is_put_in_its_place(style: str, found: str, token: str | None) -> None:
    html = page(style)
    report = measure_drift(html, CSS)
    assert rules(report) == [found]
    assert 0 < report.score <= 100
    fixed = fix_drift(html, CSS)
    if token is None:
        assert not report.findings[0].auto_fixable
        assert fixed.html == html
    else:
        assert report.findings[0].token == token
        assert f"var({token}" in fixed.html
        assert measure_drift(fixed.html, CSS).score == 0
        assert len(fixed.done) == 1


@pytest.mark.parametrize(
    "html",
    [
        page(".x { color: var(--color-text); padding: 0 var(--space-4); margin: 6px; border-radius: 50% }"),
        page(".x { --own: var(--color-bg); color: var(--own); background: transparent; top: 16px; width: 16px }"),
        page(".x { color: inherit; font-family: monospace; background: rgb(0 0 0 / 0.4) }"),
        page(
            ".x { box-shadow: 0 0 0 2px var(--color-border); color: color-mix(in srgb, var(--color-text) 50%, #fff) }"
        ),
        page(".x { padding: var(--pad) }", '<p class="x card">a</p>'),
        page("", '<p class="card special" style="--value: 62; width: 40%">a</p>'),
        page("", '<p class="hook">a</p><i class="js-toggle"></i>', 'document.querySelector(".hook")'),
        page("", '<svg class="card" viewBox="0 0 1 1"><path fill="#f00" style="fill: #00f" class="leaf"/></svg>'),
        page(".x { color: var(--set-by-script) }", "", "root.style.setProperty('--set-by-script', x)"),
        page("/* color: #123; */ .x::after { content: 'color: #fff; 16px' }"),
    ],
)
def test_what_is_no_drift(html: str) -> None:
    assert measure_drift(html, CSS) == DriftReport(score=0, followed=measure_drift(html, CSS).followed)


def test_classes_and_attributes() -> None:
    body = '<p class="teaser">a</p><a class="btn btn-gold" style="color: #f0f; width: 3px">b</a>'
    report = measure_drift(page("", body), CSS)
    assert [(each.rule, each.found, each.where) for each in report.findings] == [
        ("raw-colour", "#f0f", "a.btn[style]"),
        ("inline-style", "#f0f", "a.btn[style]"),
        ("unknown-class", ".teaser", "p.teaser"),
        ("unknown-class", ".btn-gold", "a.btn"),
    ]
    assert report.line() == "Design drift 72 of 100: 2 unknown classes, 1 raw colour, 1 inline style."


def test_the_formula() -> None:
    """One finding of weight 2 against two classes and two references: 100 * 2 / 6."""
    style = ".x { color: var(--color-text); background: var(--color-bg); border-color: red }"
    assert measure_drift(page(style, '<b class="card">a</b>'), CSS).score == 34
    assert measure_drift(page(".x { color: red }"), "").score == 0
    assert measure_drift("", CSS).score == 0
    assert measure_drift('<i class="zzz">', CSS).score == 100


def test_only_the_replaced_values_change() -> None:
    """Two hundred pages put together at random: outside the replaced values every character stays."""
    dice = random.Random(7)
    snippets = [
        "color: #1c1d1d", "background: #FFF url(x.png)", "padding: 16px 9px 8px", "margin:-8px 0 4px",
        "font-size: 14px",
        "border-radius: 14px 3px", "color: var(--primary)", "content: '#fff 16px'", "width: calc(100% - 16px)",
        "border: 1px solid #d9d9d9", "background: var(--bg-surface, #fff)", "transition: color .2s", "color: #123456",
    ]  # fmt: skip
    for _ in range(200):
        chosen = dice.sample(snippets, 5)
        style = " ".join(f".x{number} {{ {text}; }}" for number, text in enumerate(chosen))
        html = page(style, f'<p style="{dice.choice(snippets)}">16px #fff</p>')
        fixed = fix_drift(html, CSS).html
        assert measure_drift(fixed, CSS).score <= measure_drift(html, CSS).score
        assert not any(each.auto_fixable for each in measure_drift(fixed, CSS).findings)
        assert fix_drift(fixed, CSS).html == fixed
        for tag, one, two, three, four in difflib.SequenceMatcher(None, html, fixed, autojunk=False).get_opcodes():
            if tag != "equal":
                assert "{" not in html[one:two] + fixed[three:four]
        assert strip_values(html) == strip_values(fixed)


def strip_values(html: str) -> str:
    """A page without what stands between colon and semicolon of its declarations."""
    before, style, rest = html.partition("<style>")
    css, end, body = rest.partition("</style>")
    bare = "".join(part.partition(":")[0] for part in css.replace("}", ";").split(";"))
    return before + style + bare + end + body.partition('style="')[2].partition('"')[2]


def test_an_edit_leaves_old_inventions_alone() -> None:
    before = page(".a { color: var(--primary) }")
    after = before.replace(".a {", ".b { color: var(--text-color) } .a {")
    mended = apply_edits(after, invented_variables(after, CSS, before=before))
    assert mended == after.replace("--text-color", "--color-text")


def test_tokens_of_kinds() -> None:
    system = read_design_system(CSS)
    assert [token.name for token in system.of_kind("size")] == ["--text-s", "--text-m", "--text-xl"]
    assert system.tokens["--text-m"].pixels() == 16.0
    assert (system.tokens["--color-bg"].light, system.tokens["--color-bg"].dark) == ("#fafafa", "#101110")
    assert "--pad" not in system.tokens
    assert "--pad" in system.variables
    assert system.has_both_schemes


async def test_pages_say_their_drift(studio: Studio) -> None:
    studio.folder.joinpath("design-system.css").write_text(CSS, encoding="utf-8")
    html = page(
        ".x { color: var(--brand-ink); padding: 16px; margin: var(--quux) }", "<p>Twenty letters are enough.</p>"
    )
    made = await studio.call("generate_page", {"slug": "index", "title": "T", "description": "d"}, fenced("html", html))
    assert "Took the design system's tokens: " in made.output
    assert "no sheet sets var(--quux)" in made.output
    assert made.artifacts is not None
    assert [each["rule"] for each in made.artifacts["drift"]["findings"]] == ["unknown-variable"]
    assert "padding: var(--space-4)" in studio.file("index")
    patch = '<<<<<<< SEARCH\n<h1>Title</h1>\n=======\n<h1 style="color: var(--text-muted-2)">T</h1>\n>>>>>>> REPLACE'
    edited = await studio.call("edit_page", {"slug": "index", "edit_instructions": "grey title"}, patch)
    assert edited.success
    assert 'style="color: var(--color-muted)"' in studio.file("index")
    assert "var(--quux)" in studio.file("index")


@pytest.mark.parametrize("product_type", ["ecommerce", "travel", "portfolio", "dashboard"])
def test_every_token_of_the_studio_has_a_use(product_type: str) -> None:
    """The studio's own sheet refers to nothing that it does not set."""
    css = render_design_system(product_type)
    system = read_design_system(css)
    report = measure_drift(f"<style>{css.replace(':root', '.never')}</style>", css)
    assert [each.found for each in report.findings if each.rule == "unknown-variable"] == []
    assert system.has_both_schemes
    assert len(list(itertools.chain(system.components, system.utilities))) > 60

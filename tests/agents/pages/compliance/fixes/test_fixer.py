"""The fixer does what it says and nothing else."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.compliance import ValidationReport
from loopwright.agents.pages.compliance.fixes import FIXERS, Fix, FixedPage, fix_page
from loopwright.agents.pages.compliance.shell import SHELL_RULES
from tests.agents.pages.compliance.sample_pages import SLUGS, design_css, good_html, validate

VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">'
# (rule, passage of the good page, what it is spoiled with); all can be mended, and all can be combined.
FIXABLE = [
    ("doctype", "<!doctype html>", ""),
    ("html-lang", ' lang="en"', ""),
    ("charset", '<meta charset="utf-8">', ""),
    ("title", "<title>Cart</title>", "<title> </title>"),
    ("viewport", VIEWPORT, '<meta name="viewport" content="width=1024">'),
    ("design-system", '<link rel="stylesheet" href="../design-system.css">', ""),
    ("field-text-size", 'type="email"', 'type="email" style="font-size:.9rem"'),
    ("text-size", "<p>Prices", '<p style="font-size:0.7rem; color: inherit;">Prices'),
    ("broken-link", 'href="index.html"', "href='/index?from=cart'"),
]
# Issues that need somebody's judgement: they must be there afterwards as they were before.
OTHERS = [
    ("image-alt", 'alt="A red mug" ', ""),
    ("touch-target", '<button class="button" type="submit">', '<button style="height:32px" type="submit">'),
    ("script-syntax", "</body>", "<script>let = ;</script></body>"),
    ("main-heading", "<h1>Your cart</h1>", "<h2>Your cart</h2>"),
]


def spoil(choices: list[tuple[str, str, str]]) -> str:
    html = good_html()
    for _, old, new in choices:
        assert html.count(old) == 1, old
        html = html.replace(old, new)
    return html


def fixed(html: str, rules: set[str] | None = None, css: str | None = None) -> FixedPage:
    css = design_css() if css is None else css
    return fix_page(html, css=css, slug="cart", known_slugs=SLUGS, title="Cart", rules=rules)


def counts(report: ValidationReport) -> Counter[str]:
    return Counter(issue.rule for issue in report.issues)


def outside(text: str, fix: Fix) -> list[str]:
    """The pieces of a text that a fix does not name."""
    pieces, position = [], 0
    for edit in sorted(fix.edits, key=lambda edit: edit.start):
        pieces.append(text[position : edit.start])
        position = edit.end
    return [*pieces, text[position:]]


def assert_only_declared_spans_changed(before: str, fix: Fix, after: str) -> None:
    position = 0
    edits = sorted(fix.edits, key=lambda edit: edit.start)
    for piece, text in zip(outside(before, fix), [*(edit.text for edit in edits), ""], strict=True):
        assert after.startswith(piece + text, position)
        position += len(piece) + len(text)
    assert position == len(after)


@pytest.mark.parametrize(("rule", "old", "new"), FIXABLE, ids=[rule for rule, _, _ in FIXABLE])
def test_each_issue_is_mended_by_a_fix_of_its_own(rule: str, old: str, new: str) -> None:
    html = spoil([(rule, old, new)])
    assert {(issue.rule, issue.auto_fixable) for issue in validate(html).issues} == {(rule, True)}
    outcome = fixed(html)
    assert [fix.rules for fix in outcome.fixes] == [(rule,)]
    assert outcome.report.issues == validate(outcome.html).issues == ()
    assert_only_declared_spans_changed(html, outcome.fixes[0], outcome.html)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(FIXABLE), unique=True), st.lists(st.sampled_from(OTHERS), unique=True))
def test_what_can_be_mended_is_and_nothing_else_changes(
    fixable: list[tuple[str, str, str]], others: list[tuple[str, str, str]]
) -> None:
    html = spoil([*fixable, *others])
    before = counts(validate(html))
    outcome = fixed(html)
    assert counts(outcome.report) == Counter(
        {rule: n for rule, n in before.items() if rule in dict.fromkeys(r for r, _, _ in others)}
    )
    text = html
    for fix in outcome.fixes:
        assert fix.summary
        assert_only_declared_spans_changed(text, fix, fix.apply(text))
        text = fix.apply(text)
    assert text == outcome.html
    assert fixed(outcome.html) == FixedPage(outcome.html, (), outcome.report)
    if not fixable:
        assert outcome.html == html


@given(st.lists(st.sampled_from(FIXABLE), unique=True, min_size=2), st.data())
@settings(max_examples=25)
def test_one_rule_alone_can_be_mended(spoiled: list[tuple[str, str, str]], data: st.DataObject) -> None:
    html = spoil(spoiled)
    before = counts(validate(html))
    rule = data.draw(st.sampled_from([rule for rule, _, _ in spoiled]))
    outcome = fixed(html, {rule})
    assert counts(outcome.report) == before - Counter({rule: before[rule]})


@pytest.mark.parametrize(
    ("css", "declaration"),
    [
        ("input { font-size: 13px }", "font-size: 16px"),
        ("input { font-size: 13px !important }", "font-size: 16px !important"),
    ],
)
def test_the_gentlest_declaration_that_works_is_taken(css: str, declaration: str) -> None:
    outcome = fixed(good_html().replace("</head>", f"<style>{css}</style></head>"))
    assert outcome.report.valid
    assert outcome.summaries == [f"set {declaration} on #mail"]
    assert f'<input style="{declaration}" id="mail"' in outcome.html


def test_many_of_a_kind_are_mended_together() -> None:
    small = '<div style="font-size:7px">outer <b>inner</b></div>' + "".join(
        f'<p style="font-size:{size}px">{size} pixels</p>' for size in range(6, 12)
    )
    outcome = fixed(good_html().replace("<h1>", f"{small}<h1>"))
    assert outcome.report.valid
    assert len(outcome.fixes) == 1
    assert outcome.html.count("font-size: 12px") == 7


def test_a_scrollbar_that_shows_is_hidden() -> None:
    css = design_css().replace("scrollbar-width", "scroll-behavior").replace("::-webkit-scrollbar", ".nothing")
    assert "scrollbar" in counts(validate(good_html(), css))
    outcome = fixed(good_html(), css=css)
    assert "scrollbar" not in counts(validate(outcome.html, css))
    assert outcome.summaries == ["hid the scrollbar"]


def test_a_page_that_cannot_be_mended_stays_as_it_is() -> None:
    html = good_html().replace(' lang="en"', ' lang="english language"')
    assert fixed(html).html == html


@given(st.text(alphabet="<>/=\"' abhtmlody!-&;{}\n", max_size=200))
@settings(max_examples=60)
def test_any_text_can_be_given(text: str) -> None:
    outcome = fix_page(text)
    assert fix_page(outcome.html).html == outcome.html


def test_every_rule_that_promises_a_fix_has_one() -> None:
    assert {rule for rule, _, _ in FIXABLE} | {"scrollbar", "body-text-size"} == set(FIXERS) | SHELL_RULES


def test_the_body_grows_to_readable_text() -> None:
    html = good_html().replace("</head>", "<style>body{font-size:14px} input,select{font-size:16px}</style></head>")
    outcome = fixed(html)
    assert outcome.report.valid
    assert outcome.summaries == ["set font-size: 16px on body"]

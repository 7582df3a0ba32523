"""ACT rules on pages that the W3C's examples do not show."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.compliance.accessibility.detection import has_known_language, is_in_language
from loopwright.agents.pages.compliance.act import ACT_RULES, act_coverage, check_act
from loopwright.agents.pages.compliance.act.meta import allows_zoom, angle, refresh_delay, viewport_properties
from loopwright.agents.pages.compliance.act.outcome import is_valid_autocomplete
from loopwright.agents.pages.compliance.page import MAXIMUM_ELEMENTS
from loopwright.agents.pages.compliance.rules import RULES

BY_ID = {rule.id: rule for rule in ACT_RULES}


def outcome(rule: str, html: str) -> str:
    return check_act(html, rules=[BY_ID[rule]])[0].outcome


@pytest.mark.parametrize(
    ("rule", "html", "expected"),
    [
        ("97a4e1", "<div id=h></div><script>h.innerHTML = '<button></button>'</script>", "cantTell"),
        ("97a4e1", '<div><template shadowrootmode="open"><button></button></template></div>', "failed"),
        ("97a4e1", '<div>x<template shadowrootmode="open"><button><slot></slot></button></template></div>', "passed"),
        ("97a4e1", "<link rel=stylesheet href=x.css><button></button>", "cantTell"),
        ("e086e5", "<label hidden for=a>x</label><input id=a>", "cantTell"),
        ("afw4f7", '<p style="color:#777;background:url(x.png)">text</p>', "cantTell"),
        ("afw4f7", '<p style="color:#777;filter:invert(1)">text</p>', "cantTell"),
        ("afw4f7", '<p style="color:#888;background:linear-gradient(#fff,#eee)">text</p>', "failed"),
        (
            "afw4f7",
            '<p style="color:#888;background:linear-gradient(90deg,#fff,#000);width:400px">text</p>',
            "cantTell",
        ),
        ("afw4f7", '<p style="color:#aaa">\u2192</p>', "passed"),
        ("afw4f7", '<p style="color:#aaa;position:absolute;left:-9999px">text</p>', "inapplicable"),
        ("b33eff", "<style>@media (orientation:landscape){body{rotate:0 0 1 -90deg}}</style>x", "failed"),
        ("b33eff", "<style>@media (orientation:landscape){body{transform:rotate3d(0,0,1,100grad)}}</style>x", "failed"),
        ("b33eff", "<style>@media (orientation:landscape){body{transform:rotateX(90deg)}}</style>x", "inapplicable"),
        ("b33eff", "<style>@media (min-width:1px){body{transform:rotate(90deg)}}</style>x", "inapplicable"),
        ("akn7bn", '<iframe tabindex="-1" srcdoc="<button>x</button>"></iframe>', "failed"),
        ("akn7bn", '<iframe tabindex="-1" srcdoc="<p>x</p>"></iframe>', "inapplicable"),
        ("akn7bn", '<iframe tabindex="-1" srcdoc="<a href=/ tabindex=-1>x</a>"></iframe>', "inapplicable"),
        ("akn7bn", '<iframe tabindex="-1" src="data:text/html,<input>"></iframe>', "failed"),
        ("akn7bn", '<iframe tabindex="-1" src="other.html"></iframe>', "cantTell"),
        ("de46e4", '<p lang="qaz">private</p>', "passed"),
        ("de46e4", '<p lang="x"> </p>', "inapplicable"),
        ("047fe0", "<ul><li><a href=a.html>a</a></ul><p>text</p>", "cantTell"),
        ("047fe0", "<nav><a href=a.html>a</a></nav><main><h1 hidden>x</h1><p>text</p></main>", "failed"),
        ("047fe0", "<nav><a href=#x>a</a></nav><main id=x><p>text</p></main>", "passed"),
    ],
)
def test_a_rule_decides_or_says_that_it_cannot(rule: str, html: str, expected: str) -> None:
    assert outcome(rule, html) == expected


@pytest.mark.parametrize(
    ("content", "delay"),
    [
        ("5", 5),
        (" 5 ", 5),
        ("5;url=x", 5),
        ("5, x", 5),
        ("0.9", 0),
        (".5", 0),
        ("1.2.3 x", 1),
        ("5x", None),
        ("", None),
    ],
)
def test_refresh_follows_the_steps_of_the_standard(content: str, delay: int | None) -> None:
    assert refresh_delay(content) == delay


@pytest.mark.parametrize(
    ("content", "allowed"),
    [
        ("user-scalable=no", False),
        ("user-scalable = 0", False),
        ("maximum-scale=1.9", False),
        ("maximum-scale=2.0x", True),
        ("maximum-scale=-1", True),
        ("maximum-scale=1, maximum-scale=3", True),
        ("width=device-width;user-scalable=-1", True),
    ],
)
def test_viewports_are_read_as_phones_read_them(content: str, *, allowed: bool) -> None:
    assert allows_zoom(viewport_properties(content)) is allowed


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("home tel-national", True),
        ("section-a shipping street-address", True),
        ("shipping section-a street-address", False),
        ("mobile street-address", False),
        ("username webauthn", True),
        ("webauthn", False),
        ("email email", False),
    ],
)
def test_autocomplete_follows_its_grammar(value: str, *, valid: bool) -> None:
    assert is_valid_autocomplete(value) is valid


@pytest.mark.parametrize(
    ("transform", "rotate", "degrees"),
    [
        ("rotate(1.5708rad)", "none", 90),
        ("rotate(30deg) rotateZ(60deg)", "none", 90),
        ("matrix(0, 1, -1, 0, 0, 0)", "0.25turn", 180),
        ("translate(3px) scale(2)", "none", 0),
        ("rotate(calc(90deg))", "none", None),
        ("none", "x 90deg", None),
    ],
)
def test_turns_add_up(transform: str, rotate: str, degrees: float | None) -> None:
    assert angle(transform, rotate) == (None if degrees is None else pytest.approx(degrees, abs=0.1))


@pytest.mark.parametrize(
    ("text", "language", "fits"),
    [
        ("这是一个用来预订咖啡的应用", "zh", True),
        ("这是一个用来预订咖啡的应用", "en", False),
        ("これはコーヒーを注文するアプリです", "ja", True),
        ("Choose a time for the visit and we will be there with your order", "en", True),
        ("Choose a time for the visit and we will be there with your order", "de", False),
        ("Wählen Sie eine Zeit für den Besuch und wir sind mit der Bestellung da", "de", True),
        ("iPhone 15 Pro", "zh", None),
        ("Pizza Margherita", "en", None),
        ("Москва и Киев", "uk", None),
        ("12:30", "en", None),
    ],
)
def test_languages_are_told_apart_only_where_that_is_clear(text: str, language: str, *, fits: bool | None) -> None:
    assert is_in_language(text, language) is fits


def test_language_tags_are_those_of_the_registry() -> None:
    assert all(has_known_language(tag) for tag in ("en", "EN-us", "zh-Hant-TW", "yue", "haw", "qab", "de-hello"))
    assert not any(has_known_language(tag) for tag in ("", "english", "eng", "i-lux", "xx", "en_US", " en", "#1"))


def test_what_act_rules_find_is_reported_by_rules_that_exist() -> None:
    assert {name for rule in ACT_RULES for name in rule.rules} <= {rule.id for rule in RULES}
    assert set(act_coverage().values()) == {"full", "partial"}


def test_a_page_of_enormous_size_is_left_open() -> None:
    html = "<p>x</p>" * (MAXIMUM_ELEMENTS + 1)
    assert {result.outcome for result in check_act(html)} == {"cantTell"}


@given(st.text(alphabet="<>ab/='\" iframesvgtyl{}:;()#", max_size=120) | st.text(max_size=40))
@settings(max_examples=40)
def test_any_text_gets_an_outcome_from_every_rule(html: str) -> None:
    assert len(check_act(html)) == len(ACT_RULES)

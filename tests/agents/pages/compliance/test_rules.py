"""Each rule against a page that keeps it and pages that break it, and nothing else."""

import pytest

from loopwright.agents.pages.compliance.rules import RULES
from tests.agents.pages.compliance.sample_pages import broken_rules, design_css, good_html, spoiled, validate

ORDER = '<button class="button" type="submit">Order</button>'
CLOSE = '<button class="button" aria-label="Close">'
MAIL = '<label for="mail">Mail</label><input id="mail" type="email">'
LINK = '<link rel="stylesheet" href="../design-system.css">'
VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">'
HEADING = "<h1>Your cart</h1>"
SHOW = "<script>document.getElementById('on').hidden = false</script></body>"
HOME = '<a href="index.html">Home</a>'
FRAME = '<iframe title="Map" tabindex="-1" width="200" srcdoc="<a href=/>x</a>"></iframe>'
LOCK = "@media (orientation: landscape) { body { rotate: -90deg } }"

ERRORS = [
    ("doctype", "<!doctype html>", ""),
    ("html-lang", ' lang="en"', ""),
    ("html-lang", ' lang="en"', ' lang="english language"'),
    ("title", "<title>Cart</title>", ""),
    ("title", "<title>Cart</title>", "<title> </title>"),
    ("viewport", VIEWPORT, ""),
    ("viewport", VIEWPORT, '<meta name="viewport" content="width=1024">'),
    ("viewport", VIEWPORT, '<meta name="viewport" content="width=device-width, initial-scale=0.5">'),
    ("design-system", LINK, "<style>PLACEHOLDER</style>"),
    ("duplicate-id", '<select id="size">', '<select id="mail" aria-label="Size">'),
    ("touch-target", ORDER, '<button style="height:32px;font:inherit">Place the order</button>'),
    ("touch-target", ORDER, '<button class="button" style="min-height:0">Place the order</button>'),
    ("touch-target", ORDER, '<button class="button" style="width:30px;padding:0">Order</button>'),
    ("touch-target", ORDER, '<span role="button" tabindex="0">Place the order</span>'),
    ("touch-target", HOME, HOME + '</nav><nav><a href="index.html">On its own line</a>'),
    ("body-text-size", "</head>", "<style>body{font-size:14px} input,select{font-size:16px}</style></head>"),
    ("field-text-size", 'type="email"', 'type="email" style="font-size:.9rem"'),
    ("text-size", "<p>Prices", '<p style="font-size:0.7rem">Prices'),
    ("text-size", "<p>Prices", '<p style="--s:11px;font-size:var(--s)">Prices'),
    ("overflow", HEADING, HEADING + '<div style="width:600px">wide</div>'),
    ("overflow", HEADING, HEADING + '<table style="min-width:40rem"><tr><td>wide</td></tr></table>'),
    ("overflow", 'width="120"', 'width="800"'),
    ("image-alt", 'alt="A red mug" ', ""),
    ("field-label", MAIL, '<input id="mail" type="email">'),
    ("field-label", '<label for="size">', '<label for="sise">'),
    ("control-name", CLOSE, '<button class="button">'),
    ("control-name", HOME, '<a href="index.html"></a>'),
    ("main-heading", HEADING, "<h2>Your cart</h2>"),
    ("main-heading", HEADING, HEADING + "<h1>Again</h1>"),
    ("broken-link", "index.html", "checkout.html"),
    ("broken-link", "index.html", "/index"),
    ("broken-link", 'action="#items"', 'action="#nothing"'),
    ("external-host", 'action="#items"', 'action="https://example.com/collect"'),
    ("external-host", "</body>", '<script>fetch("https://example.com/log")</script></body>'),
    ("external-host", "</body>", '<script>location.replace("//example.com")</script></body>'),
    ("external-host", "</head>", '<meta http-equiv="refresh" content="0; url=https://example.com"></head>'),
    ("external-host", "</head>", '<script src="https://cdn.example/x.js"></script></head>'),
    ("missing-file", HEADING, HEADING + '<img alt="" src="hero.jpg" width="40">'),
    ("missing-file", "</head>", "<style>main{background:url(paper.png)}</style></head>"),
    ("missing-file", "</body>", '<script>fetch("data.json")</script></body>'),
    ("script-syntax", "</body>", "<script>let total = ;</script></body>"),
    ("script-syntax", CLOSE, '<button class="button" aria-label="Close" onclick="close(">'),
    ("script-syntax", "index.html", "javascript:void("),
    ("script-data", "</body>", '<script type="application/json">{"a": 1,}</script></body>'),
    ("script-link", "</body>", '<script>function go() { location.href = "pay.html" }</script></body>'),
]
ERRORS += [
    ("contrast", "<p>Prices", '<p style="color:#888">Prices'),
    ("contrast", "<p>Prices", '<p style="opacity:.5">Prices'),
    ("contrast", "<p>Prices", '<p style="--c:hsl(0 0% 60%);color:var(--c)">Prices'),
    ("contrast", "<p>Prices", '<p style="background:linear-gradient(#333,#555);color:#777">Prices'),
    ("contrast", HEADING, '<h1 style="color:#aaa">Your cart</h1>'),
    ("contrast", "</head>", "<style>@media (prefers-color-scheme: dark) { p { background: #222 } }</style></head>"),
    ("contrast", 'type="email"', 'type="email" style="color:#bbb"'),
    ("state-contrast", "</body>", '<style>.on { background: #222 }</style><p class="on" id="on" hidden>On</p>' + SHOW),
    ("frame-name", HEADING, HEADING + '<iframe srcdoc="<p>x</p>" width="200"></iframe>'),
    ("frame-tab-order", HEADING, HEADING + FRAME),
    ("element-lang", "<p>Prices", '<p lang="english">Prices'),
    ("meta-refresh", "</head>", '<meta http-equiv="refresh" content="30"></head>'),
    ("orientation-lock", "</head>", f"<style>{LOCK}</style></head>"),
]
WARNINGS = [
    ("heading-name", "<h2>Items</h2>", "<h2>Items</h2><h3></h3>"),
    ("page-language", ' lang="en"', ' lang="zh"'),
    ("autocomplete", 'type="email"', 'type="email" autocomplete="mailbox"'),
    ("viewport-zoom", "viewport-fit=cover", "user-scalable=no"),
    ("charset", '<meta charset="utf-8">', ""),
    ("heading-order", "<h2>Items</h2>", "<h4>Items</h4>"),
    ("field-label", MAIL, '<input id="mail" type="email" placeholder="Mail">'),
    ("empty-link", "index.html", "#"),
    ("external-host", "</head>", '<style>@import url("https://fonts.example/x.css");</style></head>'),
    ("external-host", "</head>", "<style>main{background:url(//img.example/x.png)}</style></head>"),
    ("external-host", "</body>", "<script>function load(where) { fetch(where) }</script></body>"),
    ("script-id", "</body>", '<script>document.getElementById("total").hidden = true</script></body>'),
    ("script-syntax", "</body>", f"<script>{'(' * 900}1{')' * 900}</script></body>"),
    ("styles-known", "</head>", '<link rel="stylesheet" href="other.css"></head>'),
]


def test_the_good_page_breaks_no_rule() -> None:
    report = validate(good_html())
    assert report.issues == ()
    assert report.valid
    assert report.rules_checked == tuple(rule.id for rule in RULES)


@pytest.mark.parametrize(("rule", "old", "new"), ERRORS)
def test_a_page_that_breaks_one_rule_breaks_only_that(rule: str, old: str, new: str) -> None:
    html = spoiled(old, new.replace("PLACEHOLDER", design_css()))
    assert broken_rules(html) == [(rule, "error")]
    assert not validate(html).valid


@pytest.mark.parametrize(("rule", "old", "new"), WARNINGS)
def test_a_warning_leaves_the_page_valid(rule: str, old: str, new: str) -> None:
    html = spoiled(old, new)
    assert broken_rules(html) == [(rule, "warning")]
    assert validate(html).valid


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        ("max-width", "max-width: 430px; min-height", "min-height"),
        ("max-width", "max-width: 430px; min-height", "max-width: 1200px; min-height"),
        ("scrollbar", "html { scrollbar-width: none; }\n::-webkit-scrollbar { display: none; }", ""),
        ("touch-target", "--tap: 44px", "--tap: 30px"),
    ],
)
def test_the_design_system_is_judged_with_the_page(rule: str, old: str, new: str) -> None:
    css = design_css()
    assert old in css
    assert (rule, "error") in broken_rules(good_html(), css.replace(old, new))


def test_every_rule_has_a_bad_page() -> None:
    shown = {rule for rule, _, _ in (*ERRORS, *WARNINGS)} | {"max-width", "scrollbar"}
    assert {rule.id for rule in RULES} == shown
    assert len({rule.id for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ORDER, '<button class="button" style="height:var(--unknown)">Order</button>'),
        (ORDER, '<button class="button" style="min-height:attr(data-h)">Order</button>'),
        (ORDER, '<button class="button" style="font-size:var(--nowhere)">Order</button>'),
        (HEADING, HEADING + '<div style="overflow-x:auto"><div style="width:900px">scrolls</div></div>'),
        (HEADING, HEADING + '<div style="width:min(900px,100%)">fits</div>'),
        (HEADING, HEADING + '<button hidden style="height:9px"></button><h1 hidden>Later</h1>'),
        (HEADING, HEADING + '<template><button></button><h1>x</h1><p id="items"></p></template>'),
        ("</head>", "<style>@container (width > 9px) { button { min-height: 9px !important } }</style></head>"),
        ("</head>", "<style>@media (unknown: 1) { h1 { font-size: 1px } }</style></head>"),
        ("</head>", "<style>button:future-state(3) { min-height: 1px !important; max-height: 1px }</style></head>"),
    ],
)
def test_what_cannot_be_told_is_no_error(old: str, new: str) -> None:
    assert validate(spoiled(old, new)).errors == ()


def test_without_its_stylesheet_sizes_are_left_open() -> None:
    report = validate(good_html(), css="")
    assert report.valid
    assert [issue.rule for issue in report.warnings] == ["styles-known"]


def test_without_known_slugs_links_to_pages_are_not_judged() -> None:
    from loopwright.agents.pages.compliance import validate_page

    html = spoiled("index.html", "elsewhere.html")
    assert validate_page(html, css=design_css()).valid


def test_issues_say_where_and_how_much() -> None:
    html = spoiled(ORDER, '<button id="go" style="height:32px;font:inherit">Place the order</button>')
    (issue,) = validate(html).issues
    assert issue.selector == "#go"
    assert issue.measured == "32px high"
    assert issue.required == "44px by 44px"
    assert "min-height: 44px" in issue.message
    assert not issue.auto_fixable


def test_links_that_rewriting_repairs_are_marked() -> None:
    (issue,) = validate(spoiled("index.html", "./pages/index.html")).issues
    assert issue.auto_fixable

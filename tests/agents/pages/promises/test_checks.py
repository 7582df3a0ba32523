"""Each kind of check: it holds on the page, it breaks when the thing goes, and it stays calm on any page."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from loopwright.agents.pages.promises.checks import BehaviourCheck
from loopwright.agents.pages.promises.replay import look_at
from loopwright.agents.pages.promises.wording import with_footprint
from tests.agents.pages.promises.pages import CSS, SHOP, app, check, look, replaced

CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("element", {"selector": "#offers"}, 'id="offers"', 'id="deals"'),
    ("element", {"selector": ".card", "min_count": 3}, '<li class="card" data-item="tea">', "<li>"),
    ("element", {"selector": ".card", "max_count": 3}, "</ul>", '<li class="card">Ham</li></ul>'),
    (
        "element",
        {"selector": "#newsletter", "min_count": 0, "max_count": 0},
        "</main>",
        "<p id=newsletter>x</p></main>",
    ),
    ("element", {"selector": "h2", "text": "offers"}, "<h2>Offers</h2>", "<h2>Deals</h2>"),
    ("element", {"selector": "a", "attribute": "aria-label", "value": "Cart"}, 'aria-label="Cart"', 'aria-label="Bag"'),
    ("element", {"selector": "#name", "attribute": "name"}, ' name="name"', ""),
    ("element", {"selector": "#order", "visible": True}, '<form id="order">', '<form id="order" class="is-gone">'),
    ("element", {"selector": "#order", "visible": True}, '<form id="order">', '<form id="order" hidden>'),
    ("element", {"selector": "#order", "visible": True}, ".price {", "main { visibility: hidden } .price {"),
    ("text", {"text": "corner shop"}, "Corner Shop", "Shop"),
    ("text", {"text": "Sold out", "present": False}, "Bread</span>", "Bread</span> sold  OUT"),
    ("link", {"target": "cart"}, 'href="cart.html"', 'href="#"'),
    ("link", {"target": "cart", "label": "Cart"}, ">Cart</a>", ">Bag</a>"),
    ("style", {"selector": ".price", "property": "font-weight", "value": "700"}, "700", "400"),
    (
        "style",
        {"selector": ".btn", "property": "background", "value": "#0A7D32"},
        ".price {",
        ".btn{background:red}.price {",
    ),
    (
        "style",
        {"selector": ".app-bar", "property": "background-color", "value": "white"},
        "<header ",
        '<header style="background:#eee" ',
    ),
    (
        "behaviour",
        {"steps": [{"action": "load"}, {"action": "click", "selector": "[data-favourite]"}]},
        "data-favourite=",
        "data-f=",
    ),
]


@pytest.mark.parametrize(("kind", "values", "old", "new"), CASES)
def test_a_check_holds_until_its_thing_goes(kind: str, values: dict[str, Any], old: str, new: str) -> None:
    if kind == "link" and values.get("label"):
        old, new, page = ">Cart</a>", ">Bag</a>", replaced(' aria-label="Cart"', "")
    else:
        page = SHOP
    assert look(page, kind, **values).state == "kept"
    verdict = look(replaced(old, new, page), kind, **values)
    assert verdict.state == "broken"
    assert verdict.expected
    assert verdict.found


HARMLESS = [
    ("Corner Shop", "Corner Store"),
    ("<h2>Offers</h2>", "<p>New today</p><h2>Offers</h2>"),
    ("font-weight: 700", "font-weight: 700; color: #333"),
    ('<section id="saved"', '<section id="faq"><h2>FAQ</h2></section><section id="saved"'),
    ('class="card" data-item="bread"', 'data-item="bread" class="card card--wide"'),
    ("// hearts", "/* hearts\n are kept */"),
    ("greet();", "greet();\nlet more = 1;"),
    ("    keep(button.dataset.favourite);", "keep( button.dataset.favourite )\n      ;"),
]


@pytest.mark.parametrize(("old", "new"), HARMLESS)
def test_harmless_edits_break_nothing(old: str, new: str) -> None:
    heart = check("behaviour", steps=[{"action": "load"}, {"action": "click", "selector": "[data-favourite='tea']"}])
    assert isinstance(heart, BehaviourCheck)
    heart = with_footprint(heart, app())
    assert len(heart.statements) >= 3
    checks = [heart, check("element", selector="#offers", visible=True), check("link", target="cart")]
    checks.append(check("style", selector=".price", property="font-weight", value="700", min_count=2))
    edited = app(replaced(old, new))
    assert [look_at(each, edited).state for each in checks] == ["kept"] * len(checks)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("keep(button.dataset.favourite);", ""),
        ("localStorage.setItem('kept', id);", ""),
        ("function keep(id) {\n  localStorage.setItem('kept', id);\n}", ""),
        ("button.addEventListener('click'", "button.addEventListener('dblclick'"),
    ],
)
def test_a_behaviour_without_its_script_is_broken(old: str, new: str) -> None:
    heart = check(
        "behaviour",
        steps=[{"action": "load"}, {"action": "click", "selector": "[data-favourite]"}],
        expectations=[{"kind": "storage", "name": "kept"}],
    )
    assert isinstance(heart, BehaviourCheck)
    verdict = look_at(with_footprint(heart, app()), app(replaced(old, new)))
    assert (verdict.state, verdict.method) == ("broken", "static")
    assert "script statements gone" in verdict.found


def test_a_token_is_followed_through_a_new_look() -> None:
    values = {"selector": ".btn", "property": "background-color", "value": "var(--color-brand)"}
    darker = CSS.replace("#0a7d32", "#123456")
    assert look(SHOP, "style", darker, **values).state == "kept"
    assert look(SHOP, "style", CSS.replace("--color-brand", "--color-main"), **values).state == "broken"
    fixed = {**values, "value": "#0a7d32"}
    verdict = look(SHOP, "style", darker, **fixed)
    assert verdict.state == "broken"
    assert "123456" in verdict.found


def test_what_only_a_layout_could_tell_is_unclear() -> None:
    html = replaced(".price {", "@container (min-width: 300px) { .btn { background: red } } .price {")
    assert look(html, "style", selector=".btn", property="background", value="#0a7d32").state == "unclear"


def test_a_page_that_is_not_there() -> None:
    verdict = look_at(check("text", text="x").model_copy(update={"slug": "menu"}), app())
    assert (verdict.state, verdict.found) == ("broken", "there is no page menu")
    assert look(SHOP, "link", target="menu").found == "there is no page menu"


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("element", {"selector": "p:::before"}),
        ("element", {"selector": "p::before"}),
        ("element", {"selector": "a" * 301}),
        ("element", {"selector": "p", "min_count": 0}),
        ("element", {"selector": "p", "min_count": 3, "max_count": 2}),
        ("element", {"selector": "p", "unknown": 1}),
        ("style", {"selector": "p", "property": "color;x", "value": "red"}),
        ("text", {"text": ""}),
        ("link", {"target": "../secrets"}),
        ("behaviour", {"steps": []}),
        ("behaviour", {"steps": [{"action": "click"}]}),
        ("behaviour", {"steps": [{"action": "load"}], "expectations": [{"kind": "storage"}]}),
        ("behaviour", {"steps": [{"action": "load"}], "expectations": [{"kind": "text", "selector": "p"}]}),
        ("magic", {}),
    ],
)
def test_checks_that_say_nothing_are_refused(kind: str, values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        check(kind, **values)


ANY_CHECK = [check(kind, **values) for kind, values, _, _ in CASES]
FRAGMENTS = st.sampled_from([
    "<", ">", "</", "<style>", "</style>", "<script>", "<!--", '"', "'", "`", "{", "}", "/", "\\", "<p id=", "var(--x)",
    "--x:", "\n", "*/", "/*", "//", "<svg>", "<template>", "#offers", "@media", "<body>", "=", "é", "\x00", "<a href=",
])  # fmt: skip


@given(st.lists(FRAGMENTS | st.text(max_size=8), max_size=40).map("".join), st.text(max_size=30))
def test_checks_are_total_on_any_page(html: str, css: str) -> None:
    html = html.encode("utf-8", "replace").decode()
    for each in ANY_CHECK:
        assert look_at(each, app(html, css.encode("utf-8", "replace").decode())).state in ("kept", "broken", "unclear")

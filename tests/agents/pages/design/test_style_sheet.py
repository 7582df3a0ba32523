"""What a style sheet offers, and whether phone pages can stand on it."""

import pytest

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.design.check import StyleSheet, mobile_errors, read_style_sheet
from loopwright.agents.pages.design.tokens import take_inventory
from tests.agents.pages.studio import CSS, fenced, page


def test_the_inventory() -> None:
    css = """
    :root { --ink: #111; --space: 8px }
    .btn, a.btn:hover { color: var(--ink) }
    @media (prefers-color-scheme: dark) { :root { --ink: #eee } .only-dark { top: 0 } }
    .card { padding: 1px; & .inner { margin: 0 } }
    broken {{{ }
    """
    inventory = take_inventory(css)
    assert inventory.variables == {"--ink": "#111", "--space": "8px"}
    assert inventory.classes[:4] == ("btn", "only-dark", "card", "inner")
    assert inventory.as_text(max_classes=2) == (
        "Variables (use with var()): --ink: #111; --space: 8px\nClasses: .btn .only-dark and "
        f"{len(inventory.classes) - 2} more"
    )


def test_an_empty_sheet_has_no_words() -> None:
    assert take_inventory("").as_text() == ""


def test_a_good_sheet_is_taken_as_it_is() -> None:
    one_scheme = "the sheet has no dark scheme: it has no colour tokens for grounds and texts"
    assert read_style_sheet(fenced("css", CSS)) == StyleSheet(CSS, (one_scheme,))


def test_what_the_probe_finds() -> None:
    assert mobile_errors(CSS) == []
    assert {"max-width", "scrollbar"} <= set(mobile_errors(".page { max-width: 900px }"))
    small = CSS.replace(".btn, .button { display: inline-flex;", ".btn, .button { display: inline;").replace(
        "44px", "20px"
    )
    assert "touch-target" in mobile_errors(small)


@pytest.mark.parametrize(
    "weak", [".btn{} .card{} .page{}", ".btn{} .card{} .page{ color: red }\nbutton { height: 10px }", ".a{} .b{} .c{}"]
)
def test_the_base_carries_a_plain_page(weak: str) -> None:
    sheet = read_style_sheet(fenced("css", f":root {{ --a: 1px }}\n{weak}"))
    assert isinstance(sheet, StyleSheet)
    assert sheet.fixes
    if "height: 10px" not in weak:
        report = validate_page(page("index", ["index"]), css=sheet.css, known_slugs=["index"])
        assert report.issues == ()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Blue would be nice.", "no whole style sheet"),
        (fenced("css", ":root{--a:1px}\n.a{} .b{} .c{}\n</style>"), "CSS only"),
        (fenced("css", ".a{} .b{} .c{}"), "needs variables"),
        (fenced("css", ":root{--a:1px} .a{}"), "needs variables"),
    ],
)
def test_a_useless_sheet_is_explained(answer: str, said: str) -> None:
    found = read_style_sheet(answer)
    assert isinstance(found, Unusable)
    assert said in found.reason

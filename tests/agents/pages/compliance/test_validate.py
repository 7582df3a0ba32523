"""Validation is total: any text gives a report, quickly."""

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance import validate_page
from tests.agents.pages.compliance.sample_pages import design_css

ABOUT_MORE_THAN_ONE = {"title", "html-lang", "scrollbar", "broken-link", "empty-link", "viewport", "duplicate-id"}
PIECES = st.lists(
    st.sampled_from(
        [
            "<button>",
            "</button>",
            "<a href='x'>",
            "<div style='display:flex'>",
            "<input type=checkbox>",
            "<label for=a>",
            "text ",
            "<h1>",
            "<h3>",
            "<img>",
            "<table>",
            "<td>",
            "<style>button{min-height:var(--x)}</style>",
            "</div>",
            "<select>",
            "<svg>",
            "<p style='font-size:9px'>",
            "<details>",
            "<summary>",
            "<template>",
            "<a href='#a' id='a'>",
            "<body>",
            "<head>",
            "<html>",
        ]
    ),
    max_size=25,
).map("".join)


@given(PIECES | st.text())
def test_any_text_gets_a_report(html: str) -> None:
    report = validate_page(html, css=design_css(), known_slugs={"index"})
    assert report.slug == "index"
    assert report.for_model()


@given(PIECES)
def test_every_selector_leads_to_its_element(html: str) -> None:
    document = LexborHTMLParser(html)
    for issue in validate_page(html).issues:
        if issue.selector and issue.rule not in ABOUT_MORE_THAN_ONE:
            assert len(document.css(issue.selector)) == 1, issue


def test_very_deep_and_very_long_pages_are_survived() -> None:
    assert not validate_page("<div>" * 2000 + "<button>x</button>").valid
    assert not validate_page("<a href=x>y</a>" * 2000).valid


def test_what_was_judged_is_not_judged_again_and_what_differs_is() -> None:
    html = "<!doctype html><title>T</title><a href='menu.html'>Menu</a>"
    report = validate_page(html, css=design_css(), known_slugs=("index", "menu"))
    assert validate_page(html, css=design_css(), known_slugs=["menu", "index"]) is report
    elsewhere = validate_page(html, css=design_css(), known_slugs=("index",))
    assert {issue.rule for issue in elsewhere.issues} - {issue.rule for issue in report.issues} == {"broken-link"}
    assert validate_page(html, css="", known_slugs=("index", "menu")) != report

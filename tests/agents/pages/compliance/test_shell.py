"""Repairing the shell: everything missing is added, nothing else is touched, twice is as good as once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance import ensure_mobile_shell, inline_css, validate_page
from tests.agents.pages.compliance.sample_pages import design_css, good_html, spoiled

SHELL_RULES = {"doctype", "html-lang", "charset", "title", "viewport", "design-system"}
HEADS = st.lists(
    st.sampled_from(
        [
            "<meta charset=utf-8>",
            '<meta charset="latin1">',
            "<title>T</title>",
            "<title></title>",
            "<style>p{}</style>",
            "\n",
            '<meta name="viewport" content="width=320">',
            "<link rel=stylesheet href=design-system.css>",
            "<!-- <head> -->",
            "<script>var a = '<body>';</script>",
            '<link rel="stylesheet" href="../design-system.css">',
            "<noscript>n</noscript>",
        ]
    ),
    max_size=5,
).map("".join)
BODIES = st.lists(
    st.sampled_from(
        [
            "<main>m</main>",
            "<p>paragraph",
            "<div id=app>",
            "</div>",
            "text & more",
            "<script>'</body>'</script>",
            "ü\n",
            "<!-- <html lang=de> -->",
            "<table><tr>",
            "<svg><title>s</title></svg>",
            "<template><p></template>",
            "<select>",
        ]
    ),
    max_size=6,
).map("".join)


def text_of(html: str, selector: str) -> str:
    (node,) = LexborHTMLParser(html).css(selector)
    return node.text()


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, str]:
    """A document, whole or in parts, and the content of its body."""
    body = draw(BODIES)
    opening = draw(
        st.sampled_from(["", "<!doctype html>", "<!DOCTYPE html>\n<html>", "<html lang='de'>", "<html lang=''>"])
    )
    head = draw(HEADS)
    if draw(st.booleans()):
        head = f"<head>{head}</head>"
    if draw(st.booleans()):
        return f"{opening}{head}<body class=x>{body}</body></html>", body
    # Without a <body> tag a leading script would still be part of the head.
    return f"{opening}{head}<h2>Start</h2>{body}", f"<h2>Start</h2>{body}"


@given(documents())
def test_repairing_is_idempotent_and_keeps_the_body(document: tuple[str, str]) -> None:
    html, body = document
    first = ensure_mobile_shell(html, title="A & <b>")
    second = ensure_mobile_shell(first.html, title="Other", lang="fr")
    assert second.fixes == []
    assert second.html == first.html
    assert body in first.html
    assert bool(first.fixes) == (first.html != html)


@given(st.text() | st.text(alphabet="<>/!-=\"' abdehlmoty"))
def test_any_text_can_be_repaired_twice_to_the_same(html: str) -> None:
    first = ensure_mobile_shell(html, title="T")
    assert ensure_mobile_shell(first.html, title="T") == type(first)(first.html, [])


@given(documents())
def test_no_shell_rule_is_broken_afterwards(document: tuple[str, str]) -> None:
    report = validate_page(ensure_mobile_shell(document[0], title="T").html)
    assert SHELL_RULES.isdisjoint(issue.rule for issue in report.issues)


@given(documents())
def test_only_insertions_and_attribute_values_change(document: tuple[str, str]) -> None:
    html, _ = document
    rest = iter(ensure_mobile_shell(html.replace("latin1", "utf-8").replace("width=320", ""), title="T").html)
    kept = html.replace("latin1", "utf-8").replace("width=320", "").replace("href=design-system.css", "href")
    assert all(character in rest for character in kept.replace("lang=''", "lang="))


def test_a_good_page_is_the_same_text() -> None:
    result = ensure_mobile_shell(good_html(), title="Other")
    assert result.html == good_html()
    assert result.fixes == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (' lang="en"', "", '<html lang="fr">'),
        (' lang="en"', " lang", '<html lang="fr">'),
        ('<meta charset="utf-8">', '<meta charset="iso-8859-1">', '<meta charset="utf-8">'),
        (
            '<meta charset="utf-8">',
            '<meta http-equiv="Content-Type" content="text/html; charset=ascii">',
            "charset=utf-8",
        ),
        (
            "width=device-width, initial-scale=1, viewport-fit=cover",
            "width=980",
            'content="width=device-width, initial',
        ),
        ("<title>Cart</title>", "<title></title>", "<title>A &amp; B</title>"),
        ('href="../design-system.css"', "href='/assets/design-system.css?v=2'", "href='../design-system.css'"),
        ("<!doctype html>\n", "", "<!doctype html>\n<html"),
    ],
)
def test_each_repair_changes_one_thing(old: str, new: str, expected: str) -> None:
    result = ensure_mobile_shell(spoiled(old, new), title="A & B", lang="fr")
    assert len(result.fixes) == 1
    assert expected in result.html
    body = good_html().partition("<body>")[2]
    assert result.html.endswith(body)


def test_the_page_styles_still_win_over_the_design_system() -> None:
    html = "<!doctype html><html lang=en><head><meta charset=utf-8><style>a{}</style></head><body></body></html>"
    result = ensure_mobile_shell(html, title="T")
    assert result.html.index("design-system.css") < result.html.index("<style>")


def test_a_fragment_becomes_a_whole_document() -> None:
    result = ensure_mobile_shell("<h1>Hello</h1>\n<p>World</p>", title="Hello")
    assert text_of(result.html, "body > #app.page > h1") == "Hello"
    assert text_of(result.html, "head > title") == "Hello"
    assert result.html.startswith("<!doctype html>\n<html")
    assert result.html.endswith("</div>\n</body>\n</html>\n")


@pytest.mark.parametrize("container", ["<main>x</main>", '<div class="page wide">x</div>', '<div id="app">x</div>'])
def test_a_page_with_a_container_of_its_own_is_not_wrapped(container: str) -> None:
    assert ensure_mobile_shell(spoiled("<h1>", f"{container}<h1>"), title="T").fixes == []


def test_a_title_inside_a_picture_is_not_the_title_of_the_page() -> None:
    result = ensure_mobile_shell("<body><main><svg><title>Icon</title></svg></main></body>", title="Real")
    assert text_of(result.html, "head > title") == "Real"


def test_the_design_system_is_inlined_for_a_preview() -> None:
    css = design_css() + "/* </style><script>alert(1)</script> */"
    html = inline_css(good_html(), css)
    document = LexborHTMLParser(html)
    assert document.css("link[rel=stylesheet]") == []
    assert document.css("script") == []
    assert "--tap: 44px" in text_of(html, "style[data-href]")
    assert validate_page(html).valid
    assert ensure_mobile_shell(html, title="T").fixes == []


def test_a_page_without_the_link_is_not_changed_by_inlining() -> None:
    html = spoiled('<link rel="stylesheet" href="../design-system.css">', "")
    assert inline_css(html, design_css()) == html

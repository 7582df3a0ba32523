"""Where the elements of a page stand in its source, as the parser decides it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.editing.regions import MAXIMUM_DEPTH, Unmappable, mark
from loopwright.agents.pages.editing.source_map import BadSelector, SourceMap
from tests.agents.pages.editing.sample import PAGE

PIECES = st.sampled_from(
    [
        *[
            "<div>",
            "</div>",
            "<p>",
            "</p>",
            "<ul>",
            "<li>",
            "</ul>",
            "<b>",
            "<i>",
            "</b>",
            "</i>",
            "<table>",
            "<tr>",
            "<td>",
            "</table>",
            "<select>",
            "<option>",
        ],
        *[
            "</select>",
            "<br>",
            "<svg>",
            "<path/>",
            "</svg>",
            "<template>",
            "</template>",
            "<textarea>",
            "</textarea>",
            "<script>",
            "</script>",
        ],
        *[
            "<style>",
            "</style>",
            "<!--c-->",
            "<a>",
            "</a>",
            "<h1>",
            "</h2>",
            "<form>",
            "</form>",
            "<body>",
            "</body>",
            "<title>",
            "</title>",
            "text",
        ],
        *["&amp;", "a<b", "<input>", "</html>", "<math>", "<p"],
    ]
)
SOUP = st.lists(PIECES, max_size=25).map("".join)


def shape(node: LexborNode, mark_name: str) -> list[object]:
    """The tree below a node without marks; neighbouring texts count as one."""
    found: list[object] = []
    children = list(node.iter(include_text=True))
    if node.tag == "template":
        children += [child for part in node.template_fragments() for child in part.iter(include_text=True)]
    for child in children:
        if child.is_comment_node and mark_name in (child.comment_content or ""):
            continue
        if child.is_text_node:
            if found and isinstance(found[-1], str):
                found[-1] += child.text_content or ""
            else:
                found.append(child.text_content or "")
        elif child.is_comment_node:
            found.append(("comment", child.comment_content))
        else:
            attributes = {k: v for k, v in child.attributes.items() if k != mark_name}
            found.append((child.tag, attributes, shape(child, mark_name)))
    return found


@given(SOUP)
def test_marks_change_nothing(soup: str) -> None:
    """Whatever is mapped has been parsed as browsers parse it."""
    html = f"<!doctype html><html><head></head><body>{soup}</body></html>"
    try:
        SourceMap(html)
    except Unmappable:
        return
    marked = mark(html)
    plain = LexborHTMLParser(html)
    assert marked.document.root is not None
    assert plain.root is not None
    assert shape(marked.document.root, marked.attribute) == shape(plain.root, marked.attribute)


@given(SOUP)
def test_a_span_parsed_by_itself_is_the_element(soup: str) -> None:
    """Ordinary elements that are whole mean the same where they are cut out."""
    try:
        source = SourceMap(f"<!doctype html><html><head></head><body>{soup}</body></html>")
    except Unmappable:
        return
    for element in source.elements:
        if not element.whole or element.name not in ("div", "ul", "h1") or element.implied or not element.has_end_tag:
            continue
        ancestors = []
        parent = element.parent
        while parent is not None:
            ancestors.append(parent.name)
            parent = parent.parent
        if set(ancestors) <= {"html", "body", "div"} and all(e.whole for e in source.elements):
            text = source.html[element.start : element.end]
            alone = SourceMap(f"<!doctype html><html><head></head><body>{text}</body></html>")
            assert alone.elements[3].fingerprint == element.fingerprint


def test_spans_of_elements_without_end_tags() -> None:
    source = SourceMap(PAGE)
    texts = {source.html[e.start : e.end] for e in source.elements if e.name in ("li", "td", "tr")}
    assert texts == {"<li>1", "<li>2", "<li>3", "<td>cell", "<tr><td>cell", "<td>other", "<tr><td>other"}
    row = next(e for e in source.elements if e.name == "tr")
    assert row.implied == ("tbody",)
    assert source.html[row.parent.start :].startswith("<table>") if row.parent else False


def test_overlapping_tags_are_told() -> None:
    source = SourceMap("<!doctype html><p>1<b>2<i>3</b>4</i>5</p>")
    assert {e.name: e.whole for e in source.elements} == {"p": True, "b": True, "i": False}


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<!doctype html><p>a<plaintext><p>b", "part of a text"),
        ("<!doctype html><script>/*<!--<script>*/</script><p>x</p>", "part of a text"),
        ("<div>" * (MAXIMUM_DEPTH + 10), "deep"),
    ],
)
def test_what_cannot_be_mapped_is_refused(html: str, reason: str) -> None:
    with pytest.raises(Unmappable, match=reason):
        SourceMap(html)


@pytest.mark.parametrize("selector", ["p[", "", "::", ":not(", "a" * 400, "tbody"])
def test_bad_selectors(selector: str) -> None:
    with pytest.raises(BadSelector):
        SourceMap(PAGE).select(selector)


def test_a_page_that_speaks_of_marks_keeps_its_own() -> None:
    source = SourceMap('<!doctype html><p data-mark0x="7">a</p><!--data-mark1x3-->')
    assert source.mark_name not in source.html
    assert len(source.elements) == 1

"""Operations on selectors: the named change in the source, every other byte as it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.editing.applying import Inapplicable, apply_operations
from loopwright.agents.pages.editing.operations import operations_schema, parse_operations
from loopwright.agents.pages.editing.regions import Revision
from loopwright.agents.pages.editing.source_map import SourceMap
from loopwright.agents.pages.editing.verifier import Preservation, prove
from tests.agents.pages.editing.sample import PAGE


def carried_out(*operations: object, page: str = PAGE) -> Revision:
    parsed = parse_operations("```operations\n" + json.dumps(list(operations)) + "\n```")
    assert isinstance(parsed, tuple), parsed
    return apply_operations(Revision.of(page), parsed)


def op(kind: str, selector: str, /, **fields: object) -> dict[str, object]:
    return {"op": kind, "selector": selector, **fields}


NAV = '<nav aria-label="Main"><a href="index.html">Home</a><a href="menu.html">Menu</a></nav>\n'
CHANGES = [
    (op("set_text", "#a h2", text="<b> & co"), "<h2>One</h2>", "<h2>&lt;b&gt; &amp; co</h2>"),
    (op("set_attribute", "#a", name="data-x", value='a"b'), '<section id="a"', '<section data-x="a&quot;b" id="a"'),
    (op("set_attribute", "#a", name="class", value="z"), 'class="card first"', 'class="z"'),
    (op("remove_attribute", "nav", name="aria-label"), '<nav aria-label="Main">', "<nav>"),
    (op("add_class", "#b", name="new"), 'id="b" class="card"', 'id="b" class="card new"'),
    (op("remove_class", "#a", name="card"), 'class="card first"', 'class="first"'),
    (
        op("remove", "nav"),
        '<nav aria-label="Main"><a href="index.html">Home</a><a href="menu.html">Menu</a></nav>\n',
        "",
    ),
    (op("insert_after", "#b", html="<hr>"), 'alt="An x"></section>', 'alt="An x"></section>\n  <hr>'),
    (op("insert_before", "#b", html="<hr>"), '<section id="b"', '<hr>\n  <section id="b"'),
    (op("append", "#b", html="<hr>"), 'alt="An x"></section>', 'alt="An x"><hr></section>'),
    (op("prepend", "nav", html="<hr>"), '<nav aria-label="Main">', '<nav aria-label="Main">\n<hr>'),
    (op("replace", "#a h2", html="<h3>1</h3>"), "<h2>One</h2>", "<h3>1</h3>"),
    (op("remove", "#list li:nth-child(2)"), "<li>2", ""),
    (op("insert_after", "#list li:nth-child(2)", html="<li>x"), "<li>2", "<li>2<li>x"),
    (op("set_style", ".card, .tile", property="color", value="teal"), "{ color: red; back", "{ color: teal; back"),
    (op("set_style", ".box", property="margin", value="1px 2px;"), "margin: 0\n", "margin: 1px 2px\n"),
    (op("set_style", ".box", property="padding", value="3px"), "margin: 0\n", "margin: 0;\n  padding: 3px;\n"),
    (op("set_style", ".new", property="--x", value="1"), "black }\n", "black }\n.new { --x: 1; }\n"),
]


@pytest.mark.parametrize(("operation", "old", "new"), CHANGES, ids=lambda value: str(value)[:40])
def test_a_change_and_nothing_else(operation: dict[str, object], old: str, new: str) -> None:
    revision = carried_out(operation)
    assert PAGE.count(old) == 1
    assert revision.after == PAGE.replace(old, new)
    assert isinstance(prove(revision), Preservation)


def test_a_section_is_moved_unchanged() -> None:
    revision = carried_out(op("move", "#b", to="#a", position="before"))
    line = '  <section id="b" class="card"><h2>Two</h2><img src="x.png" alt="An x"></section>\n'
    assert revision.after == PAGE.replace(line, "").replace('  <section id="a"', line + '  <section id="a"')
    assert isinstance(prove(revision), Preservation)


def test_all_of_several() -> None:
    revision = carried_out(op("set_text", "h2", text="x", all=True))
    assert revision.after == PAGE.replace("<h2>One</h2>", "<h2>x</h2>").replace("<h2>Two</h2>", "<h2>x</h2>")


def test_each_operation_sees_what_the_one_before_left() -> None:
    operations = [
        op("insert_after", "#a", html='<section id="c"><p>new</p></section>'),
        op("set_text", "#c p", text="newer"),
    ]
    assert '<section id="c"><p>newer</p></section>' in carried_out(*operations).after


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (op("set_text", "h2", text="x"), "2 elements match"),
        (op("set_text", "h6", text="x"), "no element matches"),
        (op("set_text", "p[", text="x"), "no CSS selector"),
        (op("set_text", "script", text="x"), "search/replace blocks"),
        (op("set_text", "br", text="x"), "no text of its own"),
        (op("append", "img", html="x"), "nothing can be put into"),
        (op("replace", "body", html=""), "keeps its <body>"),
        (op("remove", "html"), "keeps its <html>"),
        (op("insert_before", "head", html="x"), "beside <head>"),
        (op("move", "#app", to="#a", position="append"), "into itself"),
        (op("move", "#a", to="h2", position="append"), "must be one"),
        (op("remove", "section, h2", all=True), "stand in others"),
        (op("set_style", ".card", property="color", value="red } body { x: y"), "no value"),
        (op("set_style", ".card", property="color", value="red</style>"), "no value"),
        (op("set_style", "a</style><p", property="color", value="red"), "no selector"),
        (op("set_style", "@import 'x'; a", property="color", value="red"), "no selector"),
    ],
)
def test_what_cannot_be_carried_out(operation: dict[str, object], reason: str) -> None:
    with pytest.raises(Inapplicable, match=reason):
        carried_out(operation)


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("```operations\nnonsense\n```", "not JSON"),
        ('```operations\n[{"op": "burn", "selector": "a"}]\n```', "operation 1"),
        ('```operations\n[{"op": "remove"}]\n```', "selector"),
        ('```operations\n[{"op": "set_attribute", "selector": "a", "name": "x y", "value": ""}]\n```', "name"),
        ("```operations\n[]", "not closed"),
        ("```operations\n" + "[" * 50_000 + "\n```", "not JSON"),
        ("```operations\n" + json.dumps([op("remove", "a")] * 41) + "\n```", "at most 40"),
    ],
)
def test_blocks_that_are_not_as_agreed(block: str, said: str) -> None:
    complaint = parse_operations(block)
    assert isinstance(complaint, str)
    assert said in complaint


SELECTORS = [
    "#a",
    "#b",
    "#list",
    "nav",
    "h1",
    "#a h2",
    "#a p",
    "#list li:nth-child(1)",
    "td:first-child",
    "#row",
    "main",
]
HTML = st.sampled_from(
    ["<p>x</p>", "<hr>", "plain", "<ul><li>1</li></ul>", "<div>", "</div>", "<!-- c", "<li>x", "</section>"]
)
OPERATIONS = st.one_of(
    st.builds(
        lambda name, selector, html: op(name, selector, html=html),
        st.sampled_from(["replace", "insert_before", "insert_after", "append", "prepend"]),
        st.sampled_from(SELECTORS),
        HTML,
    ),
    st.builds(lambda s, t: op("set_text", s, text=t), st.sampled_from(SELECTORS), st.text(max_size=12)),
    st.builds(
        lambda s, v: op("set_attribute", s, name="data-x", value=v), st.sampled_from(SELECTORS), st.text(max_size=8)
    ),
    st.builds(lambda s: op("remove", s), st.sampled_from(SELECTORS)),
    st.builds(
        lambda s, to, where: op("move", s, to=to, position=where),
        st.sampled_from(SELECTORS),
        st.sampled_from(SELECTORS),
        st.sampled_from(["before", "after", "append", "prepend"]),
    ),
)


@given(st.lists(OPERATIONS, min_size=1, max_size=4))
def test_any_operations_are_proven_or_refused(operations: list[dict[str, object]]) -> None:
    """Whatever passes the proof has every element outside the regions, byte for byte and in the same parent."""
    try:
        revision = carried_out(*operations)
    except Inapplicable:
        return
    proof = prove(revision)
    if not isinstance(proof, Preservation):
        return
    before, after = SourceMap(PAGE), SourceMap(revision.after)
    kept = [e for e in before.elements if not any(r.start < e.end and e.start < r.end for r in proof.regions)]
    assert len(kept) == proof.untouched
    new = [(after.html[e.start : e.end], e.parent.name if e.parent else "") for e in after.elements]
    for element in kept:
        wanted = (before.html[element.start : element.end], element.parent.name if element.parent else "")
        assert wanted in new
        new.remove(wanted)


@pytest.mark.parametrize("frame", ["{}", "```json\n{}\n```\nDone.", "Here you are:\n```\n{}\n```"])
def test_operations_are_known_by_their_content(frame: str) -> None:
    """Models that cannot keep to a fence's name still write the operations as agreed."""
    listed = json.dumps([op("set_text", "#a h2", text="Two")])
    parsed = parse_operations(frame.format(listed))
    assert isinstance(parsed, tuple)
    assert [operation.op for operation in parsed] == ["set_text"]


@pytest.mark.parametrize("answer", ['[{"kind": "element"}]', '```json\n{"title": "Menu"}\n```', "[op] is not JSON"])
def test_other_json_is_no_operation(answer: str) -> None:
    assert parse_operations(answer) is None


def test_the_schema_of_operations_is_plain_and_read_back() -> None:
    """A grammar is made of it by servers that know few keywords; what fits it is what is read."""
    schema = operations_schema()
    kinds = [kind for option in schema["items"]["anyOf"] for kind in option["properties"]["op"]["enum"]]
    assert len(kinds) == len(set(kinds)) == 13
    assert not {"pattern", "maxLength", "$ref", "discriminator"} & set(json.dumps(schema).replace('"', " ").split())
    for option in schema["items"]["anyOf"]:
        values = {"op": option["properties"]["op"]["enum"][0], "position": "after"}
        written = json.dumps([{name: values.get(name, "class") for name in option["required"]}])
        assert isinstance(parse_operations(written), tuple), written

"""Which texts are too faint: the same answers as axe-core's, which asks Chromium what it has painted."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.pages.compliance.contrast import ContrastMeter, written_texts
from loopwright.agents.pages.compliance.contrast.layers import is_large
from loopwright.agents.pages.compliance.page import Page
from tests.support.axe import engine
from tests.support.browser import evaluate_in_chromium

CASES = [
    ("color:#777", False),
    ("color:#767676", True),
    ("color:rgb(0 0 0 / 50%)", False),
    ("color:hsl(210 50% 40%)", True),
    ("color:oklch(60% 0.1 200)", False),
    ("color:color-mix(in srgb, black 60%, white)", True),
    ("color:var(--faint)", False),
    ("color:var(--nowhere, #555)", True),
    ("opacity:.5", False),
    ("opacity:.8", True),
    ("color:#949494;font-size:24px", True),
    ("color:#949494;font-size:23px", False),
    ("color:#949494;font-size:18.7px;font-weight:700", True),
    ("color:#949494;font-size:18.5px;font-weight:700", False),
    ("color:#949494;font:bold 1.2rem sans-serif", True),
    ("background:#333;color:#888", False),
    ("background:#333;color:#fff", True),
    ("background:rgba(0,0,0,.5);color:#fff", False),
    ("background:rgba(0,0,0,.7);color:#fff", True),
    ("background:navy;color:gray", False),
    ("color:white;background:teal", True),
    ("color:currentcolor;background:#eee", True),
    ("color:light-dark(#555, #fff)", True),
]
NESTED = [
    ('<div style="background:#222"><p id="{}">text</p></div>', False),
    ('<div style="background:#222;color:#eee"><p id="{}">text</p></div>', True),
    ('<div style="background:#222;color:#eee"><p style="background:#fff" id="{}">text</p></div>', False),
    ('<div style="opacity:.5"><div style="background:#000"><p style="color:#fff" id="{}">text</p></div></div>', False),
    ('<div style="opacity:.9"><div style="background:#000"><p style="color:#fff" id="{}">text</p></div></div>', True),
    ('<button id="{}">plain</button>', True),
    ('<button style="color:#999" id="{}">faint</button>', False),
    ('<button disabled style="color:#999" id="{}">off</button>', None),
    ('<fieldset disabled><label style="color:#bbb" id="{}">off <input></label></fieldset>', None),
    ('<a href="#x" id="{}">link</a>', True),
    ('<mark id="{}">marked</mark>', True),
    ('<p style="color:#999" aria-hidden="true" id="{}">seen all the same</p>', False),
    ('<div class="zebra"><p id="{}">first</p></div>', False),
]
RUN = """async () => {
  const found = await axe.run(document, {runOnly: {type: "rule", values: ["color-contrast"]}});
  const ids = (list) => list.flatMap((rule) => rule.nodes.map((node) => node.target.join(" ")));
  return {failed: ids(found.violations), passed: ids(found.passes)};
}"""


def page_source() -> tuple[str, dict[str, bool | None]]:
    parts, expected = [], {}
    for number, (style, stands_out) in enumerate(CASES):
        parts.append(f'<p id="case-{number}" style="{style}">text</p>')
        expected[f"case-{number}"] = stands_out
    for number, (html, stands_out) in enumerate(NESTED):
        parts.append(html.format(f"nested-{number}"))
        expected[f"nested-{number}"] = stands_out
    css = ":root { --faint: #999; color-scheme: light } .zebra > :nth-child(odd) { color: #aaa }"
    head = f"<!doctype html><html lang=en><head><title>t</title><style>{css}</style></head>"
    return f"{head}<body>{''.join(parts)}", expected


def verdict(page: Page, identifier: str) -> bool:
    node = page.by_id[identifier]
    measured, large = page.once(ContrastMeter).measure(node, "text"), is_large(page, node)
    assert measured is not None, identifier
    return measured.highest >= (3.0 if large else 4.5)


def test_texts_stand_out_or_do_not() -> None:
    html, expected = page_source()
    page = Page.read(html)
    judged = {name: verdict(page, name) for name, stands_out in expected.items() if stands_out is not None}
    assert judged == {name: stands_out for name, stands_out in expected.items() if stands_out is not None}
    assert set(expected) <= {text.node.id for text in written_texts(page)}


@pytest.mark.browser
async def test_axe_core_says_the_same(tmp_path: Path) -> None:
    html, expected = page_source()
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    found: dict[str, Any] = await evaluate_in_chromium(file, f"(() => {{ {engine()} }})() || ({RUN})()")
    theirs = dict.fromkeys((name.lstrip("#") for name in found["failed"]), False)
    theirs |= dict.fromkeys((name.lstrip("#") for name in found["passed"]), True)
    judged = {name: stands_out for name, stands_out in expected.items() if stands_out is not None}
    assert {name: theirs.get(name) for name in judged} == judged
    assert not {name for name, stands_out in expected.items() if stands_out is None} & set(theirs)

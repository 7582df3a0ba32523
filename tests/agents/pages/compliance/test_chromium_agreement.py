"""The validator against the real thing: headless Chromium, on pages made to be hard to judge."""

import json
from pathlib import Path

import pytest

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.compliance.cascade.lengths import AUTO
from loopwright.agents.pages.compliance.page import Page
from tests.agents.pages.compliance.sample_pages import SAMPLES, design_css, good_html
from tests.support.browser import check_page_in_chromium, evaluate_in_chromium

pytestmark = pytest.mark.browser

TARGET_SAMPLES = sorted(SAMPLES.glob("sizes_*.html"))
NOT_JUDGED = {"sizes_plain": {"b4": "the width of its text", "s2": "the width of a select"}}
"""Targets that are too small by something that only a font can tell; the validator stays silent."""
COMPUTED = (
    "fontSize",
    "paddingTop",
    "paddingLeft",
    "borderTopWidth",
    "marginTop",
    "minHeight",
    "display",
    "visibility",
)
READ_COMPUTED = """(names) => JSON.stringify([...document.querySelectorAll("body, body *")].map((element) => {
  const style = getComputedStyle(element);
  return names.map((name) => style[name]);
}))"""


HEAD = (
    '<!doctype html><meta name="viewport" content="width=device-width, initial-scale=1"><style>body{margin:0}</style>'
)


def read(sample: Path) -> str:
    return sample.read_text(encoding="utf-8")


@pytest.mark.parametrize("sample", TARGET_SAMPLES, ids=lambda path: path.stem)
async def test_the_same_targets_are_too_small(sample: Path) -> None:
    seen = {target.selector.removeprefix("#") for target in (await check_page_in_chromium(sample)).small_targets}
    issues = validate_page(read(sample)).issues
    reported = {(issue.selector or "").removeprefix("#") for issue in issues if issue.rule == "touch-target"}
    assert seen, "the sample is meant to have small targets"
    assert reported == seen - set(NOT_JUDGED.get(sample.stem, {}))


@pytest.mark.parametrize("sample", TARGET_SAMPLES, ids=lambda path: path.stem)
async def test_computed_values_are_those_of_chromium(sample: Path) -> None:
    script = f"() => ({READ_COMPUTED})({json.dumps(COMPUTED)})"
    theirs = json.loads(await evaluate_in_chromium(sample, script))
    page = Page.read(read(sample), css="", slug="index", known_slugs=None)
    nodes = page.find("body, body *")
    assert len(nodes) == len(theirs)
    for node, (font_size, padding_top, padding_left, border, margin, minimum, display, visibility) in zip(
        nodes, theirs, strict=True
    ):
        if node.tag == "option":
            continue  # drawn by the select, with sizes of its own
        where = page.selector_of(node)
        assert f"{page.cascade.font_size(node):.3f}" == f"{float(font_size[:-2]):.3f}", where
        for name, shown in (("padding-top", padding_top), ("padding-left", padding_left), ("margin-top", margin)):
            length = page.cascade.length(node, name, percent_of=430.0)
            if length is not AUTO:
                assert length == pytest.approx(float(shown[:-2]), abs=0.01), (where, name)
        assert page.boxes.border(node, "top") == pytest.approx(float(border[:-2])), where
        least = page.cascade.length(node, "min-height")
        assert (0.0 if least is AUTO else least) == (0.0 if minimum == "auto" else pytest.approx(float(minimum[:-2])))
        assert page.boxes.display(node) == display, where
        assert page.cascade.value(node, "visibility") == visibility, where


@pytest.mark.parametrize(
    ("name", "body", "overflows"),
    [
        ("fixed width", '<div style="width:600px">x</div>', True),
        ("minimum width", '<div style="min-width:500px">x</div>', True),
        ("picture", '<img alt="" width="700" height="10">', True),
        ("limited picture", '<img alt="" width="700" height="10" style="max-width:100%">', False),
        ("shrinking flex item", '<div style="display:flex"><div style="width:600px;min-width:0">x</div></div>', False),
        ("rigid flex item", '<div style="display:flex"><div style="width:600px;flex-shrink:0">x</div></div>', True),
        ("scrolled", '<div style="overflow-x:auto"><div style="width:900px">x</div></div>', False),
        ("viewport width", '<div style="width:100vw">x</div>', False),
        ("math", '<div style="width:min(900px, 100%)">x</div>', False),
        ("variable", '<div style="--w:31rem;width:var(--w)">x</div>', True),
        ("wide only on a desktop", "<style>@media(min-width:700px){p{width:900px}}</style><p>x</p>", False),
    ],
)
async def test_overflow_is_seen_by_both(tmp_path: Path, name: str, body: str, overflows: bool) -> None:
    path = tmp_path / "page.html"
    path.write_text(HEAD + body, encoding="utf-8")
    report = await check_page_in_chromium(path)
    assert (report.window_overflow > 0) is overflows, name
    assert any(issue.rule == "overflow" for issue in validate_page(HEAD + body).issues) is overflows, name


async def test_the_good_page_is_good_in_the_browser_too(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "design-system.css").write_text(design_css(), encoding="utf-8")
    path = tmp_path / "pages" / "cart.html"
    path.write_text(good_html(), encoding="utf-8")
    report = await check_page_in_chromium(path)
    assert report.problems() == []
    assert report.target_count == 7
    assert [link.rpartition("/")[2] for link in report.links] == ["terms.html", "index.html", "cart.html#items"]

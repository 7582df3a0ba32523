"""The judge of pages opens them in Chromium."""

import shutil
from pathlib import Path

import pytest

from bench.small_model.judges import cases, judge
from bench.small_model.outcome import Outcome
from loopwright.kernel.programs import CHROMIUM

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not any(map(shutil.which, CHROMIUM)), reason="there is no Chromium"),
]

CASES = {case["id"]: case for case in cases("pages")}
ITEMS = ["Tent", "Stove", "Water filter", "Rain jacket", "First-aid kit"]
PACKING = (
    "<!doctype html><html lang=en><head><title>Packing</title></head><body>"
    + "".join(f"<label><input type=checkbox> {item}</label><br>" for item in ITEMS)
    + "</body></html>"
)
HONEY = (
    "<!doctype html><html lang=en><head><title>Honey</title><style>body{background:#111;color:#eee}h1{color:#ffb300}"
    "</style></head><body><h1>Honey</h1><p>Acacia €7, linden €6, forest €8 for each jar of 500 g</p></body></html>"
)


def verdict_on(name: str, html: str, folder: Path) -> str:
    """What the judge says of a page that was reported as complete."""
    (folder / "index.html").write_text(html, encoding="utf-8")
    return judge("pages", CASES[name], Outcome("complete", folder)).verdict


@pytest.mark.parametrize(
    ("name", "html", "verdict"),
    [
        ("packing", PACKING, "done"),
        ("packing", PACKING.replace("<input type=checkbox>", "", 1), "false done"),
        ("packing", PACKING.replace("Stove", "<span hidden>Stove</span>"), "false done"),
        ("packing", PACKING.replace("</body>", "<script>document.body.append(nowhere)</script></body>"), "false done"),
        ("packing", PACKING.removesuffix("</body></html>"), "false done"),
        ("packing", PACKING.replace("Tent", "<!-- Tent -->"), "false done"),
        ("honey", HONEY, "done"),
        ("honey", HONEY.replace("#111", "#eee").replace("color:#eee", "color:#111"), "false done"),
        ("honey", HONEY.replace("#ffb300", "#3366ff"), "false done"),
        ("honey", HONEY.replace("€8", "€18"), "false done"),
    ],
)
def test_a_page_is_judged_as_it_is_seen(name: str, html: str, verdict: str, tmp_path: Path) -> None:
    """Words that nobody sees, scripts that fail, cut files, other colours and other numbers are found."""
    assert verdict_on(name, html, tmp_path) == verdict


def test_two_pages_are_not_one(tmp_path: Path) -> None:
    """The brief asks for one."""
    (tmp_path / "more.html").write_text(PACKING, encoding="utf-8")
    assert verdict_on("packing", PACKING, tmp_path) == "false done"

"""What the pages of an app share: files by their names, found in pages, put into them, and written beside them."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from loopwright.agents.pages.compliance import inline_runtime, validate_page
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.runtime import runtime_file, runtime_files, runtime_path
from loopwright.agents.pages.runtime.drawing import TONES, motifs, name_of, picture
from loopwright.agents.pages.workspace import Workspace
from tests.agents.pages.studio import CSS, page

CUP = "art/cup-200-day-square-dfc3.svg"
SHARED = (
    page("index", body=f'<img class="art" alt="" src="../runtime/{CUP}">')
    .replace("</head>", '<link rel="stylesheet" href="../runtime/app.css"></head>')
    .replace(
        "</body>",
        '<div id="toast"></div><script type="application/json" id="app-data">{}</script>'
        '<script src="../runtime/app.js"></script></body>',
    )
)


@pytest.mark.parametrize("motif", motifs())
def test_every_motif_is_a_drawing_that_needs_nothing_else(motif: str) -> None:
    drawn = picture(name_of(motif, "seed", 400, "dusk", "tall"))
    assert drawn is not None
    root = ElementTree.fromstring(drawn)
    ids = {each.get("id") for each in root.iter() if each.get("id")}
    used = {part.partition(")")[0] for part in drawn.split("url(#")[1:]}
    assert used <= ids
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
    assert "var(" not in drawn


def test_the_same_name_gives_the_same_picture_and_another_seed_another() -> None:
    names = {name_of("orbs", seed, 40, tone, "square") for seed in ("a", "b") for tone in TONES}
    assert len({picture(name) for name in names}) == len(names) == 2 * len(TONES)
    with pytest.raises(KeyError):
        name_of("no_such_motif", "a", 40, "day", "square")


@pytest.mark.parametrize(
    "path",
    [
        "art/nothing-1-day-square-0000.svg",
        "art/../app.js",
        "art/cup-40-day-square.svg",
        "other.js",
        "",
        "art/",
        "../app.js",
    ],
)
def test_what_is_no_shared_file_is_none(path: str) -> None:
    assert runtime_file(path) is None


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("../runtime/app.js", "app.js"),
        (" ../runtime/app.css?2 ", "app.css"),
        ("runtime/app.js", "app.js"),
        ("https://elsewhere.invalid/runtime/app.js", None),
        ("/runtime/app.js", None),
        ("app.js", None),
    ],
)
def test_addresses_of_shared_files(address: str, path: str | None) -> None:
    assert runtime_path(address) == path


def test_a_page_brings_its_shared_files_into_the_folder(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.write_page("index", SHARED)
    assert {str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*") if each.is_file()} == {
        "pages/index.html",
        "runtime/app.css",
        "runtime/app.js",
        f"runtime/{CUP}",
    }
    (tmp_path / "runtime/app.js").write_text("stale")
    workspace.write_page("index", SHARED)
    assert (tmp_path / "runtime/app.js").read_text(encoding="utf-8") == runtime_file("app.js")


def test_a_preview_stands_on_its_own() -> None:
    alone = inline_runtime(SHARED)
    assert (
        runtime_files(alone.replace('data-src="../runtime/app.js"', "").replace('data-href="../runtime/app.css"', ""))
        == {}
    )
    assert "window.App = " in alone
    assert 'src="data:image/svg+xml,%3Csvg' in alone
    assert inline_runtime(page("index")) == page("index")


def test_checks_read_the_shared_files() -> None:
    read = Page.read(SHARED, css=CSS, slug="index", known_slugs=("index",))
    assert read.css_is_complete
    assert any("window.App = " in script.text for script in read.scripts)
    assert {issue.rule for issue in validate_page(SHARED, css=CSS, slug="index", known_slugs=("index",)).issues} <= {
        "script-data"
    }
    broken = SHARED.replace("runtime/app.js", "runtime/apps.js")
    assert "missing-file" in {issue.rule for issue in validate_page(broken, css=CSS, slug="index").issues}
